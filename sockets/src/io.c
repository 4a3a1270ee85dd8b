#include "io.h"

#include <errno.h>
#include <limits.h>

#include "progress.h"
#include "signals.h"
#include "stream.h"

static int fails(int error) {
    errno = error;
    return -1;
}

int take_error(struct sock *sock) {
    int error = sock->error;
    sock->error = 0;
    return error;
}

/* A thread that waits at one socket. */
struct single {
    struct watch watch;
    struct sleeper *sleeper;
    short events;
};

static void on_change(struct watch *watch) {
    wake(((struct single *)watch)->sleeper);
}

static bool is_ready(void *argument) {
    const struct single *single = argument;
    const struct sock *sock = single->watch.sock;
    return sock->stage == STAGE_LEFT || sock->descriptors == 0
        || (stream_events(sock) & (single->events | POLLERR | POLLHUP)) != 0;
}

static void on_cancel(void *argument) {
    struct single *single = argument;
    struct sock *sock = single->watch.sock;
    remove_watch(&single->watch);
    release(sock);  /* the call's own reference */
}

int await_sock(struct sock *sock, short events, uint64_t timeout) {
    struct single single = {.watch = {.changed = on_change}, .sleeper = own_sleeper(), .events = events};
    struct pollfd kernel[WAIT_EXTRA];
    if (single.sleeper == NULL) {
        return -1;
    }
    struct timespec limit = {.tv_sec = (time_t)(timeout / 1000000000u), .tv_nsec = (long)(timeout % 1000000000u)};
    struct wait wait = {.ready = is_ready, .argument = &single, .kernel = kernel,
        .deadline = timeout == 0 ? FOREVER : deadline_in(&limit), .cancelled = on_cancel};
    add_watch(sock, &single.watch);
    enum wait_result result = wait_through_signals(&wait);
    int error = errno;
    remove_watch(&single.watch);
    return result == READY ? 0 : fails(result == TIMED_OUT ? EAGAIN : error);
}

/* A thread that sleeps has to look after what found no room in the rings: this one may not wait. */
static void leave_retry(const struct sock *sock) {
    if (sock->full) {
        wake_leader();
    }
}

static bool is_nonblocking(const struct sock *sock, int flags) {
    return sock->nonblocking || (flags & MSG_DONTWAIT) != 0;
}

ssize_t receive(struct sock *sock, const struct iovec *pieces, size_t count, int flags) {
    size_t wanted = octets_of(pieces, count), done = 0;
    struct iovec rest;
    if ((flags & MSG_OOB) != 0) {
        return fails(EINVAL);
    }
    if (sock->octets == 0) {
        progress();
    }
    for (;;) {
        if (sock->octets > 0 && sock->descriptors > 0) {
            done += read_stream(sock, pieces, count, (flags & MSG_PEEK) != 0);
            leave_retry(sock);
        }
        bool more = (flags & MSG_WAITALL) != 0 && (flags & MSG_PEEK) == 0 && count == 1 && done < wanted;
        if (wanted == 0 || (done > 0 && !more)) {
            return (ssize_t)done;
        }
        if (done == 0 && sock->error != 0) {
            return fails(take_error(sock));
        }
        if (sock->peer_ended || sock->receiving_ended || sock->dead || sock->descriptors == 0) {
            return (ssize_t)done;
        }
        if (is_nonblocking(sock, flags)) {
            return done > 0 ? (ssize_t)done : fails(EAGAIN);
        }
        if (more) {
            rest = (struct iovec){.iov_base = (char *)pieces->iov_base + (done - (wanted - pieces->iov_len)),
                .iov_len = wanted - done};
            wanted = done + rest.iov_len;
            pieces = &rest;
        }
        if (await_sock(sock, POLLIN, sock->receive_timeout) != 0) {
            return done > 0 ? (ssize_t)done : -1;
        }
        if (sock->stage == STAGE_LEFT) {
            return fails(EAGAIN);
        }
    }
}

ssize_t transmit(struct sock *sock, const struct iovec *pieces, size_t count, int flags) {
    size_t total = octets_of(pieces, count), done = 0;
    if ((flags & MSG_OOB) != 0) {
        return fails(EOPNOTSUPP);
    }
    if (total > SSIZE_MAX) {
        return fails(EINVAL);
    }
    if (sock->credits == 0 || sock->full) {
        progress();
    }
    for (;;) {
        if (sock->error != 0 && done == 0) {
            return fails(take_error(sock));
        }
        if (sock->failed || sock->sending_ended || sock->descriptors == 0) {
            return done > 0 ? (ssize_t)done : fails(EPIPE);
        }
        if (sock->stage == STAGE_CONNECTED) {
            done += write_stream(sock, pieces, count, done);
            leave_retry(sock);
        }
        if (done == total) {
            return (ssize_t)done;
        }
        if (is_nonblocking(sock, flags)) {
            return done > 0 ? (ssize_t)done : fails(EAGAIN);
        }
        if (await_sock(sock, POLLOUT, sock->send_timeout) != 0) {
            return done > 0 ? (ssize_t)done : -1;
        }
    }
}
