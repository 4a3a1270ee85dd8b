/* poll(2), select(2) and epoll(7), of sockets of rddp's among other descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "epolls.h"
#include "listening.h"
#include "progress.h"
#include "stream.h"
#include "wait.h"

#define FEW 32u

static int fails(int error) {
    errno = error;
    return -1;
}

/* ---- poll ---- */

/* A socket of rddp's among the descriptors of a poll. */
struct polled {
    struct watch watch;  /* first */
    struct sleeper *sleeper;
    struct pollfd *entry;
};

struct polling {
    struct polled *socks;
    unsigned count;
    void *allocated;
};

static void on_change(struct watch *watch) {
    wake(((struct polled *)watch)->sleeper);
}

/* Stores events; whether there are some, or a socket has become the kernel's. */
static bool is_ready(void *argument) {
    struct polling *polling = argument;
    bool ready = false;
    for (unsigned i = 0; i < polling->count; i++) {
        const struct polled *polled = &polling->socks[i];
        struct sock *sock = polled->watch.sock;
        polled->entry->revents = (short)((short)ready_events(sock) & (polled->entry->events | POLLERR | POLLHUP));
        ready = ready || polled->entry->revents != 0 || sock->stage == STAGE_LEFT || sock->descriptors == 0;
    }
    return ready;
}

static void end_polling(void *argument) {
    struct polling *polling = argument;
    for (unsigned i = 0; i < polling->count; i++) {
        remove_watch(&polling->socks[i].watch);
    }
    free(polling->allocated);
}

static bool any_sock(const struct pollfd *entries, nfds_t count) {
    for (nfds_t i = 0; i < count; i++) {
        if (!is_plain(entries[i].fd)) {
            return true;
        }
    }
    return false;
}

/* A round of poll(2), until something is ready, or a socket has become the kernel's: it returns 0 before its time then. */
static int poll_once(struct pollfd *entries, nfds_t count, uint64_t deadline, const sigset_t *mask, bool *again) {
    struct polled few_socks[FEW];
    struct pollfd few_kernel[FEW + WAIT_EXTRA];
    struct polling polling = {.socks = few_socks};
    struct pollfd *kernel = few_kernel;
    struct sleeper *sleeper = own_sleeper();
    if (sleeper == NULL) {
        return -1;
    }
    if (count > FEW) {
        polling.allocated = calloc(count, sizeof *polling.socks + sizeof *kernel + WAIT_EXTRA * sizeof *kernel);
        if (polling.allocated == NULL) {
            return fails(ENOMEM);
        }
        polling.socks = polling.allocated;
        kernel = (struct pollfd *)(polling.socks + count);
    }
    lock_engine();
    for (nfds_t i = 0; i < count; i++) {
        struct sock *sock = sock_at(entries[i].fd);
        kernel[i] = entries[i];
        if (sock != NULL) {
            struct polled *polled = &polling.socks[polling.count++];
            *polled = (struct polled){.watch = {.changed = on_change}, .sleeper = sleeper, .entry = &entries[i]};
            add_watch(sock, &polled->watch);
            if (sock->stage == STAGE_LISTENING) {
                use_listener(sock);
            }
            if (is_stream(sock)) {
                kernel[i].fd = -1;
            }
        }
    }
    struct wait wait = {.ready = is_ready, .argument = &polling, .kernel = kernel, .kernel_count = count,
        .deadline = deadline, .mask = mask, .cancelled = end_polling};
    enum wait_result result = wait_for(&wait);
    int error = errno;
    is_ready(&polling);
    /* What is ready at both: the kernel's are looked at beside rddp's. */
    bool left = false;
    for (unsigned i = 0; i < polling.count; i++) {
        left = left || polling.socks[i].watch.sock->stage == STAGE_LEFT;
    }
    if (result == READY || deadline == 0) {
        static const struct timespec none = {0};
        LIBC(ppoll)(kernel, count, &none, NULL);
    }
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        bool own = !is_plain(entries[i].fd);
        short events = kernel[i].fd < 0 ? 0 : kernel[i].revents;
        entries[i].revents = own ? (short)(entries[i].revents | events) : events;
        ready += entries[i].revents != 0;
    }
    end_polling(&polling);
    unlock_engine();
    *again = left && ready == 0 && result != INTERRUPTED;
    return result == INTERRUPTED ? fails(error) : ready;
}

static int poll_until(struct pollfd *entries, nfds_t count, uint64_t deadline, const sigset_t *mask) {
    bool again = true;
    int ready = 0;
    while (again) {
        for (nfds_t i = 0; i < count; i++) {
            entries[i].revents = 0;
        }
        ready = poll_once(entries, count, deadline, mask, &again);
    }
    return ready;
}

EXPORT int(ppoll)(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    if (!any_sock(entries, count)) {
        return LIBC(ppoll)(entries, count, timeout, mask);
    }
    return poll_until(entries, count, deadline_in(timeout), mask);
}

EXPORT int(poll)(struct pollfd *entries, nfds_t count, int timeout_ms) {
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
    return (ppoll)(entries, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

static void check(nfds_t count, size_t room) {
    if (room / sizeof(struct pollfd) < count) {
        static const char text[] = "rddp sockets: a poll of more descriptors than its array holds: the program ends\n";
        (void)!LIBC(write)(STDERR_FILENO, text, sizeof text - 1);
        abort();
    }
}

EXPORT int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t room) {
    check(count, room);
    return (poll)(entries, count, timeout_ms);
}

EXPORT int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
    size_t room) {
    check(count, room);
    return (ppoll)(entries, count, timeout, mask);
}

/* ---- select ---- */

#define READS (POLLIN | POLLHUP | POLLERR | POLLRDHUP)
#define WRITES (POLLOUT | POLLERR)

static bool selects_sock(int count, const fd_set *const sets[3]) {
    for (int at = 0; at < count; at++) {
        if (!is_plain(at)
            && ((sets[0] != NULL && FD_ISSET(at, sets[0])) || (sets[1] != NULL && FD_ISSET(at, sets[1]))
                || (sets[2] != NULL && FD_ISSET(at, sets[2])))) {
            return true;
        }
    }
    return false;
}

static int select_until(int count, fd_set *reads, fd_set *writes, fd_set *others, uint64_t deadline,
    const sigset_t *mask) {
    struct pollfd entries[FD_SETSIZE];
    nfds_t polled = 0;
    for (int at = 0; at < count; at++) {
        short events = (short)((reads != NULL && FD_ISSET(at, reads) ? POLLIN : 0)
            | (writes != NULL && FD_ISSET(at, writes) ? POLLOUT : 0)
            | (others != NULL && FD_ISSET(at, others) ? POLLPRI : 0));
        if (events != 0) {
            entries[polled++] = (struct pollfd){.fd = at, .events = events};
        }
    }
    int ready = poll_until(entries, polled, deadline, mask);
    if (ready < 0) {
        return ready;
    }
    ready = 0;
    for (nfds_t i = 0; i < polled; i++) {
        const struct pollfd *entry = &entries[i];
        if ((entry->revents & POLLNVAL) != 0) {
            return fails(EBADF);
        }
        bool read = (entry->events & POLLIN) != 0 && (entry->revents & READS) != 0;
        bool write = (entry->events & POLLOUT) != 0 && (entry->revents & WRITES) != 0;
        bool other = (entry->events & POLLPRI) != 0 && (entry->revents & POLLPRI) != 0;
        if (!read && reads != NULL) {
            FD_CLR(entry->fd, reads);
        }
        if (!write && writes != NULL) {
            FD_CLR(entry->fd, writes);
        }
        if (!other && others != NULL) {
            FD_CLR(entry->fd, others);
        }
        ready += read + write + other;
    }
    return ready;
}

EXPORT int(pselect)(int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *timeout,
    const sigset_t *mask) {
    const fd_set *const sets[3] = {reads, writes, others};
    if (count <= 0 || count > FD_SETSIZE || !selects_sock(count, sets)) {
        return LIBC(pselect)(count, reads, writes, others, timeout, mask);
    }
    return select_until(count, reads, writes, others, deadline_in(timeout), mask);
}

EXPORT int(select)(int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *timeout) {
    const fd_set *const sets[3] = {reads, writes, others};
    if (count <= 0 || count > FD_SETSIZE || !selects_sock(count, sets)) {
        return LIBC(select)(count, reads, writes, others, timeout);
    }
    struct timespec limit = {0};
    if (timeout != NULL) {
        limit = (struct timespec){.tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000};
    }
    return select_until(count, reads, writes, others, deadline_in(timeout == NULL ? NULL : &limit), NULL);
}

/* ---- epoll ---- */

EXPORT int(epoll_ctl)(int epoll, int what, int descriptor, struct epoll_event *event) {
    struct sock *sock = take(descriptor);
    if (sock == NULL) {
        return LIBC(epoll_ctl)(epoll, what, descriptor, event);
    }
    return (int)leave(sock, control_epoll(epoll, what, sock, descriptor, event));
}

EXPORT int(epoll_create1)(int flags) {
    int epoll = LIBC(epoll_create1)(flags);
    if (epoll >= 0 && is_own_process()) {
        lock_engine();
        add_epoll(epoll);
        unlock_engine();
    }
    return epoll;
}

EXPORT int(epoll_create)(int size) {
    return size <= 0 ? fails(EINVAL) : (epoll_create1)(0);
}

/* A wait of milliseconds, or of nanoseconds, which glibc has since 2.35. */
struct call {
    int epoll;
    struct epoll_event *events;
    int max;
    bool nanoseconds;
    int timeout_ms;
    const struct timespec *timeout;
    const sigset_t *mask;
};

static int call_kernel(const struct call *call) {
    if (!call->nanoseconds) {
        return LIBC(epoll_pwait)(call->epoll, call->events, call->max, call->timeout_ms, call->mask);
    }
    if (libc_epoll_pwait2 == NULL) {
        find_libc();
    }
    return libc_epoll_pwait2 == NULL
        ? fails(ENOSYS)
        : libc_epoll_pwait2(call->epoll, call->events, call->max, call->timeout, call->mask);
}

static void on_cancel(void *epoll) {
    leave_kernel(*(int *)epoll, NULL, 0);
}

static int wait_at(struct call *call) {
    if (is_plain(call->epoll)) {
        return call_kernel(call);
    }
    uint64_t deadline = call->nanoseconds ? deadline_in(call->timeout) : deadline_in_ms(call->timeout_ms);
    if (enter_kernel(call->epoll)) {
        int found;
        pthread_cleanup_push(on_cancel, &call->epoll);
        found = call_kernel(call);
        pthread_cleanup_pop(0);
        int left = leave_kernel(call->epoll, call->events, found);
        if (found <= 0 || left > 0) {
            return left;
        }
    }
    lock_engine();
    int result = wait_epoll(call->epoll, call->events, call->max, deadline, call->mask);
    int error = errno;
    unlock_engine();
    errno = error;
    return result;
}

EXPORT int(epoll_pwait)(int epoll, struct epoll_event *events, int max, int timeout_ms, const sigset_t *mask) {
    return wait_at(&(struct call){.epoll = epoll, .events = events, .max = max, .timeout_ms = timeout_ms, .mask = mask});
}

EXPORT int(epoll_pwait2)(int epoll, struct epoll_event *events, int max, const struct timespec *timeout,
    const sigset_t *mask) {
    return wait_at(&(struct call){.epoll = epoll, .events = events, .max = max, .nanoseconds = true, .timeout = timeout,
        .mask = mask});
}

EXPORT int(epoll_wait)(int epoll, struct epoll_event *events, int max, int timeout_ms) {
    return (epoll_pwait)(epoll, events, max, timeout_ms, NULL);
}
