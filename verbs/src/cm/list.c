/* The list of ids, and their devices. */
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"

struct id *ids;

void set_up(struct id *id, struct rdma_event_channel *channel, void *context, enum rdma_port_space space) {
    id->ibv.channel = channel;
    id->ibv.context = context;
    id->ibv.ps = space;
    id->ibv.qp_type = IBV_QPT_RC;
    pthread_mutex_init(&id->mutex, NULL);
    pthread_cond_init(&id->changed, NULL);
    id->next = ids;
    ids = id;
}

struct id *new_child(const struct listening *place) {
    const struct id *listening = place->id;
    struct id *id = calloc(1, sizeof *id);
    if (id != NULL) {
        set_up(id, listening->ibv.channel, listening->ibv.context, listening->ibv.ps);
        id->device = place->device;
        id->device->objects++;
        id->ibv.verbs = place->verbs;
        id->ibv.pd = place->domain;
        id->ibv.port_num = PORT;
        id->verbs = place->verbs;
        id->domain = place->domain;
    }
    return id;
}

static void leave_device(struct id *id) {
    if (id->device != NULL) {
        id->device->objects--;
    }
}

int bind_device(struct id *id, struct device *device) {
    if (device == NULL) {
        return -1;
    }
    struct ibv_context *verbs = hold_shared_context(device);
    if (verbs == NULL) {
        return -1;
    }
    leave_device(id);
    id->verbs = verbs;
    id->domain = device->shared_domain;
    pthread_mutex_lock(&streams);
    id->device = device;
    pthread_mutex_unlock(&streams);
    return 0;
}

void show_device(struct id *id) {
    id->ibv.verbs = id->verbs;
    id->ibv.port_num = PORT;
    if (id->ibv.pd == NULL) {
        id->ibv.pd = id->domain;
    }
    struct in6_addr own = address_in(&id->ibv.route.addr.src_addr);
    memcpy(id->ibv.route.addr.addr.ibaddr.sgid.raw, &own, sizeof own);
}

void unlist(struct id *id) {
    struct id **at = &ids;
    while (*at != id) {
        at = &(*at)->next;
    }
    *at = id->next;
}

void free_id(struct id *id) {
    leave_device(id);
    pthread_mutex_destroy(&id->mutex);
    pthread_cond_destroy(&id->changed);
    free(id->initial);
    free(id);
}

void free_child(struct id *id) {
    drop_stream(id->stream);
    unlist(id);
    free_id(id);
}
