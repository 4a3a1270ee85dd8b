/* Queries about a device, and names in sysfs that libraries look for. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "objects.h"

#undef ibv_query_port

#define VERSION "rddp 0.2.0"
#define PAGE_SIZES 0xfffffffffffff000
/* A locally administered OUI, assigned to no vendor. */
#define VENDOR 0x020000

/* The MAC address as an EUI-64 (RFC 4291 appendix A), as the kernel's iWARP devices have it. */
VERBS __be64 ibv_get_device_guid(struct ibv_device *ibv) {
    const uint8_t *mac = ((struct device *)ibv)->interface.mac;
    uint8_t guid[] = {mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
    __be64 octets;
    memcpy(&octets, guid, sizeof octets);
    return octets;
}

static int query_device_ex(struct ibv_context *ibv, const struct ibv_query_device_ex_input *input,
    struct ibv_device_attr_ex *attributes, size_t size) {
    if (input != NULL && input->comp_mask != 0) {
        return EINVAL;
    }
    const struct device *device = device_of(ibv);
    const struct rddp_limits *limits = &device->limits;
    struct ibv_device_attr_ex made;
    memset(&made, 0, sizeof made);
    struct ibv_device_attr *base = &made.orig_attr;
    int send_queue = (int)limits->send_queue, receive_queue = (int)limits->receive_queue;
    strcpy(base->fw_ver, VERSION);
    base->node_guid = base->sys_image_guid = ibv_get_device_guid(ibv->device);
    base->vendor_id = VENDOR;
    base->max_mr_size = limits->memory;
    base->page_size_cap = PAGE_SIZES;
    base->max_qp = (int)limits->connections;
    base->max_qp_wr = send_queue < receive_queue ? send_queue : receive_queue;
    base->device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
    base->max_sge = MAX_PIECES;
    base->max_sge_rd = 1;
    base->max_cq = 1 << 16;
    base->max_cqe = MAX_COMPLETIONS;
    base->max_mr = (int)limits->regions;
    base->max_mw = (int)limits->regions;
    base->max_pd = MOST_DOMAINS - 1;
    base->max_qp_rd_atom = base->max_qp_init_rd_atom = MAX_READS;
    base->max_res_rd_atom = MAX_READS * base->max_qp;
    base->atomic_cap = IBV_ATOMIC_HCA;
    base->max_srq = (int)limits->connections;
    base->max_srq_wr = (int)limits->completions;
    base->max_srq_sge = MAX_PIECES;
    base->max_pkeys = 1;
    base->phys_port_cnt = 1;
    made.phys_port_cnt_ex = 1;
    memcpy(attributes, &made, size < sizeof made ? size : sizeof made);
    return 0;
}

VERBS int ibv_query_device(struct ibv_context *ibv, struct ibv_device_attr *attributes) {
    struct ibv_device_attr_ex extended;
    int result = query_device_ex(ibv, NULL, &extended, sizeof extended);
    *attributes = extended.orig_attr;
    return result;
}

/* The largest InfiniBand MTU that fits the interface's packets. */
static enum ibv_mtu active_mtu(uint32_t octets) {
    return octets >= 4096 ? IBV_MTU_4096
        : octets >= 2048  ? IBV_MTU_2048
        : octets >= 1024  ? IBV_MTU_1024
        : octets >= 512   ? IBV_MTU_512
                          : IBV_MTU_256;
}

static unsigned count_gids(struct ibv_context *ibv) {
    const struct rddp_interface *interface = &device_of(ibv)->interface;
    return (interface->address != 0) + interface->ipv6_count;
}

static int query_port(struct ibv_context *ibv, uint8_t port, struct ibv_port_attr *attributes, size_t size) {
    if (port != PORT) {
        return EINVAL;
    }
    struct ibv_port_attr made = {
        .state = IBV_PORT_ACTIVE,
        .max_mtu = IBV_MTU_4096,
        .active_mtu = active_mtu(device_of(ibv)->interface.mtu),
        .gid_tbl_len = (int)count_gids(ibv),
        .pkey_tbl_len = 1,
        .max_msg_sz = UINT32_MAX,
        .max_vl_num = 1,
        .active_width = 2,
        .active_speed = 4,
        .phys_state = 5,
        .link_layer = IBV_LINK_LAYER_ETHERNET,
    };
    memcpy(attributes, &made, size < sizeof made ? size : sizeof made);
    return 0;
}

/* For programs that were compiled before the structure grew: link_layer was its last member then. */
VERBS int ibv_query_port(struct ibv_context *ibv, uint8_t port, struct _compat_ibv_port_attr *attributes) {
    return query_port(ibv, port, (struct ibv_port_attr *)attributes, offsetof(struct ibv_port_attr, flags));
}

static bool has_gid(struct ibv_context *ibv, unsigned port, unsigned index) {
    return port == PORT && index < count_gids(ibv);
}

/* The interface's IPv4 address, mapped, if it has one; then those of IPv6. */
VERBS int ibv_query_gid(struct ibv_context *ibv, uint8_t port, int index, union ibv_gid *gid) {
    if (index < 0 || !has_gid(ibv, port, (unsigned)index)) {
        return fails(EINVAL);
    }
    const struct rddp_interface *interface = &device_of(ibv)->interface;
    int ipv4 = interface->address != 0;
    struct in6_addr address = index < ipv4 ? mapped(interface->address) : interface->ipv6[index - ipv4];
    memcpy(gid->raw, &address, sizeof address);
    return 0;
}

/* Devices that are shown as RoCE's have its GIDs; those of iWARP have InfiniBand's, as the kernel's iWARP devices. */
static bool is_roce(struct ibv_context *ibv) {
    return ibv->device->transport_type == IBV_TRANSPORT_IB;
}

VERBS int _ibv_query_gid_ex(struct ibv_context *ibv, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
    uint32_t flags, size_t size) {
    struct ibv_gid_entry made = {.port_num = port, .gid_index = index,
        .gid_type = is_roce(ibv) ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_IB};
    if (flags != 0) {
        return EINVAL;
    }
    if (!has_gid(ibv, port, index)) {
        return ENODATA;
    }
    ibv_query_gid(ibv, PORT, (int)index, &made.gid);
    memcpy(entry, &made, size < sizeof made ? size : sizeof made);
    return 0;
}

VERBS ssize_t _ibv_query_gid_table(struct ibv_context *ibv, struct ibv_gid_entry *entries, size_t max, uint32_t flags,
    size_t size) {
    unsigned count = count_gids(ibv);
    if (flags != 0 || max < count) {
        return -EINVAL;
    }
    for (unsigned i = 0; i < count; i++) {
        _ibv_query_gid_ex(ibv, PORT, i, (struct ibv_gid_entry *)(void *)((char *)entries + i * size), 0, size);
    }
    return count;
}

VERBS int ibv_query_gid_type(struct ibv_context *ibv, uint8_t port, unsigned index, int *type) {
    if (!has_gid(ibv, port, index)) {
        return fails(EINVAL);
    }
    *type = is_roce(ibv);  /* numbers of sysfs: 0 for InfiniBand and RoCE v1, 1 for RoCE v2 */
    return 0;
}

VERBS int ibv_query_pkey(struct ibv_context *ibv, uint8_t port, int index, __be16 *key) {
    (void)ibv;
    if (port != PORT || index != 0) {
        return fails(EINVAL);
    }
    *key = htons(0xffff);
    return 0;
}

VERBS int ibv_get_pkey_index(struct ibv_context *ibv, uint8_t port, __be16 key) {
    (void)ibv;
    return port == PORT && key == htons(0xffff) ? 0 : fails(EINVAL);
}

/* librdmacm asks for the version of the kernel's rdma_cm before it resolves names. */
VERBS int ibv_read_sysfs_file(const char *folder, const char *file, char *text, size_t room) {
    if (strstr(file, "rdma_cm/abi_version") != NULL) {
        return room < 2 ? -1 : snprintf(text, room, "4");
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return -1;
    }
    ssize_t length = read(descriptor, text, room);
    close(descriptor);
    if (length > 0 && text[length - 1] == '\n') {
        text[--length] = '\0';
    } else if (length >= 0 && (size_t)length < room) {
        text[length] = '\0';
    }
    return (int)length;
}

VERBS const char *ibv_get_sysfs_path(void) {
    return "/sys";
}

void offer_queries(struct verbs_context *verbs) {
    verbs->query_device_ex = query_device_ex;
    verbs->query_port = query_port;
}
