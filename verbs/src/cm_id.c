/* Ids of the connection manager: creation, end, devices, options. */
#include <errno.h>
#include <stdlib.h>

#include "cm.h"

static struct id *all;  /* under `streams` */

static void set_up(struct id *id, struct rdma_event_channel *channel, void *context, enum rdma_port_space space) {
    id->ibv.channel = channel;
    id->ibv.context = context;
    id->ibv.ps = space;
    id->ibv.qp_type = IBV_QPT_RC;
    pthread_mutex_init(&id->mutex, NULL);
    pthread_cond_init(&id->changed, NULL);
    id->next = all;
    all = id;
}

struct id *new_id(struct rdma_event_channel *channel, void *context, enum rdma_port_space space) {
    struct id *id = calloc(1, sizeof *id);
    if (id == NULL) {
        return NULL;
    }
    id->synchronous = channel == NULL;
    if (channel == NULL) {
        channel = rdma_create_event_channel();
        if (channel == NULL) {
            free(id);
            return NULL;
        }
    }
    pthread_mutex_lock(&streams);
    set_up(id, channel, context, space);
    pthread_mutex_unlock(&streams);
    return id;
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

VERBS int rdma_create_id(
    struct rdma_event_channel *channel, struct rdma_cm_id **made, void *context, enum rdma_port_space space) {
    if (space != RDMA_PS_TCP) {
        verbs_log("only RDMA_PS_TCP is for iWARP, not the port space 0x%x", space);
        return fails(EOPNOTSUPP);
    }
    struct id *id = new_id(channel, context, space);
    if (id == NULL) {
        return -1;
    }
    *made = &id->ibv;
    return 0;
}

/* Takes an id out of the list of all, with `streams` held. */
static void unlist(struct id *id) {
    struct id **at = &all;
    while (*at != id) {
        at = &(*at)->next;
    }
    *at = id->next;
}

static void free_id(struct id *id) {
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

VERBS int rdma_destroy_id(struct rdma_cm_id *ibv) {
    struct id *id = id_of(ibv);
    stop_listening(id);
    if (id->stream != NULL) {
        part_id(id->stream);
    }
    if (id->synchronous != 0 && ibv->event != NULL) {
        rdma_ack_cm_event(ibv->event);
        ibv->event = NULL;
    }
    pthread_mutex_lock(&streams);
    unlist(id);
    pthread_mutex_unlock(&streams);
    drop_events(id);
    await_acknowledged(&id->mutex, &id->changed, &id->events_acknowledged, &id->events_reported);
    if (id->synchronous != 0) {
        rdma_destroy_event_channel(ibv->channel);
    }
    free_id(id);
    return 0;
}

/* Devices go together, with the daemon: who listens at all of them hears of one. */
static bool is_concerned(const struct id *id, const struct device *device) {
    return !id->unanswered
        && (id->device == device || (id->device == NULL && id->places != NULL && id->places->device == device));
}

void hear_removal(const struct device *device) {
    for (struct id *id = all; id != NULL; id = id->next) {
        if (is_concerned(id, device)) {
            add_event(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
        }
    }
}

/* Types of service and the like: accepted, and of no effect. */
VERBS int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length) {
    (void)id;
    (void)name;
    (void)value;
    (void)length;
    return level == RDMA_OPTION_ID ? 0 : fails(EOPNOTSUPP);
}

VERBS int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event) {
    (void)id;
    (void)event;
    return 0;
}

VERBS int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attributes, int *mask) {
    (void)id;
    *mask = 0;
    if (attributes->qp_state == IBV_QPS_INIT || attributes->qp_state == IBV_QPS_RTR) {
        *mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
        attributes->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    }
    return 0;
}
