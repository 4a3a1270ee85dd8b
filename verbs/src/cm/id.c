/* Ids of the connection manager: creation, end, options. */
#include <errno.h>
#include <stdlib.h>

#include "cm/cm.h"

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

/* Drops the events of an id, and ends the requests among them. */
static void drop_events(struct id *id) {
    pthread_mutex_lock(&streams);
    struct event *event = remove_events(id);
    pthread_mutex_unlock(&streams);
    while (event != NULL) {
        struct event *next = event->next;
        struct rdma_cm_id *other = event->ibv.id;
        free(event);
        if (other != &id->ibv) {
            rdma_destroy_id(other);  /* a request that the program has not seen */
        }
        event = next;
    }
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

/* Accepts options that have no effect, too. A timeout is shown by ibv_query_qp(). */
VERBS int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length) {
    if (level != RDMA_OPTION_ID) {
        return fails(EOPNOTSUPP);
    }
    if (name == RDMA_OPTION_ID_ACK_TIMEOUT && length == 1 && id->qp != NULL) {
        queue_pair_of(id->qp)->set.timeout = *(const uint8_t *)value;
    }
    if (name == RDMA_OPTION_ID_TOS && length == 1) {
        id_of(id)->dscp = *(const uint8_t *)value >> 2;
        id_of(id)->has_dscp = true;
    }
    return 0;
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
