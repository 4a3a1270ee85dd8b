/* Addresses and ports of ids. */
#include <arpa/inet.h>
#include <errno.h>

#include "cm/cm.h"
#include "message.h"

static bool is_ip(const struct sockaddr *address) {
    if (address->sa_family == AF_INET || address->sa_family == AF_INET6) {
        return true;
    }
    verbs_log("the address family %u is neither IPv4 nor IPv6", address->sa_family);
    return false;
}

/* 0.0.0.0 or ::. */
static bool is_any(const struct in6_addr *address) {
    return IN6_IS_ADDR_UNSPECIFIED(address) || (IN6_IS_ADDR_V4MAPPED(address) && unmapped(address) == 0);
}

/* The daemon gives a port only to a listener. Another program may take it before this one does. */
static int choose_port(struct device *device, uint16_t *port) {
    rddp_listener *listener;
    if (shared_context(device) == NULL) {
        return -1;
    }
    int result = rddp_listen_ipv6(device->session, &in6addr_any, 0, 1, NULL, &listener);
    if (result != RDDP_OK) {
        return fails(error_of(result));
    }
    *port = htons(rddp_listener_port(listener));
    rddp_close_listener(listener);
    return 0;
}

VERBS int rdma_bind_addr(struct rdma_cm_id *ibv, struct sockaddr *address) {
    struct id *id = id_of(ibv);
    struct rdma_addr *own = &ibv->route.addr;
    if (!is_ip(address)) {
        return fails(EAFNOSUPPORT);
    }
    struct in6_addr wanted = address_in(address);
    bool any = is_any(&wanted);
    struct device *device = find_device(&wanted);
    if (device == NULL) {
        return -1;
    }
    if (!any && is_this_host(&wanted)) {
        wanted = own_address(&device->interface, &wanted);
        if (is_any(&wanted)) {
            return fails(EADDRNOTAVAIL);
        }
    }
    /* Without an address of its own, the id has no device yet. */
    if (!any && bind_device(id, device) != 0) {
        return -1;
    }
    __be16 port = *port_of((struct sockaddr_storage *)(void *)address);
    set_address(&own->src_storage, &wanted, port);
    if (!any) {
        show_device(id);
    }
    return port != 0 ? 0 : choose_port(device, port_of(&own->src_storage));
}

/* The own address towards a target, or :: with errno: an id that is bound to another address has none. */
static struct in6_addr source_towards(const struct rdma_addr *bound, const struct device *device,
    const struct in6_addr *target) {
    struct in6_addr own = own_address(&device->interface, target);
    if (is_any(&own)) {
        errno = ENETUNREACH;
    } else if (bound->src_addr.sa_family != 0) {
        struct in6_addr wanted = address_in(&bound->src_addr);
        if (!is_any(&wanted) && !IN6_ARE_ADDR_EQUAL(&wanted, &own)) {
            errno = EADDRNOTAVAIL;
            return in6addr_any;
        }
    }
    return own;
}

VERBS int rdma_resolve_addr(struct rdma_cm_id *ibv, struct sockaddr *from, struct sockaddr *to, int timeout_ms) {
    (void)timeout_ms;
    struct id *id = id_of(ibv);
    if (!is_ip(to)) {
        return fails(EAFNOSUPPORT);
    }
    if (from != NULL && ibv->route.addr.src_addr.sa_family == 0 && rdma_bind_addr(ibv, from) != 0) {
        return -1;
    }
    struct in6_addr target = address_in(to);
    struct device *device = id->device == NULL ? route_device(&target) : id->device;
    struct rdma_addr *addresses = &ibv->route.addr;
    struct in6_addr own = device == NULL ? in6addr_any : source_towards(addresses, device, &target);
    if (is_any(&own) && (errno == ENETUNREACH || errno == EADDRNOTAVAIL)) {
        deliver(id, RDMA_CM_EVENT_ADDR_ERROR, -errno);
        return complete_request(id);
    }
    if (id->device == NULL && bind_device(id, device) != 0) {
        return -1;
    }
    set_address(&addresses->src_storage, &own, *port_of(&addresses->src_storage));
    set_address(&addresses->dst_storage, is_this_host(&target) ? &own : &target,
        *port_of((struct sockaddr_storage *)(void *)to));
    show_device(id);
    deliver(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
    return complete_request(id);
}

/* The daemon finds the route when it connects. */
VERBS int rdma_resolve_route(struct rdma_cm_id *ibv, int timeout_ms) {
    (void)timeout_ms;
    struct id *id = id_of(ibv);
    if (id->device == NULL) {
        return fails(EINVAL);
    }
    deliver(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
    return complete_request(id);
}
