/* Addresses and ports of ids. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "cm.h"

static bool is_any_v6(const struct sockaddr *address) {
    return address->sa_family == AF_INET6
        && IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

/* The daemon gives a port only to who listens. Other programs may take it before this one does. */
static int choose_port(struct device *device, uint16_t *port) {
    rddp_listener *listener;
    if (shared_context(device) == NULL) {
        return -1;
    }
    int result = rddp_listen(device->session, 0, 1, NULL, &listener);
    if (result != RDDP_OK) {
        return fails(error_of(result));
    }
    *port = htons(rddp_listener_port(listener));
    rddp_close_listener(listener);
    return 0;
}

/* Ports lie at the same place in both families. */
static __be16 *port_of(struct sockaddr_storage *address) {
    return &((struct sockaddr_in *)address)->sin_port;
}

VERBS int rdma_bind_addr(struct rdma_cm_id *ibv, struct sockaddr *address) {
    struct id *id = id_of(ibv);
    struct rdma_addr *own = &ibv->route.addr;
    if (address->sa_family != AF_INET && !is_any_v6(address)) {
        verbs_log("addresses are IPv4 ones, or ::");
        return fails(address->sa_family == AF_INET6 ? EADDRNOTAVAIL : EAFNOSUPPORT);
    }
    bool v6 = address->sa_family == AF_INET6;
    uint32_t wanted = v6 ? 0 : ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    struct device *device = find_device(wanted);
    /* Without an address of its own, the id has no device yet. */
    if (device == NULL || (wanted != 0 && bind_device(id, device) != 0)) {
        return -1;
    }
    memcpy(&own->src_storage, address, v6 ? sizeof own->src_sin6 : sizeof own->src_sin);
    if (wanted != 0) {
        own->src_sin.sin_addr.s_addr = htonl(device->interface.address);
        show_device(id);
    }
    return *port_of(&own->src_storage) != 0 ? 0 : choose_port(device, port_of(&own->src_storage));
}

VERBS int rdma_resolve_addr(struct rdma_cm_id *ibv, struct sockaddr *from, struct sockaddr *to, int timeout_ms) {
    (void)timeout_ms;
    struct id *id = id_of(ibv);
    if (to->sa_family != AF_INET) {
        verbs_log("addresses are IPv4 ones");
        return fails(EAFNOSUPPORT);
    }
    if (from != NULL && ibv->route.addr.src_addr.sa_family == 0 && rdma_bind_addr(ibv, from) != 0) {
        return -1;
    }
    uint32_t target = ntohl(((const struct sockaddr_in *)(const void *)to)->sin_addr.s_addr);
    if (id->device == NULL) {
        struct device *device = route_device(target);
        if (device == NULL && errno == ENETUNREACH) {
            deliver(id, RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
            return complete_request(id);
        }
        if (bind_device(id, device) != 0) {
            return -1;
        }
    }
    struct rdma_addr *addresses = &ibv->route.addr;
    __be16 port = *port_of(&addresses->src_storage);
    addresses->src_sin = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port,
        .sin_addr = {htonl(id->device->interface.address)}};
    memcpy(&addresses->dst_sin, to, sizeof addresses->dst_sin);
    if (target == 0 || is_loopback(target)) {
        addresses->dst_sin.sin_addr.s_addr = htonl(id->device->interface.address);
    }
    show_device(id);
    deliver(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
    return complete_request(id);
}

/* The daemon finds the way when it connects. */
VERBS int rdma_resolve_route(struct rdma_cm_id *ibv, int timeout_ms) {
    (void)timeout_ms;
    struct id *id = id_of(ibv);
    if (id->device == NULL) {
        return fails(EINVAL);
    }
    deliver(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
    return complete_request(id);
}

VERBS __be16 rdma_get_src_port(struct rdma_cm_id *ibv) {
    return *port_of(&ibv->route.addr.src_storage);
}

VERBS __be16 rdma_get_dst_port(struct rdma_cm_id *ibv) {
    return *port_of(&ibv->route.addr.dst_storage);
}
