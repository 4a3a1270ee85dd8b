/* Event channels and events of the connection manager. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cm/cm.h"

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

/* Whether an event is about a request that has ended since. */
static bool is_void(const struct event *event) {
    return event->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST && id_of(event->ibv.id)->stream->told_end;
}

void remove_request(struct event_channel *channel, struct event *event) {
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

void append_event(struct event *event) {
    struct event_channel *channel = (struct event_channel *)event->subject->ibv.channel;
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

struct event *new_event(struct id *id, enum rdma_cm_event_type type, int status) {
    struct event *event = calloc(1, sizeof *event);
    if (event != NULL) {
        event->ibv.id = &id->ibv;
        event->ibv.event = type;
        event->ibv.status = status;
        event->subject = id;
    }
    return event;
}

struct event *add_event(struct id *id, enum rdma_cm_event_type type, int status) {
    struct event *event = new_event(id, type, status);
    if (event != NULL) {
        append_event(event);
    }
    return event;
}

void deliver(struct id *id, enum rdma_cm_event_type type, int status) {
    pthread_mutex_lock(&streams);
    add_event(id, type, status);
    pthread_mutex_unlock(&streams);
}

static void log_event(const struct rdma_cm_event *event) {
    static const char *const NAMES[] = {
#define NAME(type) [RDMA_CM_EVENT_##type] = #type
        NAME(ADDR_RESOLVED), NAME(ADDR_ERROR), NAME(ROUTE_RESOLVED), NAME(CONNECT_REQUEST), NAME(CONNECT_ERROR),
        NAME(UNREACHABLE), NAME(REJECTED), NAME(ESTABLISHED), NAME(DISCONNECTED), NAME(DEVICE_REMOVAL)
#undef NAME
    };
    const char *name = NAMES[event->event];
    if (event->status == 0) {
        verbs_log("RDMA_CM_EVENT_%s", name);
    } else {
        verbs_log("RDMA_CM_EVENT_%s: %s", name, strerror(-event->status));
    }
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
    log_event(&event->ibv);
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

struct event *remove_events(struct id *id) {
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
    /* They were removed in reverse order. */
    struct event *ordered = NULL;
    while (moved != NULL) {
        struct event *next = moved->next;
        moved->next = ordered;
        ordered = moved;
        moved = next;
    }
    while (ordered != NULL) {
        struct event *next = ordered->next;
        /* Requests that the program has not seen yet move with their listener. */
        ordered->ibv.id->channel = to;
        append_event(ordered);
        ordered = next;
    }
    pthread_mutex_unlock(&streams);
    if (owned) {
        rdma_destroy_event_channel(before);
    }
    return 0;
}
