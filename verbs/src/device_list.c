/* The devices: one for each interface of the daemon, or the one that RDDP_INTERFACE names. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "objects.h"

#undef ibv_get_device_list

#define SYSFS_VERBS "/sys/class/infiniband_verbs/"
#define SYSFS_DEVICES "/sys/class/infiniband/"

static pthread_mutex_t discovery = PTHREAD_MUTEX_INITIALIZER;
static struct device *first;
/*
 * Devices whose session is lost, but of which the program has objects, contexts or pointers. Reused once it has no
 * objects.
 */
static struct device *retired;
/* Whether the list has all interfaces of the daemon. */
static bool has_all;

/* A forked child has no session, and may open its own; it must not use its parent's. */
static void forget_in_child(void) {
    pthread_mutex_init(&discovery, NULL);
    pthread_mutex_init(&streams, NULL);
    first = retired = NULL;
    has_all = false;
}

__attribute__((constructor)) static void prepare_for_fork(void) {
    pthread_atfork(NULL, NULL, forget_in_child);
}

/* ---- Discovery ---- */

/* All interfaces of the daemon. Null with errno. */
static struct rddp_interface *list_interfaces(unsigned *count) {
    unsigned room = 16;
    struct rddp_interface *list = NULL;
    for (;;) {
        struct rddp_interface *larger = realloc(list, room * sizeof *list);
        int result = larger == NULL ? RDDP_RESOURCES : rddp_list_interfaces(NULL, larger, room, count);
        list = larger == NULL ? list : larger;
        if (result != RDDP_OK) {
            verbs_log("no interfaces: %s", rddp_error());
            free(list);
            errno = error_of(result);
            return NULL;
        }
        if (*count <= room) {
            return list;
        }
        room = *count;
    }
}

static struct device *make_device(const struct rddp_interface *interface, unsigned number) {
    struct device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->interface = *interface;
    const char *as = getenv("RDDP_VERBS_AS");
    bool roce = as != NULL && strcmp(as, "roce") == 0;
    device->ibv.node_type = roce ? IBV_NODE_CA : IBV_NODE_RNIC;
    device->ibv.transport_type = roce ? IBV_TRANSPORT_IB : IBV_TRANSPORT_IWARP;
    snprintf(device->ibv.name, sizeof device->ibv.name, "rddp%u", number);
    snprintf(device->ibv.dev_name, sizeof device->ibv.dev_name, "uverbs%u", number);
    /* Programs look for attributes below these paths: `rddp verbs --sysfs` shows them. */
    snprintf(device->ibv.dev_path, sizeof device->ibv.dev_path, SYSFS_VERBS "uverbs%u", number);
    snprintf(device->ibv.ibdev_path, sizeof device->ibv.ibdev_path, SYSFS_DEVICES "rddp%u", number);
    pthread_mutex_init(&device->control, NULL);
    pthread_mutex_init(&device->disconnecting, NULL);
    return device;
}

/* The listed device of an interface, or NULL. */
static struct device *find_listed(const char *interface) {
    struct device *device = first;
    while (device != NULL && strcmp(device->interface.name, interface) != 0) {
        device = device->next;
    }
    return device;
}

static bool is_same(const struct rddp_interface *one, const struct rddp_interface *other) {
    return strcmp(one->name, other->name) == 0 && one->address == other->address && one->gateway == other->gateway
        && one->mtu == other->mtu && one->prefix == other->prefix && memcmp(one->mac, other->mac, sizeof one->mac) == 0
        && one->ipv6_count == other->ipv6_count
        && memcmp(one->ipv6, other->ipv6, one->ipv6_count * sizeof one->ipv6[0]) == 0
        && memcmp(one->ipv6_prefix, other->ipv6_prefix, one->ipv6_count * sizeof one->ipv6_prefix[0]) == 0;
}

/* Takes a retired device that can be reused. Other threads read its interface without a lock, so it never changes. */
static struct device *take_retired(const struct rddp_interface *interface) {
    for (struct device **at = &retired; *at != NULL; at = &(*at)->next_retired) {
        struct device *device = *at;
        if (!is_used(device) && is_same(&device->interface, interface)) {
            *at = device->next_retired;
            return device;
        }
    }
    return NULL;
}

static void retire_lost(void) {
    struct device **at = &first;
    while (*at != NULL) {
        struct device *device = *at;
        if (device->lost) {
            *at = device->next;
            device->next_retired = retired;
            retired = device;
            has_all = false;
        } else {
            at = &device->next;
        }
    }
}

/* Keeps a session only while a context is open: a program may fork before it opens a device. */
static void discover(void) {
    const char *wanted = getenv("RDDP_INTERFACE");
    bool all = wanted == NULL || wanted[0] == '\0';
    unsigned count, number = 0;
    struct rddp_interface *interfaces = list_interfaces(&count);
    if (interfaces == NULL) {
        return;
    }
    struct device **end = &first;
    for (unsigned i = 0; i < count; i++) {
        if (all || strcmp(interfaces[i].name, wanted) == 0) {
            struct device *device = find_listed(interfaces[i].name);
            if (device == NULL) {
                device = take_retired(&interfaces[i]);
                device = device == NULL ? make_device(&interfaces[i], number) : device;
                if (device == NULL) {
                    break;
                }
                device->next = *end;
                *end = device;
            }
            end = &device->next;
            number++;
        }
    }
    has_all = number > 0;
    free(interfaces);
    if (number == 0) {
        verbs_log("the daemon has no interface \"%s\"", wanted);
        errno = ENODEV;
    }
}

/* The list without devices that are lost, with `discovery` held. */
static struct device *current_devices(void) {
    retire_lost();
    if (!has_all) {
        discover();
    }
    return first;
}

static unsigned count_devices(const struct device *device) {
    unsigned count = 0;
    for (; device != NULL; device = device->next) {
        count++;
    }
    return count;
}

/* ---- Addresses ---- */

bool is_this_host(const struct in6_addr *address) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        return unmapped(address) == 0 || unmapped(address) >> 24 == IN_LOOPBACKNET;
    }
    return IN6_IS_ADDR_UNSPECIFIED(address) || IN6_IS_ADDR_LOOPBACK(address);
}

struct in6_addr own_address(const struct rddp_interface *interface, const struct in6_addr *towards) {
    if (IN6_IS_ADDR_V4MAPPED(towards)) {
        return interface->address == 0 ? in6addr_any : mapped(interface->address);
    }
    unsigned chosen = IN6_IS_ADDR_LINKLOCAL(towards) ? 1 : 0;
    return chosen < interface->ipv6_count ? interface->ipv6[chosen] : in6addr_any;
}

static bool has_address(const struct rddp_interface *interface, const struct in6_addr *address) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        return interface->address != 0 && interface->address == unmapped(address);
    }
    for (unsigned i = 0; i < interface->ipv6_count; i++) {
        if (IN6_ARE_ADDR_EQUAL(&interface->ipv6[i], address)) {
            return true;
        }
    }
    return false;
}

/* The first device with an address of the same family, for an address that stands for this host; else the first. */
static struct device *device_of_family(struct device *device, const struct in6_addr *address) {
    for (struct device *each = device; each != NULL; each = each->next) {
        struct in6_addr own = own_address(&each->interface, address);
        if (!IN6_IS_ADDR_UNSPECIFIED(&own)) {
            return each;
        }
    }
    return device;
}

static struct device *device_with(struct device *device, const struct in6_addr *address) {
    if (device == NULL || is_this_host(address)) {
        return device_of_family(device, address);
    }
    while (device != NULL && !has_address(&device->interface, address)) {
        device = device->next;
    }
    if (device == NULL) {
        errno = EADDRNOTAVAIL;
    }
    return device;
}

struct device *find_device(const struct in6_addr *address) {
    pthread_mutex_lock(&discovery);
    struct device *device = device_with(current_devices(), address);
    pthread_mutex_unlock(&discovery);
    return device;
}

/* How many bits from the first on two addresses share. */
static int shared_bits(const uint8_t *one, const uint8_t *other, int most) {
    int bits = 0;
    while (bits < most && ((one[bits / 8] ^ other[bits / 8]) & (0x80 >> bits % 8)) == 0) {
        bits++;
    }
    return bits;
}

/*
 * How well an interface leads to an address: it has the address itself, by its network's prefix, by a gateway (0), or
 * not at all (-1). The daemon does not name its IPv6 gateways, so every interface with IPv6 may have one.
 */
static int distance(const struct rddp_interface *interface, const struct in6_addr *address) {
    struct in6_addr own = own_address(interface, address);
    if (has_address(interface, address)) {
        return 129;
    }
    if (IN6_IS_ADDR_UNSPECIFIED(&own)) {
        return -1;
    }
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    int prefix = ipv4 ? 96 + interface->prefix : interface->ipv6_prefix[IN6_IS_ADDR_LINKLOCAL(address) ? 1 : 0];
    if (shared_bits(own.s6_addr, address->s6_addr, prefix) == prefix) {
        return prefix;
    }
    return !ipv4 || interface->gateway != 0 ? 0 : -1;
}

static struct device *device_towards(struct device *device, const struct in6_addr *address) {
    if (device == NULL || is_this_host(address)) {
        return device_of_family(device, address);
    }
    struct device *best = NULL;
    for (struct device *each = device; each != NULL; each = each->next) {
        int here = distance(&each->interface, address);
        if (here >= 0 && (best == NULL || here > distance(&best->interface, address))) {
            best = each;
        }
    }
    if (best == NULL) {
        errno = ENETUNREACH;
    }
    return best;
}

struct device *route_device(const struct in6_addr *address) {
    pthread_mutex_lock(&discovery);
    struct device *device = device_towards(current_devices(), address);
    pthread_mutex_unlock(&discovery);
    return device;
}

/* ---- What libibverbs offers ---- */

/* A copy: the list may change at any time. */
VERBS struct ibv_device **ibv_get_device_list(int *count) {
    pthread_mutex_lock(&discovery);
    struct device *each = current_devices();
    unsigned devices = count_devices(each);
    struct ibv_device **list = calloc(devices + 1, sizeof *list);
    for (unsigned i = 0; list != NULL && i < devices; i++, each = each->next) {
        list[i] = &each->ibv;
    }
    pthread_mutex_unlock(&discovery);
    if (list != NULL && count != NULL) {
        *count = (int)devices;
    }
    return list;
}

/* After the daemon's end the program may pass the old device: use the one that has its interface now. */
VERBS struct ibv_context *ibv_open_device(struct ibv_device *ibv) {
    struct device *device = (struct device *)ibv;
    pthread_mutex_lock(&discovery);
    if (device->lost) {
        current_devices();
        device = find_listed(device->interface.name);
        errno = device == NULL ? ENODEV : errno;
    }
    struct ibv_context *context = device == NULL ? NULL : open_context(device);
    pthread_mutex_unlock(&discovery);
    return context;
}

VERBS void ibv_free_device_list(struct ibv_device **list) {
    free(list);
}

VERBS const char *ibv_get_device_name(struct ibv_device *ibv) {
    return ibv->name;
}

VERBS int ibv_get_device_index(struct ibv_device *ibv) {
    (void)ibv;
    return -1;
}

/* ---- What rdma_cm uses ---- */

/* With `discovery` held. */
static struct ibv_context *open_shared_context(struct device *device) {
    if (device->shared == NULL) {
        device->shared = open_context(device);
        device->shared_domain = device->shared == NULL ? NULL : ibv_alloc_pd(device->shared);
    } else if (renew_session(device) != 0) {
        return NULL;
    }
    return device->shared;
}

struct ibv_context *shared_context(struct device *device) {
    pthread_mutex_lock(&discovery);
    struct ibv_context *context = open_shared_context(device);
    pthread_mutex_unlock(&discovery);
    return context;
}

struct ibv_context *hold_shared_context(struct device *device) {
    pthread_mutex_lock(&discovery);
    struct ibv_context *context = open_shared_context(device);
    device->objects += context != NULL;
    pthread_mutex_unlock(&discovery);
    return context;
}

VERBS struct ibv_context **rdma_get_devices(int *count) {
    int devices = 0, opened = 0;
    struct ibv_device **each = ibv_get_device_list(&devices);
    struct ibv_context **list = calloc((size_t)devices + 1, sizeof *list);
    for (int i = 0; list != NULL && i < devices; i++) {
        list[opened] = shared_context((struct device *)each[i]);
        opened += list[opened] != NULL;
    }
    ibv_free_device_list(each);
    if (count != NULL) {
        *count = opened;
    }
    if (opened == 0) {
        free(list);
        errno = ENODEV;
        return NULL;
    }
    return list;
}

VERBS void rdma_free_devices(struct ibv_context **list) {
    free(list);
}
