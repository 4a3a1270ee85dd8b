#include "io.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#include "bridge.h"
#include "fallback.h"
#include "libc.h"
#include "sandbox.h"
#include "waiting.h"

struct stream *current_stream(int descriptor) {
    struct stream *stream = take_stream(descriptor);
    if (stream != NULL && stream->origin == NULL && has_moved(stream)) {
        put_stream(stream);
        use_bridge(descriptor);
        stream = take_stream(descriptor);
    }
    if (stream != NULL && fall_back(stream)) {
        put_stream(stream);
        return NULL;
    }
    return stream;
}

static bool blocks(const struct stream *stream, int flags) {
    return (flags & MSG_DONTWAIT) == 0 && atomic_load(&stream->header->nonblocking) == 0;
}

/* ---- By a bridge ---- */

/* The pieces from a place on, as many as rest has room for. Returns their count. */
static size_t rest_of(const struct iovec *pieces, size_t count, size_t from, struct iovec rest[IOV_MAX]) {
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < IOV_MAX; i++) {
        size_t skipped = from < pieces[i].iov_len ? from : pieces[i].iov_len;
        from -= skipped;
        if (skipped < pieces[i].iov_len) {
            rest[kept++] = (struct iovec){.iov_base = (char *)pieces[i].iov_base + skipped, .iov_len = pieces[i].iov_len - skipped};
        }
    }
    return kept;
}

/* Unix sockets have no MSG_TRUNC that discards. */
ssize_t discard(int descriptor, size_t count, int flags) {
    char octets[4096];
    return LIBC(recvfrom)(descriptor, octets, count < sizeof octets ? count : sizeof octets, flags & ~(MSG_TRUNC | MSG_WAITALL),
        NULL, NULL);
}

/* After octets that have been received already. Drops the reference of the bridge; NULL: it is the kernel's, or closed. */
static ssize_t receive_by_kernel(struct stream *bridge, int descriptor, const struct iovec *pieces, size_t count, size_t done, int flags) {
    struct iovec rest[IOV_MAX];
    struct msghdr message = {.msg_iov = rest, .msg_iovlen = rest_of(pieces, count, done, rest)};
    size_t wanted = octets_of(pieces, count) - done;
    ssize_t got = bridge != NULL && (flags & MSG_TRUNC) != 0 ? discard(descriptor, wanted, flags)
                                                             : LIBC(recvmsg)(descriptor, &message, flags);
    if (bridge != NULL) {
        /* An end that the daemon has not announced is its own. */
        bool cut = got == 0 && wanted > 0 && !has_end(bridge);
        if (cut) {
            lose_stream(bridge);
        }
        bool ended = (atomic_load(&bridge->header->daemon_flags) & PEER_ENDED) != 0;
        int error = done == 0 && got == 0 && wanted > 0 && !ended ? take_error(bridge) : 0;
        put_stream(bridge);
        got = error == 0 ? got : fails(error);
    }
    return done == 0 ? got : (ssize_t)done + (got > 0 ? got : 0);
}

static ssize_t transmit_by_kernel(struct stream *bridge, int descriptor, const struct iovec *pieces, size_t count, size_t done, int flags) {
    struct iovec rest[IOV_MAX];
    const struct msghdr message = {.msg_iov = rest, .msg_iovlen = rest_of(pieces, count, done, rest)};
    ssize_t sent = LIBC(sendmsg)(descriptor, &message, (flags & (MSG_DONTWAIT | MSG_MORE)) | MSG_NOSIGNAL);
    if (bridge != NULL) {
        int error = done == 0 && sent < 0 && errno == EPIPE ? take_error(bridge) : 0;
        put_stream(bridge);
        sent = error == 0 ? sent : fails(error);
    }
    return done == 0 ? sent : (ssize_t)done + (sent > 0 ? sent : 0);
}

/* ---- Waiting ---- */

/* The sleeps of a call, which its timeout, SO_RCVTIMEO or SO_SNDTIMEO, bounds all together. */
struct patience {
    int option;
    uint64_t began;  /* the first one; 0: none has */
};

/* Of the next sleep: the first one ends by the socket's timeout itself. */
static uint64_t next_deadline(struct patience *patience, int descriptor) {
    if (patience->began != 0 && !is_sandboxed()) {
        return deadline_by_option(descriptor, patience->option, patience->began);
    }
    patience->began = now();
    return FOREVER;
}

/* A sleep has ended, or its thread is cancelled. */
struct sleep {
    const struct stream *stream;
    int descriptor;
    uint32_t octets;
    ssize_t woken;
};

static void wake_up(void *argument) {
    const struct sleep *sleep = argument;
    int error = errno;
    struct stream *stream = take_stream(sleep->descriptor);
    if (stream != NULL && stream == sleep->stream) {
        end_waiting(stream);
        if (sleep->woken == 0) {
            note_hangup(stream);
        } else if (is_readable(stream, sleep->octets)) {
            /* Of all that sleep at the socket, the kernel wakes one: there may be octets for others, too. */
            tell_others(stream);
        } else if (sleep->woken > 0) {
            drain(stream, sleep->descriptor);
        }
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    errno = error;
}

/* Whether it can go on: false with errno. Drops the reference of the stream. */
static bool sleep_until_readable(struct stream *stream, int descriptor, uint32_t octets, struct patience *patience) {
    struct spin spin = begin_spin(FOREVER);
    while (look_again(&spin)) {
        if (is_readable(stream, octets)) {
            note_activity(&spin);
            put_stream(stream);
            return true;
        }
    }
    begin_waiting(stream, false);
    if (is_readable(stream, octets)) {
        end_waiting(stream);
        put_stream(stream);
        return true;
    }
    struct sleep sleep = {.stream = stream, .descriptor = descriptor, .octets = octets, .woken = -1};
    uint64_t deadline = next_deadline(patience, descriptor);
    put_stream(stream);
    pthread_cleanup_push(wake_up, &sleep);
    sleep.woken = sleep_for_message(descriptor, deadline);
    pthread_cleanup_pop(1);
    note_activity(&spin);
    return sleep.woken >= 0;
}

static bool sleep_until_writable(struct stream *stream, int descriptor, struct patience *patience) {
    struct spin spin = begin_spin(FOREVER);
    while (look_again(&spin)) {
        if (is_writable(stream)) {
            note_activity(&spin);
            put_stream(stream);
            return true;
        }
    }
    /* While it connects, the daemon makes room anyway. */
    if (!is_connecting(stream)) {
        arm_out(stream, descriptor, true);
    }
    bool writable = is_writable(stream);
    put_stream(stream);
    if (writable) {
        return true;
    }
    ssize_t woken = sleep_for_room(descriptor, next_deadline(patience, descriptor));
    int error = errno;
    stream = woken == 0 ? take_stream(descriptor) : NULL;
    if (stream != NULL) {
        note_hangup(stream);
        put_stream(stream);
    }
    errno = error;
    return woken >= 0;
}

/* ---- Receiving ---- */

/* As many octets as it has to have before it returns. */
static size_t target_of(const struct stream *stream, size_t total, int flags) {
    size_t low = low_mark(stream);
    size_t target = (flags & MSG_WAITALL) != 0 || low > total ? total : low;
    uint32_t most = atomic_load(&stream->header->receive_ring);
    return (flags & MSG_PEEK) != 0 && target > most ? most : target;
}

ssize_t receive(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags) {
    size_t total = octets_of(pieces, count), done = 0, peeked = 0;
    struct patience patience = {.option = SO_RCVTIMEO};
    bool told = false;
    if ((flags & (MSG_OOB | MSG_ERRQUEUE)) != 0 || total > SSIZE_MAX) {
        put_stream(stream);
        return fails((flags & MSG_ERRQUEUE) != 0 ? EAGAIN : EINVAL);
    }
    for (;; stream = current_stream(descriptor)) {
        if (stream == NULL || stream->origin != NULL) {
            return receive_by_kernel(stream, descriptor, pieces, count, done, flags);
        }
        ssize_t got = 0;
        size_t target = target_of(stream, total, flags);
        /* Asked before the step: what comes after it must be peeked at, too. */
        bool is_last_peek = (flags & MSG_PEEK) != 0 && is_readable(stream, (uint32_t)target);
        enum step step = receive_step(stream, descriptor, pieces, count, done, flags, &got);
        bool wait = blocks(stream, flags);
        if (step == STEP_MOVED) {
            put_stream(stream);
            continue;
        }
        uint32_t needed = 1;
        if (step == STEP_DONE) {
            note_work();
            bool all = got <= 0 || done + (size_t)got >= target;
            if ((flags & MSG_PEEK) != 0 && !all && wait && !is_last_peek) {
                needed = (uint32_t)target;
                peeked = (size_t)got;
                if (!told) {
                    /* The peer may need all room there is, also what has been read since the daemon looked. */
                    ring(stream->session, stream->section, stream->index);
                    told = true;
                }
            } else if (all || !wait || (flags & MSG_PEEK) != 0) {
                put_stream(stream);
                return done > 0 && got < 0 ? (ssize_t)done : (ssize_t)done + got;
            } else {
                done += (size_t)got;
            }
        } else if (!wait) {
            put_stream(stream);
            return done > 0 ? (ssize_t)done : fails(EAGAIN);
        }
        if (!sleep_until_readable(stream, descriptor, needed, &patience)) {
            return done + peeked > 0 ? (ssize_t)(done + peeked) : -1;
        }
    }
}

/* ---- Sending ---- */

static ssize_t send_all(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags) {
    size_t total = octets_of(pieces, count), done = 0;
    struct patience patience = {.option = SO_SNDTIMEO};
    if ((flags & MSG_OOB) != 0 || total > SSIZE_MAX) {
        put_stream(stream);
        return fails((flags & MSG_OOB) != 0 ? EOPNOTSUPP : EINVAL);
    }
    for (;; stream = current_stream(descriptor)) {
        if (stream == NULL || stream->origin != NULL) {
            return transmit_by_kernel(stream, descriptor, pieces, count, done, flags);
        }
        ssize_t sent = 0;
        enum step step = send_step(stream, pieces, count, done, blocks(stream, flags), &sent);
        if (step == STEP_MOVED) {
            put_stream(stream);
            continue;
        }
        done += sent > 0 ? (size_t)sent : 0;
        if (sent < 0 || done == total) {
            put_stream(stream);
            return done > 0 ? (ssize_t)done : sent;
        }
        if (!blocks(stream, flags)) {
            /* Whoever the kernel wakes, it has to be when there is room. */
            if (!is_connecting(stream) && !is_writable(stream) && atomic_load(&stream->header->waiters) > 0) {
                arm_out(stream, descriptor, false);
            }
            put_stream(stream);
            return done > 0 ? (ssize_t)done : fails(EAGAIN);
        }
        if (!sleep_until_writable(stream, descriptor, &patience)) {
            return done > 0 ? (ssize_t)done : -1;
        }
    }
}

ssize_t transmit(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags) {
    ssize_t sent = send_all(stream, descriptor, pieces, count, flags);
    if (sent < 0 && errno == EPIPE && (flags & MSG_NOSIGNAL) == 0) {
        pthread_kill(pthread_self(), SIGPIPE);
        errno = EPIPE;
    }
    return sent;
}

int await_connection(int descriptor) {
    struct patience patience = {.option = SO_SNDTIMEO};
    for (;;) {
        struct stream *stream = current_stream(descriptor);
        if (stream == NULL) {
            return fails(EBADF);
        }
        if (!is_connecting(stream)) {
            atomic_store(&stream->header->connect_told, 1);
            int error = take_outcome(stream);
            put_stream(stream);
            return error == 0 ? 0 : fails(error);
        }
        if (!sleep_until_writable(stream, descriptor, &patience)) {
            return fails(errno == EAGAIN ? EINPROGRESS : errno);
        }
    }
}
