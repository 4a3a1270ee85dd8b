/* Listening: at one device, or at all of them for an id that is bound to no address. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "cm/cm.h"

#define DEFAULT_BACKLOG 128

static struct rddp_connection_options options_at(const struct device *device, struct ibv_srq *shared) {
    bool here = shared != NULL && shared_queue_of(shared)->device == device;
    return listening_options(here ? shared : NULL);
}

/* Listens at one more device. Returns a reason of librddp's. */
static int listen_at(struct id *id, struct device *device, uint32_t backlog) {
    struct ibv_context *verbs = hold_shared_context(device);
    if (verbs == NULL) {
        return RDDP_RESOURCES;
    }
    struct listening *place = calloc(1, sizeof *place);
    if (place == NULL) {
        device->objects--;
        return RDDP_RESOURCES;
    }
    *place = (struct listening){.id = id, .device = device, .verbs = verbs, .domain = device->shared_domain};
    struct rddp_connection_options options = options_at(device, id->ibv.srq);
    options.dscp = dscp_of(id);
    uint16_t port = ntohs(rdma_get_src_port(&id->ibv));
    struct in6_addr at = address_in(&id->ibv.route.addr.src_addr);
    int result = rddp_listen_ipv6(device->session, &at, port, backlog, &options, &place->listener);
    if (result != RDDP_OK) {
        verbs_log("cannot listen: %s", rddp_error());
        free(place);
        device->objects--;
        return result;
    }
    verbs_log("listens at port %u", port);
    pthread_mutex_lock(&streams);
    place->next = id->places;
    id->places = place;
    pthread_mutex_unlock(&streams);
    own_listener(place->listener, place);
    return RDDP_OK;
}

static void close_place(struct listening *place) {
    own_listener(place->listener, NULL);
    rddp_close_listener(place->listener);
    place->device->objects--;
    free(place);
}

void stop_listening(struct id *id) {
    pthread_mutex_lock(&streams);
    struct listening *place = id->places;
    id->places = NULL;
    pthread_mutex_unlock(&streams);
    while (place != NULL) {
        struct listening *next = place->next;
        close_place(place);
        place = next;
    }
}

/* Whether another id of this process listens at a port of one of the devices, a list that NULL ends. */
static bool listens_here(struct ibv_device **devices, uint16_t port) {
    bool found = false;
    for (; *devices != NULL && !found; devices++) {
        struct device *device = (struct device *)*devices;
        /* The session may be replaced after the daemon's end. */
        pthread_mutex_lock(&device->control);
        found = device->session != NULL && listens_at(device->session, port);
        pthread_mutex_unlock(&device->control);
    }
    return found;
}

/* Whether peers can connect to a device at an address: 0.0.0.0 stands for the addresses of IPv4 only. */
static bool serves(const struct device *device, const struct in6_addr *at) {
    return !IN6_IS_ADDR_V4MAPPED(at) || device->interface.address != 0;
}

/* Listens at the devices of a list that NULL ends, and at no device if that fails. */
static int listen_at_all(struct id *id, struct ibv_device **devices, uint32_t backlog) {
    struct in6_addr at = address_in(&id->ibv.route.addr.src_addr);
    int result = RDDP_OK;
    if (devices[0] == NULL) {
        return fails(ENODEV);
    }
    for (int i = 0; devices[i] != NULL && result == RDDP_OK; i++) {
        struct device *device = (struct device *)devices[i];
        if (serves(device, &at)) {
            result = listen_at(id, device, backlog);
        }
    }
    if (result == RDDP_OK && id->places == NULL) {
        verbs_log("no interface has an IPv4 address to listen at");
        return fails(EADDRNOTAVAIL);
    }
    if (result == RDDP_OK) {
        return 0;
    }
    stop_listening(id);
    if (result == RDDP_ADDRESS_IN_USE && IN6_IS_ADDR_UNSPECIFIED(&at)
        && listens_here(devices, ntohs(rdma_get_src_port(&id->ibv)))) {
        verbs_log("the program listens at 0.0.0.0, too; the port has one listener, and no peer comes over IPv6");
        return 0;
    }
    return fails(error_of(result));
}

VERBS int rdma_listen(struct rdma_cm_id *ibv, int backlog) {
    struct id *id = id_of(ibv);
    uint32_t waiting = backlog > 0 ? (uint32_t)backlog : DEFAULT_BACKLOG;
    if (ibv->route.addr.src_addr.sa_family == 0 || id->places != NULL) {
        return fails(EINVAL);
    }
    if (id->device != NULL) {
        struct ibv_device *one[] = {&id->device->ibv, NULL};
        return listen_at_all(id, one, waiting);
    }
    struct ibv_device **all = ibv_get_device_list(NULL);
    int result = all == NULL ? -1 : listen_at_all(id, all, waiting);
    int error = errno;
    ibv_free_device_list(all);
    errno = error;
    return result;
}
