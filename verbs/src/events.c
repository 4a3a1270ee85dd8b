/* Asynchronous events of contexts. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "objects.h"

pthread_mutex_t streams = PTHREAD_MUTEX_INITIALIZER;

void add_asynchronous_event(struct ibv_context *ibv, enum ibv_event_type type, void *element) {
    struct asynchronous_event *event = calloc(1, sizeof *event);
    if (event == NULL) {
        return;
    }
    event->ibv.event_type = type;
    if (element == NULL) {
        event->ibv.element.port_num = PORT;
    } else {
        event->ibv.element.qp = element;
    }
    struct context *context = context_of(ibv);
    if (context->last == NULL) {
        context->first = event;
    } else {
        context->last->next = event;
    }
    context->last = event;
    eventfd_write(ibv->async_fd, 1);
}

void report_event(struct ibv_context *ibv, enum ibv_event_type type, void *element) {
    pthread_mutex_lock(&streams);
    add_asynchronous_event(ibv, type, element);
    pthread_mutex_unlock(&streams);
}

/* The counters of the object that an event is about, or null: they decide when an object may be destroyed. */
struct event_count {
    pthread_mutex_t *mutex;
    pthread_cond_t *changed;
    uint32_t *acknowledged;
    unsigned *reported;  /* under `streams` */
};

static bool count_of(const struct ibv_async_event *event, struct event_count *count) {
    switch (event->event_type) {
        case IBV_EVENT_CQ_ERR: {
            struct completion_queue *queue = completion_queue_of(event->element.cq);
            *count = (struct event_count){&queue->ibv.mutex, &queue->ibv.cond, &queue->ibv.async_events_completed,
                &queue->errors_reported};
            return true;
        }
        case IBV_EVENT_QP_FATAL:
        case IBV_EVENT_QP_REQ_ERR:
        case IBV_EVENT_QP_ACCESS_ERR:
        case IBV_EVENT_QP_LAST_WQE_REACHED: {
            struct queue_pair *pair = queue_pair_of(event->element.qp);
            *count = (struct event_count){&pair->ibv.mutex, &pair->ibv.cond, &pair->ibv.events_completed,
                &pair->events_reported};
            return true;
        }
        case IBV_EVENT_SRQ_LIMIT_REACHED:
        case IBV_EVENT_SRQ_ERR: {
            struct shared_queue *queue = shared_queue_of(event->element.srq);
            *count = (struct event_count){&queue->ibv.mutex, &queue->ibv.cond, &queue->ibv.events_completed,
                &queue->events_reported};
            return true;
        }
        default: return false;
    }
}

/* Takes the next event; its object is not destroyed before the program has acknowledged the event. */
static struct asynchronous_event *take_event(struct context *context) {
    struct event_count count;
    pthread_mutex_lock(&streams);
    struct asynchronous_event *event = was_dropped(&context->void_counts) ? NULL : context->first;
    if (event != NULL) {
        context->first = event->next;
        if (context->first == NULL) {
            context->last = NULL;
        }
        if (count_of(&event->ibv, &count)) {
            ++*count.reported;
        }
    }
    pthread_mutex_unlock(&streams);
    return event;
}

VERBS int ibv_get_async_event(struct ibv_context *ibv, struct ibv_async_event *event) {
    struct asynchronous_event *taken;
    do {
        eventfd_t one;
        if (eventfd_read(ibv->async_fd, &one) != 0) {
            return -1;
        }
        taken = take_event(context_of(ibv));
    } while (taken == NULL);
    *event = taken->ibv;
    free(taken);
    return 0;
}

VERBS void ibv_ack_async_event(struct ibv_async_event *event) {
    struct event_count count;
    if (count_of(event, &count)) {
        pthread_mutex_lock(count.mutex);
        ++*count.acknowledged;
        pthread_cond_signal(count.changed);
        pthread_mutex_unlock(count.mutex);
    }
}

void forget_events(struct ibv_context *ibv, const void *element) {
    struct context *context = context_of(ibv);
    struct asynchronous_event *kept = NULL;
    struct asynchronous_event **end = &kept, *last = NULL;
    unsigned dropped = 0;
    pthread_mutex_lock(&streams);
    for (struct asynchronous_event *event = context->first; event != NULL;) {
        struct asynchronous_event *next = event->next;
        event->next = NULL;
        if (event->ibv.element.qp == element && event->ibv.event_type != IBV_EVENT_DEVICE_FATAL) {
            free(event);
            dropped++;
        } else {
            *end = event;
            end = &event->next;
            last = event;
        }
        event = next;
    }
    context->first = kept;
    context->last = last;
    drop_counts(ibv->async_fd, &context->void_counts, dropped);
    pthread_mutex_unlock(&streams);
}

void await_acknowledged(pthread_mutex_t *mutex, pthread_cond_t *changed, const uint32_t *acknowledged,
    const unsigned *reported) {
    pthread_mutex_lock(mutex);
    while (*acknowledged != *reported) {
        pthread_cond_wait(changed, mutex);
    }
    pthread_mutex_unlock(mutex);
}
