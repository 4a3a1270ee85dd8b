#include "epolls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "listening.h"
#include "stream.h"
#include "wait.h"

/* How many waits may go by without a look at the kernel's descriptors while rddp's are ready. */
#define KERNEL_EVERY 4u

struct item {
    struct watch watch;  /* first */
    struct instance *instance;
    int descriptor;
    struct epoll_event event;
    bool disabled;  /* EPOLLONESHOT has been reported */
    bool queued;
    struct item *next;         /* of the queue */
    struct item *next_item;    /* of the instance */
};

struct waiting {
    struct sleeper *sleeper;
    struct waiting *next;
};

struct instance {
    int descriptor;
    unsigned uses;  /* threads that wait */
    unsigned turns;
    bool closed;
    struct item *items;
    struct item *first, *last;
    struct waiting *waiting;
    struct instance *next;
};

static struct instance *instances;
/* Bits of descriptors that have an instance, for a look without the lock. */
static _Atomic uint8_t has_instance[MAX_DESCRIPTORS];

bool has_socks(int epoll) {
    return epoll >= 0 && epoll < MAX_DESCRIPTORS && atomic_load_explicit(&has_instance[epoll], memory_order_acquire);
}

static struct instance *find_instance(int epoll) {
    struct instance *instance = instances;
    while (instance != NULL && (instance->closed || instance->descriptor != epoll)) {
        instance = instance->next;
    }
    return instance;
}

static struct instance *make_instance(int epoll) {
    struct instance *made = epoll < MAX_DESCRIPTORS ? calloc(1, sizeof *made) : NULL;
    if (made != NULL) {
        made->descriptor = epoll;
        made->next = instances;
        instances = made;
        has_instance[epoll] = true;
    }
    return made;
}

static struct item *find_item(const struct instance *instance, int descriptor) {
    struct item *item = instance->items;
    while (item != NULL && item->descriptor != descriptor) {
        item = item->next_item;
    }
    return item;
}

static void queue(struct item *item) {
    struct instance *instance = item->instance;
    if (!item->queued && !item->disabled) {
        item->queued = true;
        item->next = NULL;
        *(instance->last == NULL ? &instance->first : &instance->last->next) = item;
        instance->last = item;
    }
}

static struct item *dequeue(struct instance *instance) {
    struct item *item = instance->first;
    instance->first = item->next;
    if (instance->first == NULL) {
        instance->last = NULL;
    }
    item->queued = false;
    return item;
}

static void wake_waiting(struct instance *instance) {
    for (struct waiting *waiting = instance->waiting; waiting != NULL; waiting = waiting->next) {
        wake(waiting->sleeper);
    }
}

static void on_change(struct watch *watch) {
    struct item *item = (struct item *)watch;
    queue(item);
    wake_waiting(item->instance);
}

static void remove_item(struct item *item) {
    struct instance *instance = item->instance;
    for (struct item **at = &instance->items; *at != NULL; at = &(*at)->next_item) {
        if (*at == item) {
            *at = item->next_item;
            break;
        }
    }
    if (item->queued) {
        struct item *before = NULL, *at = instance->first;
        while (at != item) {
            before = at;
            at = at->next;
        }
        *(before == NULL ? &instance->first : &before->next) = item->next;
        if (instance->last == item) {
            instance->last = before;
        }
    }
    remove_watch(&item->watch);
    free(item);
}

static void on_move(struct watch *watch, bool to_kernel) {
    struct item *item = (struct item *)watch;
    if (!to_kernel) {
        LIBC(epoll_ctl)(item->instance->descriptor, EPOLL_CTL_DEL, item->descriptor, NULL);
        return;
    }
    LIBC(epoll_ctl)(item->instance->descriptor, EPOLL_CTL_ADD, item->descriptor, &item->event);
    remove_item(item);
}

static int fails(int error) {
    errno = error;
    return -1;
}

static int add_item(struct instance *instance, struct sock *sock, int descriptor, const struct epoll_event *event) {
    struct item *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fails(ENOMEM);
    }
    made->instance = instance;
    made->descriptor = descriptor;
    made->event = *event;
    made->watch.changed = on_change;
    made->watch.moved = on_move;
    add_watch(sock, &made->watch);
    if (sock->stage == STAGE_LISTENING) {
        use_listener(sock);
    }
    made->next_item = instance->items;
    instance->items = made;
    on_change(&made->watch);
    return 0;
}

int control_epoll(int epoll, int what, struct sock *sock, int descriptor, const struct epoll_event *event) {
    /* The kernel checks the arguments, and has what is not rddp's alone. */
    struct epoll_event copy = {.events = 0};
    if (event != NULL) {
        copy = *event;
    } else if (what != EPOLL_CTL_DEL) {
        return fails(EFAULT);
    }
    if (!is_stream(sock) && LIBC(epoll_ctl)(epoll, what, descriptor, &copy) != 0) {
        return -1;
    }
    struct instance *instance = find_instance(epoll);
    if (instance == NULL) {
        instance = make_instance(epoll);
        if (instance == NULL) {
            return fails(ENOMEM);
        }
    }
    struct item *item = find_item(instance, descriptor);
    if (item != NULL && item->watch.sock != sock) {
        remove_item(item);
        item = NULL;
    }
    switch (what) {
        case EPOLL_CTL_ADD: return item != NULL ? fails(EEXIST) : add_item(instance, sock, descriptor, event);
        case EPOLL_CTL_MOD:
            if (item == NULL) {
                return fails(ENOENT);
            }
            item->event = *event;
            item->disabled = false;
            on_change(&item->watch);
            return 0;
        case EPOLL_CTL_DEL:
            if (item == NULL) {
                return fails(ENOENT);
            }
            remove_item(item);
            return 0;
        default: return fails(EINVAL);
    }
}

static uint32_t events_of(const struct item *item) {
    const struct sock *sock = item->watch.sock;
    uint32_t events = 0;
    if (is_stream(sock)) {
        events = (uint16_t)stream_events(sock);
    } else if (sock->stage == STAGE_LISTENING) {
        events = sock->first_ready != NULL ? EPOLLIN | EPOLLRDNORM : 0;
    }
    return events & (item->event.events | EPOLLERR | EPOLLHUP);
}

/* A wait of epoll. */
struct collection {
    struct instance *instance;
    struct epoll_event *events;
    int max, count;
    struct waiting waiting;
};

static bool collect(void *argument) {
    struct collection *collection = argument;
    struct instance *instance = collection->instance;
    /* Those that stay are behind this one. */
    struct item *last = instance->last, *item = NULL;
    while (instance->first != NULL && collection->count < collection->max && item != last) {
        item = dequeue(instance);
        uint32_t events = events_of(item);
        if (events == 0) {
            continue;
        }
        collection->events[collection->count++] = (struct epoll_event){.events = events, .data = item->event.data};
        if ((item->event.events & EPOLLONESHOT) != 0) {
            item->disabled = true;
        } else if ((item->event.events & EPOLLET) == 0) {
            queue(item);
        }
    }
    return collection->count > 0 || instance->closed;
}

static void free_instance(struct instance *instance) {
    struct instance **at = &instances;
    while (*at != instance) {
        at = &(*at)->next;
    }
    *at = instance->next;
    free(instance);
}

static void end_wait(void *argument) {
    struct collection *collection = argument;
    struct instance *instance = collection->instance;
    struct waiting **at = &instance->waiting;
    while (*at != &collection->waiting) {
        at = &(*at)->next;
    }
    *at = collection->waiting.next;
    if (--instance->uses == 0 && instance->closed) {
        free_instance(instance);
    }
}

int wait_epoll(int epoll, struct epoll_event *events, int max, uint64_t deadline, const sigset_t *mask) {
    struct instance *instance = find_instance(epoll);
    struct sleeper *sleeper = own_sleeper();
    if (instance == NULL || sleeper == NULL || max <= 0) {
        return fails(max <= 0 ? EINVAL : EBADF);
    }
    struct collection collection = {.instance = instance, .events = events, .max = max,
        .waiting = {.sleeper = sleeper, .next = instance->waiting}};
    instance->waiting = &collection.waiting;
    instance->uses++;
    struct pollfd kernel[1 + WAIT_EXTRA] = {{.fd = epoll, .events = POLLIN}};
    struct wait wait = {.ready = collect, .argument = &collection, .kernel = kernel, .kernel_count = 1,
        .deadline = deadline, .mask = mask, .cancelled = end_wait};
    enum wait_result result;
    int found;
    do {
        result = wait_for(&wait);
        found = 0;
        if (result == KERNEL_READY || deadline == 0 || (result == READY && ++instance->turns % KERNEL_EVERY == 0)) {
            int room = max - collection.count;
            found = room == 0 ? 0 : LIBC(epoll_pwait)(epoll, events + collection.count, room, 0, NULL);
        }
        /* Another thread may have been quicker. */
    } while (result == KERNEL_READY && found == 0);
    int error = errno;
    end_wait(&collection);
    if ((result == INTERRUPTED || found < 0) && collection.count == 0) {
        return fails(error);
    }
    return collection.count + (found > 0 ? found : 0);
}

void forget_epoll(int descriptor) {
    if (!has_socks(descriptor)) {
        return;
    }
    has_instance[descriptor] = false;
    struct instance *instance = find_instance(descriptor);
    while (instance->items != NULL) {
        remove_item(instance->items);
    }
    instance->closed = true;
    wake_waiting(instance);
    if (instance->uses == 0) {
        free_instance(instance);
    }
}

void forget_item(int descriptor) {
    for (struct instance *instance = instances; instance != NULL; instance = instance->next) {
        struct item *item = find_item(instance, descriptor);
        if (item != NULL) {
            remove_item(item);
        }
    }
}

void forget_epolls(void) {
    while (instances != NULL) {
        struct instance *instance = instances;
        instances = instance->next;
        has_instance[instance->descriptor] = false;
        while (instance->items != NULL) {
            remove_item(instance->items);
        }
        free(instance);
    }
}
