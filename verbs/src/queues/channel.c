/* Completion channels: an eventfd that counts events, and the queues with events. */
#include "queues/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct channel *channel_of(struct ibv_comp_channel *ibv) {
    return (struct channel *)ibv;
}

void use_channel(struct ibv_comp_channel *ibv, int more) {
    __atomic_fetch_add(&ibv->refcnt, more, __ATOMIC_ACQ_REL);
}

VERBS struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL) {
        return NULL;
    }
    channel->ibv.context = context;
    channel->ibv.fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    if (channel->ibv.fd < 0) {
        free(channel);
        return NULL;
    }
    return &channel->ibv;
}

VERBS int ibv_destroy_comp_channel(struct ibv_comp_channel *ibv) {
    if (__atomic_load_n(&ibv->refcnt, __ATOMIC_ACQUIRE) > 0) {
        return EBUSY;
    }
    close(ibv->fd);
    free(channel_of(ibv));
    return 0;
}

static void append(struct channel *channel, struct completion_queue *queue) {
    queue->next_due = NULL;
    if (channel->last == NULL) {
        channel->first = queue;
    } else {
        channel->last->next_due = queue;
    }
    channel->last = queue;
}

void signal_channel(struct completion_queue *queue) {
    struct channel *channel = channel_of(queue->ibv.channel);
    if (queue->events_due++ == 0) {
        append(channel, queue);
    }
    eventfd_write(channel->ibv.fd, 1);
}

void forget_channel_events(struct completion_queue *queue) {
    if (queue->events_due == 0) {
        return;
    }
    struct channel *channel = channel_of(queue->ibv.channel);
    struct completion_queue *before = NULL;
    struct completion_queue **at = &channel->first;
    while (*at != queue) {
        before = *at;
        at = &(*at)->next_due;
    }
    *at = queue->next_due;
    if (channel->last == queue) {
        channel->last = before;
    }
    drop_counts(channel->ibv.fd, &channel->void_counts, queue->events_due);
    queue->events_due = 0;
}

/* Takes the next queue with an event; the queue is not destroyed before the program has acknowledged the event. */
static struct completion_queue *take_queue(struct channel *channel, struct device *device) {
    spin_lock(&device->polling);
    struct completion_queue *queue = was_dropped(&channel->void_counts) ? NULL : channel->first;
    if (queue != NULL) {
        channel->first = queue->next_due;
        if (channel->first == NULL) {
            channel->last = NULL;
        }
        if (--queue->events_due > 0) {
            append(channel, queue);
        }
        queue->events_reported++;
    }
    spin_unlock(&device->polling);
    return queue;
}

VERBS int ibv_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **program) {
    struct completion_queue *queue;
    do {
        eventfd_t one;
        if (eventfd_read(ibv->fd, &one) != 0) {
            return -1;
        }
        queue = take_queue(channel_of(ibv), device_of(ibv->context));
    } while (queue == NULL);
    *cq = &queue->ibv;
    *program = queue->ibv.cq_context;
    return 0;
}

VERBS void ibv_ack_cq_events(struct ibv_cq *cq, unsigned events) {
    if (events > 0) {
        pthread_mutex_lock(&cq->mutex);
        cq->comp_events_completed += events;
        pthread_cond_signal(&cq->cond);
        pthread_mutex_unlock(&cq->mutex);
    }
}
