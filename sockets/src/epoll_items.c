#include "epoll_items.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "libc.h"

void heat_item(struct item *item) {
    struct instance *instance = item->instance;
    if (!item->hot && !item->disabled) {
        item->hot = true;
        instance->hot[instance->hot_count++] = item;
    }
}

void cool_at(struct instance *instance, unsigned index) {
    instance->hot[index]->hot = false;
    instance->hot[index] = instance->hot[--instance->hot_count];
}

static void cool(struct item *item) {
    struct instance *instance = item->instance;
    for (unsigned i = 0; item->hot && i < instance->hot_count; i++) {
        if (instance->hot[i] == item) {
            cool_at(instance, i);
        }
    }
}

static void arm(struct item *item, bool again) {
    if (item->armed != generation()) {
        item->armed = generation();
        begin_waiting(item->stream, again);
    } else {
        rearm(item->stream, again);
    }
}

void disarm_item(struct item *item) {
    bool armed = item->armed == generation();
    item->armed = 0;
    if (armed) {
        end_waiting(item->stream);
    }
}

struct item *item_at(const struct instance *instance, unsigned descriptor) {
    return descriptor < instance->room ? instance->items[descriptor] : NULL;
}

struct item *find_item(const struct instance *instance, const struct stream *stream, int descriptor) {
    struct item *item = item_at(instance, (unsigned)descriptor);
    return item != NULL && item->stream == stream ? item : NULL;
}

bool is_exact(const struct item *item) {
    return item->instance->told || (item->event.events & EPOLLEXCLUSIVE) != 0;
}

/* The kernel is told of octets for the sake of an end, too. */
int register_item(struct item *item, int what) {
    uint32_t asked = item->event.events, all = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    bool for_end = (asked & EPOLLRDHUP) != 0 || (asked & EPOLLOUT) == 0;
    struct epoll_event event = {.events = !is_exact(item) ? all : for_end ? asked | EPOLLIN : asked,
        .data.u64 = item->instance->secret + (unsigned)item->descriptor};
    item->disabled_in_kernel = false;
    return LIBC(epoll_ctl)(item->instance->descriptor, what, item->descriptor, &event);
}

static bool make_room(struct instance *instance, unsigned descriptor) {
    unsigned count = instance->room == 0 ? 16 : instance->room;
    while (count <= descriptor) {
        count *= 2;
    }
    struct item **items = realloc(instance->items, count * sizeof(struct item *));
    if (items != NULL) {
        instance->items = items;
        memset(items + instance->room, 0, (count - instance->room) * sizeof(struct item *));
    }
    struct item **hot = realloc(instance->hot, count * sizeof(struct item *));
    if (hot != NULL) {
        instance->hot = hot;
    }
    if (items == NULL || hot == NULL) {
        return false;
    }
    instance->room = count;
    return true;
}

struct item *new_item(struct instance *instance, struct stream *stream, int descriptor) {
    struct item *made = calloc(1, sizeof *made);
    if (made == NULL || ((unsigned)descriptor >= instance->room && !make_room(instance, (unsigned)descriptor))) {
        free(made);
        return NULL;
    }
    made->stream = stream;
    made->instance = instance;
    made->descriptor = descriptor;
    hold(&stream->object);
    made->next = stream->items;
    stream->items = made;
    instance->items[descriptor] = made;
    instance->item_count++;
    return made;
}

struct stream *remove_item(struct item *item) {
    struct instance *instance = item->instance;
    struct stream *stream = item->stream;
    struct item **at = &stream->items;
    while (*at != item) {
        at = &(*at)->next;
    }
    *at = item->next;
    cool(item);
    disarm_item(item);
    instance->items[item->descriptor] = NULL;
    instance->item_count--;
    free(item);
    return stream;
}

void tell_all(struct instance *instance) {
    instance->told = true;
    for (unsigned i = 0; i < instance->room; i++) {
        struct item *item = instance->items[i];
        if (item != NULL && item->asked) {
            (void)register_item(item, EPOLL_CTL_MOD);
            heat_item(item);
        } else if (item != NULL) {
            (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, item->descriptor, NULL);
        }
    }
}

static void adopt(struct instance *instance) {
    if (instance->generation != generation()) {
        instance->generation = generation();
        instance->waited = false;
        tell_all(instance);
    }
}

void lock_instance(struct instance *instance) {
    acquire(&instance->lock);
    adopt(instance);
}

/* ---- What is ready ---- */

#define ENDS (EPOLLRDHUP | EPOLLHUP | EPOLLERR)

uint32_t item_events(struct item *item) {
    const struct stream_header *header = item->stream->header;
    const struct seen *reported = &item->reported;
    /* In this order: what happens in between is news after a report. */
    struct seen seen = {.received = atomic_load(&header->received), .fillings = atomic_load(&header->fillings)};
    seen.events = stream_events(item->stream);
    item->seen = seen;
    uint32_t events = seen.events & (item->event.events | EPOLLERR | EPOLLHUP);
    if (item->disabled || (item->event.events & EPOLLET) == 0 || item->fresh || events == 0) {
        return item->disabled ? 0 : events;
    }
    bool in = seen.received != reported->received && (events & EPOLLIN) != 0;
    bool out = seen.fillings != reported->fillings && (events & EPOLLOUT) != 0;
    return in || out || ((seen.events ^ reported->events) & ENDS) != 0 ? events : 0;
}

void note_report(struct item *item) {
    uint32_t fillings = item->reported.fillings;
    item->reported = item->seen;
    if ((item->seen.events & EPOLLOUT) == 0) {
        item->reported.fillings = fillings;  /* that there is room again is still to be reported */
    }
    item->fresh = false;
    item->turn = item->instance->turn;
    item->disabled = (item->event.events & EPOLLONESHOT) != 0;
}

bool is_of_stream(const struct item *item) {
    return names(item->descriptor, &item->stream->object);
}

bool is_changing(const struct stream *stream) {
    return has_moved(stream) || (stream->fallback >= 0 && is_dead(stream));
}

static bool has_message(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

bool watch_item(struct item *item, bool again) {
    struct stream *stream = item->stream;
    /* What has been reported by its edge is no news, and another message would be another edge. */
    bool tell = again && item_events(item) != 0, told = tell && has_message(item->descriptor);
    arm(item, tell && !told);
    if ((item->event.events & EPOLLOUT) != 0 && !is_writable(stream) && !is_connecting(stream)) {
        arm_out(stream, item->descriptor, false);
    }
    if (item->disabled_in_kernel || told) {
        (void)register_item(item, EPOLL_CTL_MOD);
    }
    return is_changing(stream) || item_events(item) != 0;
}
