#include "epolls.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "addresses.h"
#include "bridge.h"
#include "io.h"
#include "libc.h"
#include "listening.h"
#include "locks.h"
#include "waiting.h"

/* How many waits, and turns of a look, may go by without a look at the kernel's descriptors. */
#define KERNEL_EVERY 4u
/* A stream of which nothing was reported during so many waits is left to the kernel: by a thread that sleeps, and by any. */
#define QUIET_TO_SLEEP 4u
#define QUIET 256u

/* A stream in an instance. */
struct item {
    struct stream *stream;    /* with a reference */
    struct instance *instance;
    struct item *next;        /* of the stream */
    int descriptor;
    struct epoll_event event;
    bool asked;               /* the program has added it, and not removed */
    bool hot, cools;          /* cools: it is going to be hot no more */
    bool disabled;            /* EPOLLONESHOT has been reported */
    bool disabled_in_kernel;  /* the kernel has reported it */
    bool fresh;               /* just added or changed */
    unsigned armed;           /* the generation that is among the stream's waiters for it; 0: none */
    unsigned turn;            /* of the instance, when it was last reported */
    uint64_t received;        /* when it was last reported, and so on */
    uint32_t ends, fillings;
};

/* A socket that neither is connected nor listens: it may become rddp's. */
struct plain {
    int descriptor;
    ino_t number;
    struct epoll_event event;
};

struct instance {
    struct object object;  /* first */
    int descriptor;        /* one of them */
    unsigned generation;
    struct lock lock;      /* of what follows; signals may interrupt who has it */
    uint64_t secret;       /* the datum of descriptor 0: none that a program would choose */
    struct item **items;   /* by descriptor */
    unsigned room;
    _Atomic unsigned item_count;
    struct item **hot;     /* as long as the items */
    _Atomic unsigned hot_count;
    unsigned next;         /* of the hot ones, the first to look at */
    _Atomic unsigned turn; /* counts waits */
    _Atomic bool others;   /* the kernel had something of others' in its last look */
    struct plain *plain;
    unsigned plain_count;
    _Atomic bool told;     /* the kernel knows of everything that is ready: several threads wait, or other instances look */
    _Atomic unsigned waiting;
};

static struct instance *take_instance(int epoll) {
    return (struct instance *)take(epoll, AN_EPOLL);
}

/* ---- Items; under the instance's lock ---- */

static void heat(struct item *item) {
    struct instance *instance = item->instance;
    if (!item->hot && !item->disabled) {
        item->hot = true;
        instance->hot[instance->hot_count++] = item;
    }
}

static void cool_at(struct instance *instance, unsigned index) {
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

static void disarm(struct item *item) {
    if (item->armed == generation()) {
        item->armed = 0;
        end_waiting(item->stream);
    }
    item->armed = 0;
}

static struct item *item_at(const struct instance *instance, unsigned descriptor) {
    return descriptor < instance->room ? instance->items[descriptor] : NULL;
}

static struct item *find_item(const struct instance *instance, const struct stream *stream, int descriptor) {
    struct item *item = item_at(instance, (unsigned)descriptor);
    return item != NULL && item->stream == stream ? item : NULL;
}

/* Whether the kernel has what the program asks. */
static bool is_exact(const struct item *item) {
    return item->instance->told || (item->event.events & EPOLLEXCLUSIVE) != 0;
}

/* The kernel's part of an item. It is told of octets for the sake of an end, too. */
static int register_item(struct item *item, int what) {
    uint32_t asked = item->event.events, all = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    struct epoll_event event = {.events = !is_exact(item) ? all : (asked & EPOLLRDHUP) != 0 ? asked | EPOLLIN : asked,
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

/* NULL without memory. */
static struct item *new_item(struct instance *instance, struct stream *stream, int descriptor) {
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

/* The stream's reference is the caller's to drop, without the lock. */
static struct stream *remove_item(struct item *item) {
    struct instance *instance = item->instance;
    struct stream *stream = item->stream;
    struct item **at = &stream->items;
    while (*at != item) {
        at = &(*at)->next;
    }
    *at = item->next;
    cool(item);
    disarm(item);
    instance->items[item->descriptor] = NULL;
    instance->item_count--;
    free(item);
    return stream;
}

/* From now on the kernel knows all. */
static void tell_all(struct instance *instance) {
    instance->told = true;
    for (unsigned i = 0; i < instance->room; i++) {
        struct item *item = instance->items[i];
        if (item != NULL && item->asked) {
            (void)register_item(item, EPOLL_CTL_MOD);
            heat(item);
        } else if (item != NULL) {
            (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, item->descriptor, NULL);
        }
    }
}

/* The parent's looks and sleeps are not this process's, and its instance is both's. */
static void adopt(struct instance *instance) {
    if (instance->generation != generation()) {
        instance->generation = generation();
        atomic_store(&instance->waiting, 0);
        tell_all(instance);
    }
}

static void lock_instance(struct instance *instance) {
    acquire(&instance->lock);
    adopt(instance);
}

/* ---- What is ready ---- */

#define ENDS (EPOLLRDHUP | EPOLLHUP | EPOLLERR)

/* What is to be reported; of an edge-triggered one only if it is new. */
static uint32_t events_of(const struct item *item) {
    const struct stream_header *header = item->stream->header;
    uint32_t all = stream_events(item->stream), events = all & (item->event.events | EPOLLERR | EPOLLHUP);
    if (item->disabled || (item->event.events & EPOLLET) == 0 || item->fresh || events == 0) {
        return item->disabled ? 0 : events;
    }
    bool in = atomic_load(&header->received) != item->received, out = atomic_load(&header->fillings) != item->fillings;
    return (in && (events & EPOLLIN) != 0) || (out && (events & EPOLLOUT) != 0) || (all & ENDS) != item->ends ? events : 0;
}

static void note_report(struct item *item) {
    const struct stream_header *header = item->stream->header;
    item->fresh = false;
    item->turn = item->instance->turn;
    item->received = atomic_load(&header->received);
    item->fillings = atomic_load(&header->fillings);
    item->ends = stream_events(item->stream) & ENDS;
    item->disabled = (item->event.events & EPOLLONESHOT) != 0;
}

static bool is_of_stream(const struct item *item) {
    return names(item->descriptor, &item->stream->object);
}

/* Whether the stream is to be something else at its descriptors. */
static bool changes(const struct stream *stream) {
    return has_moved(stream) || (stream->fallback >= 0 && is_dead(stream));
}

static bool has_message(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

/* Lets the kernel watch an item; whether it is ready now. */
static bool watch(struct item *item, bool again) {
    struct stream *stream = item->stream;
    /* What has been reported by its edge is no news, and another message would be another edge. */
    bool tell = again && events_of(item) != 0, told = tell && has_message(item->descriptor);
    arm(item, tell && !told);
    if ((item->event.events & EPOLLOUT) != 0 && !is_writable(stream) && !is_connecting(stream)) {
        arm_out(stream, item->descriptor, false);
    }
    if (item->disabled_in_kernel || told) {
        (void)register_item(item, EPOLL_CTL_MOD);
    }
    return changes(stream) || events_of(item) != 0;
}

static bool is_quiet(const struct item *item, unsigned waits) {
    return item->instance->turn - item->turn >= waits;
}

/*
 * Stores what is ready among the hot ones. A descriptor whose stream is to be something else is stored: then it is to be called
 * again.
 */
static int collect(struct instance *instance, struct epoll_event *events, int most, int *changed) {
    int count = 0;
    *changed = -1;
    if (instance->hot_count == 0 && instance->generation == generation()) {
        return 0;
    }
    lock_instance(instance);
    unsigned hot = instance->hot_count, first = instance->next;
    for (unsigned i = 0; i < hot && count < most && *changed < 0; i++) {
        struct item *item = instance->hot[(first + i) % hot];
        instance->next = (first + i + 1) % hot;  /* those behind it have their turn next time */
        if (changes(item->stream)) {
            *changed = item->descriptor;
            continue;
        }
        uint32_t ready = events_of(item);
        if (ready != 0 && is_of_stream(item)) {
            events[count++] = (struct epoll_event){.events = ready, .data = item->event.data};
            note_report(item);
        }
        item->cools = item->disabled
            || (ready == 0 && (item->armed == generation() || (is_quiet(item, QUIET) && !watch(item, false))));
    }
    for (unsigned i = hot; i > 0; i--) {
        if (instance->hot[i - 1]->cools) {
            instance->hot[i - 1]->cools = false;
            cool_at(instance, i - 1);
        }
    }
    release(&instance->lock);
    return count;
}

/* The kernel says that something has happened at a socket. */
static void on_hint(struct item *item, uint32_t events) {
    item->disabled_in_kernel |= (item->event.events & EPOLLONESHOT) != 0;
    if (!is_of_stream(item)) {
        return;
    }
    disarm(item);
    heat(item);
    item->turn = item->instance->turn;
    if ((events & EPOLLHUP) != 0) {
        note_hangup(item->stream);
    }
    if ((events & EPOLLIN) != 0 && !changes(item->stream) && !is_readable(item->stream, 1)) {
        drain(item->stream, item->descriptor);
    } else if ((events & EPOLLIN) != 0 && is_exact(item) && (item->event.events & EPOLLIN) == 0 && events_of(item) == 0) {
        /* It only waits for the end: the message was for octets. */
        char octet;
        (void)!recv(item->descriptor, &octet, 1, MSG_DONTWAIT);
    }
}

/* Takes the kernel's events of streams out. Returns how many are left. */
static int sort_out(struct instance *instance, struct epoll_event *events, int count) {
    int kept = count < 0 ? count : 0;
    bool locked = false;
    for (int i = 0; i < count; i++) {
        uint64_t descriptor = events[i].data.u64 - instance->secret;
        if (descriptor >= MAX_DESCRIPTORS) {
            events[kept++] = events[i];
            continue;
        }
        if (!locked) {
            lock_instance(instance);
            locked = true;
        }
        struct item *item = item_at(instance, (unsigned)descriptor);
        if (item != NULL) {
            on_hint(item, events[i].events);
        }
    }
    if (locked) {
        int error = errno;
        release(&instance->lock);
        errno = error;
    }
    return kept;
}

/* Before a sleep: the kernel watches all. False if something is ready. */
static bool watch_all(struct instance *instance) {
    bool ready = false;
    lock_instance(instance);
    for (unsigned i = instance->hot_count; i > 0 && !ready; i--) {
        struct item *item = instance->hot[i - 1];
        ready = is_of_stream(item) && watch(item, false);
        if (!ready && (instance->told || is_quiet(item, QUIET_TO_SLEEP))) {
            cool_at(instance, i - 1);
        }
    }
    release(&instance->lock);
    return !ready;
}

/* After a sleep: of the hot ones the kernel is to say nothing. */
static void unwatch_hot(struct instance *instance) {
    lock_instance(instance);
    for (unsigned i = 0; i < instance->hot_count && !instance->told; i++) {
        if (!is_exact(instance->hot[i])) {
            disarm(instance->hot[i]);
        }
    }
    release(&instance->lock);
}

static void begin_telling(struct instance *instance) {
    if (!instance->told) {
        lock_instance(instance);
        tell_all(instance);
        release(&instance->lock);
    }
}

/* After a look, where the kernel has to know everything: others may look while this thread is away. */
static void tell_of_all(struct instance *instance, bool again) {
    lock_instance(instance);
    for (unsigned i = 0; i < instance->hot_count; i++) {
        if (is_of_stream(instance->hot[i])) {
            (void)watch(instance->hot[i], again);
        }
    }
    release(&instance->lock);
}

void tell_kernel(int epoll) {
    struct instance *instance = take_instance(epoll);
    if (instance != NULL) {
        begin_telling(instance);
        tell_of_all(instance, true);
        put(&instance->object);
    }
}

/* ---- Waits ---- */

/* A thread can be cancelled in it, which AddressSanitizer does not see. */
__attribute__((no_sanitize_address)) static int ask_kernel(const struct epoll_wait *wait, struct epoll_event *events, int most, uint64_t deadline) {
    if (wait->by_nanos) {
        struct timespec time = time_until(deadline);
        return LIBC(epoll_pwait2)(wait->epoll, events, most, deadline == FOREVER ? NULL : &time, wait->mask);
    }
    if (wait->simple) {
        return LIBC(epoll_wait)(wait->epoll, events, most, ms_until(deadline));
    }
    return LIBC(epoll_pwait)(wait->epoll, events, most, ms_until(deadline), wait->mask);
}

/* What is ready now: of streams, and, if it is their turn or `kernel`, of the kernel's. */
static int look(struct instance *instance, const struct epoll_wait *wait, bool kernel) {
    int found = 0, changed, hot;
    if (kernel) {
        found = sort_out(instance, wait->events, ask_kernel(wait, wait->events, wait->most, 0));
        atomic_store_explicit(&instance->others, found > 0, memory_order_relaxed);
        if (found < 0 || found == wait->most) {
            return found;
        }
    }
    do {
        hot = collect(instance, wait->events + found, wait->most - found, &changed);
        found += hot;
        if (changed >= 0) {
            struct stream *stream = current_stream(changed);
            if (stream != NULL) {
                put_stream(stream);
            }
        }
    } while (changed >= 0 && hot == 0);
    return found;
}

static int wait_instance(struct instance *instance, const struct epoll_wait *wait) {
    unsigned turn = atomic_load_explicit(&instance->turn, memory_order_relaxed) + 1;
    atomic_store_explicit(&instance->turn, turn, memory_order_relaxed);
    bool kernel = turn % KERNEL_EVERY == 0 || wait->deadline == 0 || instance->told || instance->others || instance->hot_count == 0;
    int found = look(instance, wait, kernel);
    if (found > 0) {
        note_work();
    }
    for (;;) {
        if (found != 0 || wait->deadline == 0) {
            return found;
        }
        struct spin spin = begin_spin(instance->told || instance->hot_count == 0 ? 0 : wait->deadline);
        while (found == 0 && look_again(&spin)) {
            found = look(instance, wait, spin.turn % KERNEL_EVERY == 1);
        }
        if (found > 0) {
            note_activity(&spin);
        }
        if (found != 0) {
            return found;
        }
        if (watch_all(instance)) {
            found = ask_kernel(wait, wait->events, wait->most, wait->deadline);
            if (found > 0) {
                found = sort_out(instance, wait->events, found);
                note_activity(&spin);
            } else if (found < 0 || instance->told) {
                return found;
            }
        }
        if (!instance->told) {
            int error = errno;
            unwatch_hot(instance);
            errno = error;
            if (found < 0) {
                return found;
            }
        }
        if (found < wait->most) {
            struct epoll_wait rest = *wait;
            rest.events += found;
            rest.most -= found;
            found += look(instance, &rest, false);
        }
        if (found == 0 && wait->deadline != FOREVER && now() >= wait->deadline) {
            return 0;
        }
    }
}

/* A wait ends, or its thread is cancelled. */
static void leave_wait(void *argument) {
    struct instance *instance = argument;
    int error = errno;
    atomic_fetch_sub(&instance->waiting, 1);
    if (instance->told && instance->hot_count > 0) {
        tell_of_all(instance, false);
    }
    put(&instance->object);
    errno = error;
}

int wait_epoll(const struct epoll_wait *wait) {
    struct instance *instance = is_named(wait->epoll) ? take_instance(wait->epoll) : NULL;
    if (instance == NULL || wait->most <= 0 || wait->events == NULL) {
        if (instance != NULL) {
            put(&instance->object);
        }
        return ask_kernel(wait, wait->events, wait->most, wait->deadline);
    }
    /* Of several threads, one does not know what another one looks at. */
    if (atomic_fetch_add(&instance->waiting, 1) > 0) {
        begin_telling(instance);
    }
    int found;
    pthread_cleanup_push(leave_wait, instance);
    found = instance->item_count == 0 ? sort_out(instance, wait->events, ask_kernel(wait, wait->events, wait->most, wait->deadline))
                                      : wait_instance(instance, wait);
    if (found == 0 && wait->deadline != 0 && instance->item_count > 0 && (wait->deadline == FOREVER || now() < wait->deadline)) {
        found = wait_instance(instance, wait);  /* the first item has come meanwhile */
    }
    pthread_cleanup_pop(1);
    return found;
}

/* ---- epoll_ctl ---- */

void add_epoll(int epoll) {
    lock_library();
    struct instance *made = (struct instance *)new_object(AN_EPOLL);
    if (made != NULL) {
        made->descriptor = epoll;
        made->generation = generation();
        if (getrandom(&made->secret, sizeof made->secret, GRND_NONBLOCK) != sizeof made->secret) {
            made->secret = now() * 0x9e3779b97f4a7c15u;
        }
        made->secret &= ~(uint64_t)(MAX_DESCRIPTORS - 1);
        name(&made->object, epoll);
        put(&made->object);
    }
    unlock_library();
}

/* Whether somebody may sleep in the kernel's wait, or look there. */
static bool has_watchers(const struct instance *instance) {
    return instance->told || atomic_load(&instance->waiting) > 0;
}

static void ask(struct item *item, const struct epoll_event *event) {
    item->event = *event;
    item->asked = true;
    item->disabled = false;
    item->fresh = true;
    item->turn = item->instance->turn;
    heat(item);
}

/* The event is the program's. */
static int change_item(struct instance *instance, struct item *item, int what, const struct epoll_event *event) {
    struct epoll_event before = item->event;
    item->event = *event;
    if (register_item(item, what) != 0) {
        item->event = before;
        return -1;
    }
    ask(item, event);
    if (has_watchers(instance)) {
        (void)watch(item, true);
    }
    return 0;
}

/* What the kernel need not know, since it does not say what is asked anyway. False: it is to be asked. */
static bool control_quietly(struct instance *instance, int what, const struct stream *stream, int descriptor, const struct epoll_event *event) {
    lock_instance(instance);
    struct item *item = find_item(instance, stream, descriptor);
    bool known = item != NULL && !has_watchers(instance) && !is_exact(item);
    bool removes = known && what == EPOLL_CTL_DEL && item->asked;
    bool changes_it = known && what == (item->asked ? EPOLL_CTL_MOD : EPOLL_CTL_ADD)
        && (event->events & (EPOLLEXCLUSIVE | EPOLLWAKEUP)) == 0;
    if (removes) {
        item->asked = false;
        item->disabled = true;
    } else if (changes_it) {
        ask(item, event);
    }
    release(&instance->lock);
    return removes || changes_it;
}

static int control_stream(struct instance *instance, int what, struct stream *stream, int descriptor, const struct epoll_event *event) {
    if (control_quietly(instance, what, stream, descriptor, event)) {
        return 0;
    }
    struct stream *dropped = NULL, *replaced = NULL;
    lock_library();
    lock_instance(instance);
    struct item *item = find_item(instance, stream, descriptor);
    bool asked = item != NULL && item->asked;
    if (item != NULL && !asked) {
        (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, descriptor, NULL);
        replaced = remove_item(item);
    }
    int result;
    if (what == EPOLL_CTL_DEL && asked) {
        result = LIBC(epoll_ctl)(instance->descriptor, what, descriptor, NULL);
        dropped = remove_item(item);
    } else if (what == EPOLL_CTL_MOD && asked) {
        result = change_item(instance, item, what, event);
    } else if (what == EPOLL_CTL_ADD && !asked) {
        if (item_at(instance, (unsigned)descriptor) != NULL) {
            replaced = remove_item(item_at(instance, (unsigned)descriptor));  /* its descriptor has been closed */
        }
        item = new_item(instance, stream, descriptor);
        result = item == NULL ? fails(ENOMEM) : change_item(instance, item, what, event);
        if (item != NULL && result != 0) {
            dropped = remove_item(item);
        }
    } else {
        result = fails(what == EPOLL_CTL_ADD ? EEXIST : what == EPOLL_CTL_MOD || what == EPOLL_CTL_DEL ? ENOENT : EINVAL);
    }
    int error = errno;
    release(&instance->lock);
    unlock_library();
    if (replaced != NULL) {
        put_stream(replaced);
    }
    if (dropped != NULL) {
        put_stream(dropped);
    }
    errno = error;
    return result;
}

/* The channel is beside the kernel's socket, with the same datum. */
static int control_listener(int epoll, int what, const struct listener *listener, int descriptor, const struct epoll_event *event) {
    static const struct epoll_event none = {.events = 0};
    struct epoll_event copy = event == NULL ? none : *event;
    int result = LIBC(epoll_ctl)(epoll, what, descriptor, event == NULL ? NULL : &copy);
    if (result == 0) {
        int error = errno;
        (void)LIBC(epoll_ctl)(epoll, what, listener->channel, &copy);
        errno = error;
    }
    return result;
}

/* ---- Sockets that may become rddp's ---- */

static ino_t number_of(int descriptor) {
    struct stat now_at;
    return syscall(SYS_fstat, descriptor, &now_at) == 0 ? now_at.st_ino : 0;
}

static struct plain *find_plain(const struct instance *instance, int descriptor) {
    for (unsigned i = 0; i < instance->plain_count; i++) {
        if (instance->plain[i].descriptor == descriptor) {
            return &instance->plain[i];
        }
    }
    return NULL;
}

/* The kernel has done what was asked. */
static void note_plain(struct instance *instance, int what, int descriptor, const struct epoll_event *event) {
    lock_library();
    lock_instance(instance);
    struct plain *plain = find_plain(instance, descriptor);
    if (plain != NULL && (what == EPOLL_CTL_DEL || !is_unconnected(descriptor))) {
        *plain = instance->plain[--instance->plain_count];
    } else if (what != EPOLL_CTL_DEL && event != NULL && is_unconnected(descriptor)) {
        if (plain == NULL) {
            struct plain *more = realloc(instance->plain, (instance->plain_count + 1) * sizeof *more);
            if (more != NULL) {
                instance->plain = more;
                plain = &more[instance->plain_count++];
            }
        }
        if (plain != NULL) {
            *plain = (struct plain){.descriptor = descriptor, .number = number_of(descriptor), .event = *event};
        }
    }
    release(&instance->lock);
    unlock_library();
}

int control_epoll(int epoll, int what, int descriptor, const struct epoll_event *event) {
    struct stream *stream = is_named(descriptor) ? current_stream(descriptor) : NULL;
    struct instance *instance = take_instance(epoll);
    int result;
    if (stream != NULL && stream->origin == NULL && instance == NULL) {
        /* One of a program before this one; or none at all. */
        struct epoll_event none = {.events = 0};
        if (LIBC(epoll_ctl)(epoll, EPOLL_CTL_MOD, descriptor, &none) != 0 && errno == ENOENT) {
            add_epoll(epoll);
            instance = take_instance(epoll);
        }
    }
    if (stream != NULL && stream->origin == NULL && instance != NULL && descriptor != epoll) {
        result = event == NULL && what != EPOLL_CTL_DEL ? fails(EFAULT) : control_stream(instance, what, stream, descriptor, event);
    } else {
        struct listener *listener = stream != NULL ? NULL : take_listener(descriptor);
        static const struct epoll_event none = {.events = 0};
        struct epoll_event copy = event == NULL ? none : *event;
        if (listener != NULL) {
            result = control_listener(epoll, what, listener, descriptor, event);
            put_listener(listener);
        } else {
            if (is_named(descriptor) && what == EPOLL_CTL_ADD) {
                tell_kernel(descriptor);
            }
            result = LIBC(epoll_ctl)(epoll, what, descriptor, event == NULL ? NULL : &copy);
            if (result == 0 && instance != NULL && stream == NULL && (what == EPOLL_CTL_ADD || instance->plain_count > 0)) {
                note_plain(instance, what, descriptor, event);
            }
        }
    }
    int error = errno;
    if (instance != NULL) {
        put(&instance->object);
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    errno = error;
    return result;
}

static void add_channel(struct object *object, int epoll, void *argument) {
    struct instance *instance = (struct instance *)object;
    const struct plain *made = argument;
    lock_instance(instance);
    struct plain *plain = epoll == instance->descriptor ? find_plain(instance, made->descriptor) : NULL;
    if (plain != NULL && plain->number == number_of(plain->descriptor)) {
        (void)LIBC(epoll_ctl)(epoll, EPOLL_CTL_ADD, made->event.data.fd, &plain->event);
        *plain = instance->plain[--instance->plain_count];
    }
    release(&instance->lock);
}

/* Its socket was in instances before it listened. */
static void enter_channel(const struct listener *listener, int descriptor) {
    struct plain made = {.descriptor = descriptor, .event.data.fd = listener->channel};
    lock_library();
    for_each(AN_EPOLL, add_channel, &made);
    unlock_library();
}

/* ---- Another file at a descriptor ---- */

/* Entries of instances to be made again, under the library's lock. */
static struct {
    struct instance *instance;
    struct epoll_event event;
} moving[16];
static unsigned moving_count;

struct departure {
    struct stream *stream;
    int descriptor;
    struct stream *dropped;
    bool moves;
};

static void depart(struct object *object, int epoll, void *argument) {
    struct departure *departure = argument;
    struct instance *instance = (struct instance *)object;
    (void)epoll;
    if (epoll != instance->descriptor) {
        return;
    }
    lock_instance(instance);
    struct item *item = find_item(instance, departure->stream, departure->descriptor);
    struct plain *plain = departure->moves ? find_plain(instance, departure->descriptor) : NULL;
    bool is_plain = plain != NULL && plain->number == number_of(departure->descriptor);
    if (item != NULL || is_plain) {
        if (departure->moves && (item == NULL || item->asked) && moving_count < sizeof moving / sizeof moving[0]) {
            moving[moving_count].instance = instance;
            moving[moving_count++].event = item != NULL ? item->event : plain->event;
            hold(&instance->object);
        }
        (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, departure->descriptor, NULL);
        departure->dropped = item != NULL ? remove_item(item) : NULL;
    }
    if (plain != NULL) {
        *plain = instance->plain[--instance->plain_count];
    }
    release(&instance->lock);
    if (departure->dropped != NULL) {
        put_stream(departure->dropped);
        departure->dropped = NULL;
    }
}

static void leave_instances(struct stream *stream, int descriptor) {
    struct departure departure = {.stream = stream, .descriptor = descriptor, .moves = true};
    lock_library();
    moving_count = 0;
    for_each(AN_EPOLL, depart, &departure);
    unlock_library();
}

static void enter_instances(struct stream *stream, int descriptor) {
    (void)stream;
    lock_library();
    unsigned count = moving_count;
    moving_count = 0;
    for (unsigned i = 0; i < count; i++) {
        (void)control_epoll(moving[i].instance->descriptor, EPOLL_CTL_ADD, descriptor, &moving[i].event);
        put(&moving[i].instance->object);
    }
    unlock_library();
}

/* A descriptor of a stream is closed: the kernel would go on with the socket if another process has it, too. */
static void forget_stream(struct stream *stream, int descriptor) {
    if (stream->items == NULL || !is_own_process()) {
        return;
    }
    struct departure departure = {.stream = stream, .descriptor = descriptor};
    lock_library();
    for_each(AN_EPOLL, depart, &departure);
    unlock_library();
}

/* ---- The end of an instance ---- */

static void find_descriptor(struct object *object, int descriptor, void *argument) {
    if (object == argument) {
        ((struct instance *)object)->descriptor = descriptor;
    }
}

static void forget_instance(struct object *object, int descriptor) {
    struct instance *instance = (struct instance *)object;
    if (instance->descriptor == descriptor && atomic_load(&object->descriptors) > 0) {
        lock_library();
        for_each(AN_EPOLL, find_descriptor, object);
        unlock_library();
    }
}

static void end_instance(struct object *object) {
    struct instance *instance = (struct instance *)object;
    for (unsigned i = 0; i < instance->room; i++) {
        if (instance->items[i] != NULL) {
            lock_library();
            struct stream *dropped = remove_item(instance->items[i]);
            unlock_library();
            put_stream(dropped);
        }
    }
    free(instance->items);
    free(instance->hot);
    free(instance->plain);
}

__attribute__((constructor(101))) static void prepare(void) {
    static const struct functions functions = {.size = sizeof(struct instance), .is_settled = is_always_settled, .forget = forget_instance, .end = end_instance};
    set_functions(AN_EPOLL, &functions);
    before_replacing = leave_instances;
    after_replacing = enter_instances;
    stream_forgotten = forget_stream;
    listener_made = enter_channel;
}
