/* Event channels and events of the connection manager. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cm.h"

VERBS struct rdma_event_channel *rdma_create_event_channel(void) {
    struct event_channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL) {
        return NULL;
    }
    channel->ibv.fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    if (channel->ibv.fd < 0) {
        free(channel);
        return NULL;
    }
    return &channel->ibv;
}

VERBS void rdma_destroy_event_channel(struct rdma_event_channel *ibv) {
    close(ibv->fd);
    free(ibv);
}

/* Whether an event tells of a request that has ended since. */
static bool is_void(const struct event *event) {
    return event->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST && id_of(event->ibv.id)->stream->told_end;
}

static void remove_request(struct event_channel *channel, struct event *event) {
    struct event *before = NULL;
    for (struct event *each = channel->first; each != event; each = each->next) {
        before = each;
    }
    *(before == NULL ? &channel->first : &before->next) = event->next;
    if (channel->last == event) {
        channel->last = before;
    }
    drop_counts(channel->ibv.fd, &channel->void_counts, 1);
    free_child(id_of(event->ibv.id));
    free(event);
}

static void append(struct event_channel *channel, struct event *event) {
    event->next = NULL;
    if (channel->last == NULL) {
        channel->first = event;
    } else {
        channel->last->next = event;
    }
    struct event *only = channel->first == channel->last ? channel->first : NULL;
    channel->last = event;
    eventfd_write(channel->ibv.fd, 1);
    if (only != NULL && is_void(only)) {
        remove_request(channel, only);
    }
}

struct event *add_event(struct id *id, enum rdma_cm_event_type type, int status) {
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL) {
        return NULL;
    }
    event->ibv.id = &id->ibv;
    event->ibv.event = type;
    event->ibv.status = status;
    event->subject = id;
    append((struct event_channel *)id->ibv.channel, event);
    return event;
}

void deliver(struct id *id, enum rdma_cm_event_type type, int status) {
    pthread_mutex_lock(&streams);
    add_event(id, type, status);
    pthread_mutex_unlock(&streams);
}

VERBS int rdma_get_cm_event(struct rdma_event_channel *ibv, struct rdma_cm_event **taken) {
    struct event_channel *channel = (struct event_channel *)ibv;
    struct event *event;
    do {
        eventfd_t one;
        if (eventfd_read(ibv->fd, &one) != 0) {
            return -1;
        }
        pthread_mutex_lock(&streams);
        event = was_dropped(&channel->void_counts) ? NULL : channel->first;
        if (event != NULL) {
            channel->first = event->next;
            if (channel->first == NULL) {
                channel->last = NULL;
            }
            event->subject->events_reported++;
        }
        pthread_mutex_unlock(&streams);
    } while (event == NULL);
    *taken = &event->ibv;
    verbs_log("event %d of rdma_cm, status %d", event->ibv.event, event->ibv.status);
    return 0;
}

VERBS int rdma_ack_cm_event(struct rdma_cm_event *ibv) {
    if (ibv == NULL) {
        return fails(EINVAL);
    }
    struct event *event = (struct event *)ibv;
    struct id *id = event->subject;
    pthread_mutex_lock(&id->mutex);
    id->events_acknowledged++;
    pthread_cond_signal(&id->changed);
    pthread_mutex_unlock(&id->mutex);
    free(event);
    return 0;
}

int complete_request(struct id *id) {
    if (id->synchronous == 0) {
        return 0;
    }
    if (id->ibv.event != NULL) {
        rdma_ack_cm_event(id->ibv.event);
        id->ibv.event = NULL;
    }
    if (rdma_get_cm_event(id->ibv.channel, &id->ibv.event) != 0) {
        return -1;
    }
    int status = id->ibv.event->status;
    if (status == 0) {
        return 0;
    }
    if (id->ibv.event->event == RDMA_CM_EVENT_REJECTED) {
        return fails(ECONNREFUSED);
    }
    return fails(status < 0 ? -status : status);
}

static struct event *remove_events(struct id *id) {
    struct event_channel *channel = (struct event_channel *)id->ibv.channel;
    struct event *removed = NULL, *last = NULL;
    unsigned dropped = 0;
    struct event **at = &channel->first;
    while (*at != NULL) {
        struct event *event = *at;
        if (event->subject == id || event->ibv.id == &id->ibv) {
            *at = event->next;
            event->next = removed;
            removed = event;
            dropped++;
        } else {
            last = event;
            at = &event->next;
        }
    }
    channel->last = last;
    drop_counts(channel->ibv.fd, &channel->void_counts, dropped);
    return removed;
}

void drop_events(struct id *id) {
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

VERBS int rdma_migrate_id(struct rdma_cm_id *ibv, struct rdma_event_channel *to) {
    struct id *id = id_of(ibv);
    int synchronous = to == NULL;
    struct rdma_event_channel *before = ibv->channel;
    bool owned = id->synchronous != 0;
    if (to == NULL) {
        to = rdma_create_event_channel();
        if (to == NULL) {
            return -1;
        }
    }
    if (id->synchronous != 0 && ibv->event != NULL) {
        rdma_ack_cm_event(ibv->event);
        ibv->event = NULL;
    }
    pthread_mutex_lock(&streams);
    struct event *moved = remove_events(id);
    id->ibv.channel = to;
    id->synchronous = synchronous;
    /* They came off in the reverse order. */
    struct event *ordered = NULL;
    while (moved != NULL) {
        struct event *next = moved->next;
        moved->next = ordered;
        ordered = moved;
        moved = next;
    }
    while (ordered != NULL) {
        struct event *next = ordered->next;
        /* Requests that the program has not seen yet are found where their listener is. */
        ordered->ibv.id->channel = to;
        append((struct event_channel *)to, ordered);
        ordered = next;
    }
    pthread_mutex_unlock(&streams);
    if (owned) {
        rdma_destroy_event_channel(before);
    }
    return 0;
}

/* ---- What the daemon reports, with `streams` held ---- */

static uint8_t depth_of(uint32_t peers, uint32_t own) {
    uint32_t depth = peers == UINT32_MAX ? own : peers;
    return (uint8_t)(depth > MAX_READS ? MAX_READS : depth);
}

static void describe(struct event *event, const struct rddp_connection_info *info) {
    if (event == NULL) {
        return;
    }
    struct rdma_conn_param *param = &event->ibv.param.conn;
    memcpy(event->private_data, info->private_data, info->private_length);
    /* The length has one octet: a peer that is not limited by rdma_cm may send more. */
    param->private_data_len = (uint8_t)(info->private_length > UINT8_MAX ? UINT8_MAX : info->private_length);
    param->private_data = info->private_length > 0 ? event->private_data : NULL;
    param->responder_resources = depth_of(info->startup.peer_ord, info->startup.ird);
    param->initiator_depth = depth_of(info->startup.peer_ird, info->startup.ord);
}

static void set_addresses(struct id *id, const struct rddp_connection_info *info) {
    set_address(&id->ibv.route.addr.src_storage, &info->local_ipv6, htons(info->local_port));
    set_address(&id->ibv.route.addr.dst_storage, &info->remote_ipv6, htons(info->remote_port));
}

void hear_established(struct id *id, const struct rddp_connection_info *info) {
    set_addresses(id, info);
    struct event *event = add_event(id, RDMA_CM_EVENT_ESTABLISHED, 0);
    describe(event, info);
}

/*
 * A request has ended that the program has not accepted. As with librdmacm it hears nothing, and cannot accept it. One that
 * it has not seen goes, unless that is the channel's only event: who has found the descriptor readable must get one.
 */
static void withdraw(const struct id *id) {
    struct event_channel *channel = (struct event_channel *)id->ibv.channel;
    struct event *event = channel->first == channel->last ? NULL : channel->first;
    while (event != NULL && (event->ibv.id != &id->ibv || event->ibv.event != RDMA_CM_EVENT_CONNECT_REQUEST)) {
        event = event->next;
    }
    if (event != NULL) {
        remove_request(channel, event);
    }
}

void hear_end(struct id *id, const struct rddp_connection_info *info, bool was_established) {
    verbs_log("a connection has ended: %s", info->text);
    if (id->unanswered && !was_established) {
        withdraw(id);
    } else if (was_established) {
        add_event(id, RDMA_CM_EVENT_DISCONNECTED, 0);
    } else if (info->reason == RDDP_REFUSED) {
        struct event *event = add_event(id, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
        describe(event, info);
    } else if (info->reason == RDDP_TIMEOUT || info->reason == RDDP_UNREACHABLE) {
        add_event(id, RDMA_CM_EVENT_UNREACHABLE, info->reason == RDDP_TIMEOUT ? -ETIMEDOUT : -ENETUNREACH);
    } else {
        add_event(id, RDMA_CM_EVENT_CONNECT_ERROR, -error_of(info->reason));
    }
}

void hear_requests(struct listening *place) {
    struct id *listening = place->id;
    for (rddp_connection *connection = take_request(place->listener); connection != NULL;
         connection = take_request(place->listener)) {
        struct id *id = new_child(place);
        struct stream *stream = id == NULL ? NULL : new_stream(place->device, connection, id);
        struct event *event = stream == NULL ? NULL : add_event(listening, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
        if (event == NULL) {
            continue;  /* no memory: the peer gets no answer until its time is over */
        }
        id->stream = stream;
        id->unanswered = true;
        connection->owner = stream;
        set_addresses(id, &connection->info);
        describe(event, &connection->info);
        event->ibv.id = &id->ibv;
        event->ibv.listen_id = &listening->ibv;
    }
}
