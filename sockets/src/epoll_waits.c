#include "epoll_waits.h"

#include <errno.h>

#include "epoll_items.h"
#include "io.h"
#include "libc.h"
#include "waiting.h"

/* How many waits, and turns of a look, may go by without a look at the kernel's descriptors. */
#define KERNEL_EVERY 4u
/* A stream of which nothing was reported during so many waits is left to the kernel: by a thread that sleeps, and by any. */
#define QUIET_TO_SLEEP 4u
#define QUIET 256u

#define INLINE __attribute__((always_inline)) static inline
/* A thread can be cancelled in it, which AddressSanitizer does not see. */
#ifdef __SANITIZE_ADDRESS__
#define KERNEL_CALL __attribute__((no_sanitize_address)) static
#else
#define KERNEL_CALL INLINE
#endif

/* What the kernel is asked. */
struct epoll_wait {
    int epoll;
    struct epoll_event *events;
    int most;
    uint64_t deadline;
    const sigset_t *mask;
    enum epoll_call call;
};

/* ---- Looks ---- */

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
    unsigned hot = instance->hot_count, at = instance->next;
    for (unsigned i = 0; i < hot && count < most && *changed < 0; i++) {
        at = at < hot ? at : 0;  /* without a division, which takes longer than all else here */
        struct item *item = instance->hot[at++];
        instance->next = at;  /* those behind it have their turn next time */
        if (is_changing(item->stream)) {
            *changed = item->descriptor;
            continue;
        }
        uint32_t ready = item_events(item);
        if (ready != 0 && is_of_stream(item)) {
            events[count++] = (struct epoll_event){.events = ready, .data = item->event.data};
            note_report(item);
        }
        /* What the kernel watches may be asked for room since. */
        item->cools = item->disabled
            || (ready == 0 && (item->armed == generation() || is_quiet(item, QUIET)) && !watch_item(item, false));
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
    disarm_item(item);
    heat_item(item);
    item->turn = item->instance->turn;
    if ((events & EPOLLHUP) != 0) {
        note_hangup(item->stream);
    }
    if ((events & EPOLLIN) != 0 && !is_changing(item->stream) && !is_readable(item->stream, 1)) {
        drain(item->stream, item->descriptor);
    } else if ((events & EPOLLIN) != 0 && is_exact(item) && (item->event.events & EPOLLIN) == 0 && item_events(item) == 0) {
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
        ready = is_of_stream(item) && watch_item(item, false);
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
            disarm_item(instance->hot[i]);
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
            (void)watch_item(instance->hot[i], again);
        }
    }
    release(&instance->lock);
}

void tell_kernel(int epoll) {
    struct instance *instance = take_instance(epoll);
    if (instance != NULL) {
        begin_telling(instance);
        tell_of_all(instance, true);
        put_instance(instance);
    }
}

/* ---- Waits ---- */

KERNEL_CALL int ask_kernel(const struct epoll_wait *wait, uint64_t deadline) {
    if (wait->call == EPOLL_PWAIT2) {
        struct timespec time = time_until(deadline);
        return LIBC(epoll_pwait2)(wait->epoll, wait->events, wait->most, deadline == FOREVER ? NULL : &time, wait->mask);
    }
    if (wait->call == EPOLL_WAIT) {
        return LIBC(epoll_wait)(wait->epoll, wait->events, wait->most, ms_until(deadline));
    }
    return LIBC(epoll_pwait)(wait->epoll, wait->events, wait->most, ms_until(deadline), wait->mask);
}

/*
 * What is ready now: of streams, and, if `kernel`, of the kernel's. It and who calls it first are inlined: a processor does not foresee
 * where calls return to after a system call, whose own calls have used up its memory of that.
 */
INLINE int look_first(struct instance *instance, const struct epoll_wait *wait, bool kernel) {
    int found = 0, changed, hot;
    if (kernel) {
        found = sort_out(instance, wait->events, ask_kernel(wait, 0));
        atomic_store_explicit(&instance->others, found > 0, memory_order_relaxed);
        if (found < 0 || found == wait->most) {
            atomic_store_explicit(&instance->crowded, found > 0, memory_order_relaxed);
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

static int look(struct instance *instance, const struct epoll_wait *wait, bool kernel) {
    return look_first(instance, wait, kernel);
}

/* Before the kernel's, which had left them no room. */
__attribute__((cold)) static int look_at_streams(struct instance *instance, const struct epoll_wait *wait) {
    instance->crowded = false;
    return look(instance, wait, false);
}

INLINE int wait_instance(struct instance *instance, const struct epoll_wait *wait) {
    unsigned turn = atomic_load_explicit(&instance->turn, memory_order_relaxed) + 1;
    atomic_store_explicit(&instance->turn, turn, memory_order_relaxed);
    bool kernel = turn % KERNEL_EVERY == 0 || wait->deadline == 0 || instance->told || instance->others || instance->hot_count == 0;
    int found = __builtin_expect(instance->crowded, false) ? look_at_streams(instance, wait) : 0;
    if (__builtin_expect(found == 0, true)) {
        found = look_first(instance, wait, kernel);
    }
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
            found = ask_kernel(wait, wait->deadline);
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
    atomic_store_explicit(&instance->waited, false, memory_order_release);
    if (instance->told && instance->hot_count > 0) {
        tell_of_all(instance, false);
    }
    put_instance(instance);
    errno = error;
}

int wait_epoll(int epoll, struct epoll_event *events, int most, uint64_t deadline, const sigset_t *mask, enum epoll_call call) {
    struct epoll_wait wait = {.epoll = epoll, .events = events, .most = most, .deadline = deadline, .mask = mask, .call = call};
    struct instance *instance = take_instance(epoll);
    if (instance == NULL || most <= 0 || events == NULL) {
        if (instance != NULL) {
            put_instance(instance);
        }
        return ask_kernel(&wait, deadline);
    }
    /* Of several threads, one does not know what another one looks at. */
    if (atomic_exchange(&instance->waited, true)) {
        begin_telling(instance);
    }
    int found = 0;
    pthread_cleanup_push(leave_wait, instance);
    bool streams = instance->item_count > 0;
    if (!streams) {
        found = sort_out(instance, events, ask_kernel(&wait, deadline));
        /* The first item may have come meanwhile. */
        streams = found == 0 && instance->item_count > 0 && deadline != 0 && (deadline == FOREVER || now() < deadline);
    }
    if (streams) {
        found = wait_instance(instance, &wait);
    }
    pthread_cleanup_pop(1);
    return found;
}
