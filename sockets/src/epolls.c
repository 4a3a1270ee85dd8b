#include "epolls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "listening.h"
#include "settings.h"
#include "stream.h"
#include "wait.h"

/* How many waits may go by without a look at the kernel's descriptors while rddp's are ready. */
#define KERNEL_EVERY 4u

struct item {
    struct watch watch;  /* first; of a socket, or of an instance within this one */
    struct instance *instance;
    int descriptor;
    struct epoll_event event;
    bool disabled;  /* EPOLLONESHOT has been reported */
    bool queued;
    struct item *next;         /* of the queue */
    struct item *next_item;    /* of the instance */
};

struct instance {
    struct sock sock;  /* first; threads that wait, and instances that it is in, watch it */
    unsigned turns;
    int waker;  /* an eventfd that makes threads leave the kernel; -1 when none has to */
    struct item *items;
    struct item *first, *last;
};

/*
 * Of each descriptor of an instance, for a look without the lock: OWN once the instance has had an item, so that threads
 * wait here; and how many threads wait in the kernel.
 */
static _Atomic uint32_t waits[MAX_DESCRIPTORS];
#define OWN 1u
#define A_THREAD 2u

/* Its address marks the event of a waker. */
static char waker_mark;

static struct instance *instance_at(int epoll) {
    struct sock *sock = sock_at(epoll);
    return sock != NULL && sock->stage == STAGE_EPOLL ? (struct instance *)sock : NULL;
}

void add_epoll(int epoll) {
    struct instance *made = epoll < MAX_DESCRIPTORS ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        return;
    }
    made->sock.stage = STAGE_EPOLL;
    made->waker = -1;
    atomic_fetch_and(&waits[epoll], ~OWN);
    name(&made->sock, epoll);
}

/* ---- Waits in the kernel ---- */

bool enter_kernel(int epoll) {
    if ((atomic_load(&waits[epoll]) & OWN) != 0) {
        return false;
    }
    bool entered = (atomic_fetch_add(&waits[epoll], A_THREAD) & OWN) == 0;
    if (!entered) {
        leave_kernel(epoll, NULL, 0);
    }
    return entered;
}

static void remove_waker(struct instance *instance) {
    if (instance->waker >= 0) {
        LIBC(epoll_ctl)(instance->sock.descriptor, EPOLL_CTL_DEL, instance->waker, NULL);
        close(instance->waker);
        instance->waker = -1;
    }
}

/* The waker may be one of another process, which has the instance since a fork(2). */
static int without_waker(struct epoll_event *events, int count) {
    int kept = count < 0 ? count : 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr != &waker_mark) {
            events[kept++] = events[i];
        }
    }
    return kept;
}

int leave_kernel(int epoll, struct epoll_event *events, int count) {
    uint32_t before = atomic_fetch_sub(&waits[epoll], A_THREAD);
    if (before == (OWN | A_THREAD)) {
        int error = errno;
        lock_engine();
        struct instance *instance = instance_at(epoll);
        if (instance != NULL) {
            remove_waker(instance);
        }
        unlock_engine();
        errno = error;
    }
    return without_waker(events, count);
}

/* Lets threads wait here, those too that wait in the kernel. */
static void take_over(struct instance *instance, int epoll) {
    uint32_t before = atomic_fetch_or(&waits[epoll], OWN);
    if ((before & OWN) == 0 && before >= A_THREAD) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &waker_mark};
        instance->waker = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        if (instance->waker < 0 || LIBC(epoll_ctl)(epoll, EPOLL_CTL_ADD, instance->waker, &event) != 0) {
            sockets_log("a thread that waits at an epoll instance is not woken: no descriptors");
        }
    }
}

void duplicate_epoll(int descriptor, int made) {
    struct instance *instance = instance_at(made);
    if (instance != NULL) {
        take_over(instance, descriptor);
        take_over(instance, made);
    }
}

/* ---- Items ---- */

static void queue(struct item *item) {
    struct instance *instance = item->instance;
    if (!item->queued) {
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

static void on_change(struct watch *watch) {
    struct item *item = (struct item *)watch;
    if (!item->disabled) {
        queue(item);
        sock_changed(&item->instance->sock);
    }
}

static struct item *find_item(const struct instance *instance, const struct sock *sock, int descriptor) {
    for (struct watch *watch = sock->watches; watch != NULL; watch = watch->next) {
        struct item *item = (struct item *)watch;
        if (watch->changed == on_change && item->instance == instance && item->descriptor == descriptor) {
            return item;
        }
    }
    return NULL;
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
        LIBC(epoll_ctl)(item->instance->sock.descriptor, EPOLL_CTL_DEL, item->descriptor, NULL);
        return;
    }
    LIBC(epoll_ctl)(item->instance->sock.descriptor, EPOLL_CTL_ADD, item->descriptor, &item->event);
    remove_item(item);
}

static int fails(int error) {
    errno = error;
    return -1;
}

/* NULL without memory. */
static struct item *add_item(struct instance *instance, struct sock *sock, int descriptor) {
    struct item *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->instance = instance;
    made->descriptor = descriptor;
    made->watch.changed = on_change;
    made->watch.moved = on_move;
    add_watch(sock, &made->watch);
    if (sock->stage == STAGE_LISTENING) {
        use_listener(sock);
    }
    made->next_item = instance->items;
    instance->items = made;
    take_over(instance, instance->sock.descriptor);
    return made;
}

/* Whether the kernel has an instance there, which this process has not made: one of a process before exec(2), for one. */
static bool is_instance(int epoll, int stream) {
    struct epoll_event none = {.events = 0};
    return LIBC(epoll_ctl)(epoll, EPOLL_CTL_MOD, stream, &none) == 0 || errno == ENOENT;
}

int control_epoll(int epoll, int what, struct sock *sock, int descriptor, const struct epoll_event *event) {
    struct epoll_event copy = {.events = 0};
    if (event != NULL) {
        copy = *event;
    } else if (what != EPOLL_CTL_DEL) {
        return fails(EFAULT);
    }
    struct instance *instance = instance_at(epoll);
    struct item *item = instance == NULL ? NULL : find_item(instance, sock, descriptor);
    /* The kernel checks the arguments, and has what is not rddp's alone. */
    if (!is_stream(sock)) {
        if (LIBC(epoll_ctl)(epoll, what, descriptor, &copy) != 0) {
            return -1;
        }
    } else if (instance == NULL && !is_instance(epoll, descriptor)) {
        return -1;
    } else if (what < EPOLL_CTL_ADD || what > EPOLL_CTL_MOD) {
        return fails(EINVAL);
    } else if ((item != NULL) == (what == EPOLL_CTL_ADD)) {
        return fails(item != NULL ? EEXIST : ENOENT);
    }
    if (what == EPOLL_CTL_DEL) {
        if (item != NULL) {
            remove_item(item);
        }
        return 0;
    }
    if (instance == NULL) {
        add_epoll(epoll);
        instance = instance_at(epoll);
    }
    if (item == NULL && instance != NULL) {
        item = add_item(instance, sock, descriptor);
    }
    if (item == NULL) {
        return fails(ENOMEM);
    }
    item->event = copy;
    item->disabled = false;
    on_change(&item->watch);
    return 0;
}

static uint32_t events_of(const struct item *item) {
    return ready_events(item->watch.sock) & (item->event.events | EPOLLERR | EPOLLHUP);
}

/* Whether a wait would report something. What it would drop goes, so that it is not looked at again. */
static bool has_events(struct instance *instance) {
    while (instance->first != NULL && events_of(instance->first) == 0) {
        dequeue(instance);
    }
    return instance->first != NULL;
}

uint32_t ready_events(struct sock *sock) {
    switch (sock->stage) {
        case STAGE_CONNECTING:
        case STAGE_CONNECTED: return (uint16_t)stream_events(sock);
        case STAGE_LISTENING: return sock->first_ready != NULL ? EPOLLIN | EPOLLRDNORM : 0;
        case STAGE_EPOLL: return has_events((struct instance *)sock) ? EPOLLIN | EPOLLRDNORM : 0;
        default: return 0;
    }
}

/* ---- Waits ---- */

/* A wait of epoll. */
struct collection {
    struct watch watch;  /* first; of the instance */
    struct sleeper *sleeper;
    struct epoll_event *events;
    int max, count;
};

static void wake_collection(struct watch *watch) {
    wake(((struct collection *)watch)->sleeper);
}

static bool collect(void *argument) {
    struct collection *collection = argument;
    struct instance *instance = (struct instance *)collection->watch.sock;
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
    return collection->count > 0 || instance->sock.descriptors == 0;
}

static void end_wait(void *argument) {
    remove_watch(&((struct collection *)argument)->watch);
}

int wait_epoll(int epoll, struct epoll_event *events, int max, uint64_t deadline, const sigset_t *mask) {
    struct instance *instance = instance_at(epoll);
    struct sleeper *sleeper = own_sleeper();
    if (instance == NULL || sleeper == NULL || max <= 0) {
        return fails(max <= 0 ? EINVAL : EBADF);
    }
    struct collection collection = {.watch = {.changed = wake_collection}, .sleeper = sleeper, .events = events, .max = max};
    add_watch(&instance->sock, &collection.watch);
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
            found = without_waker(events + collection.count, found);
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

static void close_instance(struct instance *instance) {
    while (instance->items != NULL) {
        remove_item(instance->items);
    }
    if (instance->waker >= 0) {
        close(instance->waker);
        instance->waker = -1;
    }
}

void leave_epolls(struct sock *sock) {
    struct watch *next;
    for (struct watch *watch = sock->watches; watch != NULL; watch = next) {
        next = watch->next;
        if (watch->changed == on_change) {
            remove_item((struct item *)watch);
        }
    }
    if (sock->stage == STAGE_EPOLL) {
        close_instance((struct instance *)sock);
    }
}

static void forget_instance(struct sock *sock, int descriptor) {
    if (sock->stage == STAGE_EPOLL) {
        close_instance((struct instance *)sock);
        waits[descriptor] = sock->descriptors > 1 ? OWN : 0;  /* see duplicate_epoll() */
    }
}

void forget_epolls(void) {
    for_each_sock(forget_instance);
}
