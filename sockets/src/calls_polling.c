/* The functions of libc that wait for descriptors. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "descriptors.h"
#include "epoll_waits.h"
#include "epolls.h"
#include "libc.h"
#include "polls.h"
#include "waiting.h"

#define FEW 64u
#define NANOS_PER_MS 1000000u

static bool is_time(const struct timespec *time) {
    return time == NULL || (time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000);
}

/* ---- poll ---- */

EXPORT int(ppoll)(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    if (entries == NULL || !is_time(timeout)) {
        return LIBC(ppoll)(entries, count, timeout, mask);
    }
    return poll_until(entries, count, deadline_in(timeout), mask);
}

EXPORT int(poll)(struct pollfd *entries, nfds_t count, int timeout_ms) {
    if (entries == NULL) {
        struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * (long)NANOS_PER_MS};
        return LIBC(ppoll)(entries, count, timeout_ms < 0 ? NULL : &timeout, NULL);
    }
    return poll_until(entries, count, deadline_in_ms(timeout_ms), NULL);
}

EXPORT int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t room) {
    check_room(count * sizeof *entries, room);
    return (poll)(entries, count, timeout_ms);
}

EXPORT int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t room) {
    check_room(count * sizeof *entries, room);
    return (ppoll)(entries, count, timeout, mask);
}

/* ---- select ---- */

#define BITS (8 * (int)sizeof(unsigned long))

/* Programs with more than FD_SETSIZE descriptors have larger sets. */
static bool has_bit(const fd_set *set, int bit) {
    return set != NULL && (((const unsigned long *)set)[bit / BITS] >> bit % BITS & 1) != 0;
}

static void set_bit(fd_set *set, int bit) {
    ((unsigned long *)set)[bit / BITS] |= 1ul << bit % BITS;
}

static void clear_set(fd_set *set, int count) {
    if (set != NULL) {
        memset(set, 0, (size_t)((count + BITS - 1) / BITS) * sizeof(unsigned long));
    }
}

static bool any_named(int count, const fd_set *reads, const fd_set *writes, const fd_set *exceptions) {
    for (int i = 0; i < count; i++) {
        if ((has_bit(reads, i) || has_bit(writes, i) || has_bit(exceptions, i)) && is_named(i)) {
            return true;
        }
    }
    return false;
}

static nfds_t entries_of(struct pollfd *entries, int count, const fd_set *reads, const fd_set *writes, const fd_set *exceptions) {
    nfds_t used = 0;
    for (int i = 0; i < count; i++) {
        int events = (has_bit(reads, i) ? POLLIN : 0) | (has_bit(writes, i) ? POLLOUT : 0) | (has_bit(exceptions, i) ? POLLPRI : 0);
        if (events != 0) {
            entries[used++] = (struct pollfd){.fd = i, .events = (short)events};
        }
    }
    return used;
}

/* As select(2) of the kernel takes the events of poll(2). Those that it does not wait for: 0. */
static int taken_events(const struct pollfd *entry) {
    int events = entry->revents;
    return entry->events
        & (((events & (POLLIN | POLLHUP | POLLERR)) != 0 ? POLLIN : 0) | ((events & (POLLOUT | POLLERR)) != 0 ? POLLOUT : 0)
            | (events & POLLPRI));
}

static int store(const struct pollfd *entry, fd_set *reads, fd_set *writes, fd_set *exceptions) {
    int taken = taken_events(entry);
    if ((taken & POLLIN) != 0) {
        set_bit(reads, entry->fd);
    }
    if ((taken & POLLOUT) != 0) {
        set_bit(writes, entry->fd);
    }
    if ((taken & POLLPRI) != 0) {
        set_bit(exceptions, entry->fd);
    }
    return __builtin_popcount((unsigned)taken);
}

/* Of the entries that poll(2) has found something of: whether select(2) has, too. -1 with errno: one is not open. */
static int look_at(struct pollfd *entries, nfds_t used) {
    bool any = false;
    for (nfds_t i = 0; i < used; i++) {
        if ((entries[i].revents & POLLNVAL) != 0) {
            return fails(EBADF);
        }
        any |= taken_events(&entries[i]) != 0;
    }
    for (nfds_t i = 0; i < used && !any; i++) {
        if (entries[i].revents != 0) {
            entries[i].fd = -1;  /* its end would be found again at once, and nothing else comes */
        }
    }
    return any;
}

static int select_with(struct pollfd *entries, int count, fd_set *reads, fd_set *writes, fd_set *exceptions, uint64_t deadline,
    const sigset_t *mask) {
    nfds_t used = entries_of(entries, count, reads, writes, exceptions);
    int ready, any, stored = 0;
    do {
        ready = poll_until(entries, used, deadline, mask);
        any = ready > 0 ? look_at(entries, used) : ready;
    } while (ready > 0 && any == 0);
    if (any < 0) {
        return -1;
    }
    clear_set(reads, count);
    clear_set(writes, count);
    clear_set(exceptions, count);
    for (nfds_t i = 0; i < used && ready > 0; i++) {
        stored += store(&entries[i], reads, writes, exceptions);
    }
    return stored;
}

static int select_until(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, uint64_t deadline, const sigset_t *mask) {
    struct pollfd few[FEW];
    if ((unsigned)count <= FEW) {
        return select_with(few, count, reads, writes, exceptions, deadline, mask);
    }
    struct pollfd *entries = malloc((size_t)count * sizeof *entries);
    if (entries == NULL) {
        return fails(ENOMEM);
    }
    int stored;
    pthread_cleanup_push(free, entries);
    stored = select_with(entries, count, reads, writes, exceptions, deadline, mask);
    pthread_cleanup_pop(1);
    return stored;
}

EXPORT int(select)(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, struct timeval *timeout) {
    if (count <= 0 || !any_named(count, reads, writes, exceptions)
        || (timeout != NULL && (timeout->tv_sec < 0 || timeout->tv_usec < 0))) {
        return LIBC(select)(count, reads, writes, exceptions, timeout);
    }
    struct timespec time = {.tv_sec = 0};
    if (timeout != NULL) {
        time = (struct timespec){.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000, .tv_nsec = timeout->tv_usec % 1000000 * 1000};
    }
    uint64_t deadline = deadline_in(timeout == NULL ? NULL : &time);
    int stored = select_until(count, reads, writes, exceptions, deadline, NULL);
    if (timeout != NULL) {
        /* As the kernel's call leaves what was not used. */
        time = time_until(deadline);
        *timeout = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    }
    return stored;
}

EXPORT int(pselect)(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, const struct timespec *timeout,
    const sigset_t *mask) {
    if (count <= 0 || !any_named(count, reads, writes, exceptions) || !is_time(timeout)) {
        return LIBC(pselect)(count, reads, writes, exceptions, timeout, mask);
    }
    return select_until(count, reads, writes, exceptions, deadline_in(timeout), mask);
}

/* ---- epoll ---- */

EXPORT int(epoll_create1)(int flags) {
    int made = LIBC(epoll_create1)(flags);
    if (made >= 0) {
        int error = errno;
        add_epoll(made);
        errno = error;
    }
    return made;
}

EXPORT int(epoll_create)(int size) {
    return size <= 0 ? fails(EINVAL) : (epoll_create1)(0);
}

EXPORT int(epoll_ctl)(int epoll, int what, int descriptor, struct epoll_event *event) {
    return is_named(epoll) || is_named(descriptor) ? control_epoll(epoll, what, descriptor, event)
                                                   : LIBC(epoll_ctl)(epoll, what, descriptor, event);
}

EXPORT int(epoll_pwait)(int epoll, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask) {
    if (!is_named(epoll)) {
        return LIBC(epoll_pwait)(epoll, events, most, timeout_ms, mask);
    }
    return wait_epoll(epoll, events, most, deadline_in_ms(timeout_ms), mask, EPOLL_PWAIT);
}

EXPORT int(epoll_wait)(int epoll, struct epoll_event *events, int most, int timeout_ms) {
    if (!is_named(epoll)) {
        return LIBC(epoll_wait)(epoll, events, most, timeout_ms);
    }
    return wait_epoll(epoll, events, most, deadline_in_ms(timeout_ms), NULL, EPOLL_WAIT);
}

EXPORT int(epoll_pwait2)(int epoll, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask) {
    if (!is_named(epoll) || !is_time(timeout)) {
        return LIBC(epoll_pwait2)(epoll, events, most, timeout, mask);
    }
    return wait_epoll(epoll, events, most, deadline_in(timeout), mask, EPOLL_PWAIT2);
}

/* ---- By number ---- */

/* The mask of pselect6(2), whose argument is a pair with its length. */
static const sigset_t *mask_at(const sigset_t *const *pair) {
    return pair == NULL ? NULL : *pair;
}

bool call_on_waits(long number, const long of[6], long *result) {
    int first = (int)of[0], third = (int)of[2], timeout = (int)of[3];
    struct epoll_event *events = (struct epoll_event *)of[1];
    fd_set *reads = (fd_set *)of[1], *writes = (fd_set *)of[2], *exceptions = (fd_set *)of[3];
    switch (number) {
        case SYS_poll: *result = (poll)((struct pollfd *)of[0], (nfds_t)of[1], third); break;
        case SYS_ppoll:
            *result = ppoll((struct pollfd *)of[0], (nfds_t)of[1], (const struct timespec *)of[2], (const sigset_t *)of[3]);
            break;
        case SYS_select: *result = select(first, reads, writes, exceptions, (struct timeval *)of[4]); break;
        case SYS_pselect6:
            *result = pselect(first, reads, writes, exceptions, (const struct timespec *)of[4], mask_at((const sigset_t *const *)of[5]));
            break;
        case SYS_epoll_create: *result = epoll_create(first); break;
        case SYS_epoll_create1: *result = (epoll_create1)(first); break;
        case SYS_epoll_ctl: *result = (epoll_ctl)(first, (int)of[1], third, (struct epoll_event *)of[3]); break;
        case SYS_epoll_wait: *result = epoll_wait(first, events, third, timeout); break;
        case SYS_epoll_pwait: *result = epoll_pwait(first, events, third, timeout, (const sigset_t *)of[4]); break;
        case SYS_epoll_pwait2:
            *result = epoll_pwait2(first, events, third, (const struct timespec *)of[3], (const sigset_t *)of[4]);
            break;
        default: return false;
    }
    return true;
}
