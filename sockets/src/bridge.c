#include "bridge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/un.h>

#include "addresses.h"
#include "libc.h"
#include "locks.h"
#include "settings.h"

/* A name: this, 16 hexadecimal digits, and of a bridge the addresses. */
#define NAME "rddp-stream/"
#define NAME_OCTETS (sizeof NAME - 1 + 16)

void (*before_replacing)(struct stream *stream, int descriptor);
void (*after_replacing)(struct stream *stream, int descriptor);

/* ---- In the place of a stream ---- */

struct replacement {
    struct stream *stream, *bridge;
    int made;
};

// cppcheck-suppress constParameter  ; of for_each()
static void replace(struct object *object, int descriptor, void *argument) {
    const struct replacement *replacement = argument;
    if (object != &replacement->stream->object) {
        return;
    }
    int flags = fcntl(descriptor, F_GETFD, 0);
    bool own = is_own_process();
    if (own && before_replacing != NULL) {
        before_replacing(replacement->stream, descriptor);
    }
    LIBC(dup3)(replacement->made, descriptor, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    if (!own) {
        return;
    }
    if (replacement->bridge == NULL || !name(&replacement->bridge->object, descriptor)) {
        unname(descriptor);
    }
    if (after_replacing != NULL) {
        after_replacing(replacement->stream, descriptor);
    }
}

void replace_stream(struct stream *stream, int made, struct stream *bridge) {
    struct replacement replacement = {.stream = stream, .bridge = bridge, .made = made};
    lock_library();
    for_each(A_STREAM, replace, &replacement);
    unlock_library();
}

/* What belongs to the open file description. */
static void copy_timeouts(int from, int to) {
    static const int names[] = {SO_RCVTIMEO, SO_SNDTIMEO};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct timeval time;
        socklen_t length = sizeof time;
        if (LIBC(getsockopt)(from, SOL_SOCKET, names[i], &time, &length) == 0) {
            LIBC(setsockopt)(to, SOL_SOCKET, names[i], &time, length);
        }
    }
}

/* The name by which processes without a mapping learn the addresses, as the daemon gives it to a bridge. */
static void name_end(int end, const struct stream_ends *ends) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t number = 0;
    (void)!getrandom(&number, sizeof number, 0);
    snprintf(address.sun_path + 1, NAME_OCTETS + 1, NAME "%016" PRIx64, number);
    memcpy(address.sun_path + 1 + NAME_OCTETS, ends, sizeof *ends);
    (void)LIBC(bind)(end, (struct sockaddr *)&address, (socklen_t)(sizeof address.sun_family + 1 + NAME_OCTETS + sizeof *ends));
}

/*
 * Of a stream that the daemon has none for any more, as it was reset or the daemon is gone: a socket that says ECONNRESET once, as its
 * other end is closed with an octet that nobody has read. -1 with errno.
 */
static int reset_socket(const struct stream *stream) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    if (stream != NULL) {
        name_end(ends[1], &stream->header->ends);
    }
    bool tells = stream == NULL || atomic_load(&stream->header->error_told) == 0;
    (void)!write(ends[0], "r", tells);
    close(ends[1]);
    return ends[0];
}

/* Whether the daemon says so of a stream that is being connected; it waits until that is, or has failed. */
static bool await_outcome(const struct stream *stream, int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
    if (errno != EINPROGRESS) {
        return false;
    }
    if (!is_connecting(stream)) {
        (void)poll(&polled, 1, -1);
    }
    return true;
}

/* No write is in the middle: its octets would come to where the daemon puts those of the bridge by then. */
static int request_between_writes(const struct stream *stream, int descriptor) {
    if (stream == NULL) {
        return request_bridge(descriptor);
    }
    lock_library();  /* before the other: a request may need it */
    lock_shared(&stream->header->write_lock);
    int made = request_bridge(descriptor), error = errno;
    unlock_shared(&stream->header->write_lock);
    unlock_library();
    errno = error;
    return made;
}

/*
 * The stream is NULL if this process has no mapping of it. -1 with errno: EINPROGRESS, if it is not connected yet, or there is no
 * descriptor for it.
 */
static int bridge_of(const struct stream *stream, int descriptor) {
    int made = request_between_writes(stream, descriptor);
    if (made < 0 && stream != NULL && errno == EINPROGRESS) {
        return -1;
    }
    if (made < 0) {
        sockets_log("descriptor %d: no bridge: %s", descriptor, strerror(errno));
        made = errno == EMFILE || errno == ENFILE ? -1 : reset_socket(stream);
    }
    if (made < 0) {
        return -1;
    }
    int flags = fcntl(descriptor, F_GETFL, 0);
    if (flags >= 0) {
        (void)fcntl(made, F_SETFL, flags & (O_NONBLOCK | O_ASYNC));
    }
    copy_timeouts(descriptor, made);
    return made;
}

/* Nobody jumps out of it, or is cancelled, who would leave the new descriptor behind. False with errno. */
static bool replace_by_bridge(struct stream *stream, int descriptor) {
    uint64_t signals = block_signals();
    int made = bridge_of(stream, descriptor), error = errno;
    struct stream *bridge = made < 0 || !is_own_process() ? NULL : new_bridge(stream);
    if (made >= 0) {
        replace_stream(stream, made, bridge);
        close(made);
        sockets_log("descriptor %d: octets pass by a bridge", descriptor);
    }
    if (bridge != NULL) {
        put_stream(bridge);
    }
    restore_signals(signals);
    errno = error;
    return made >= 0;
}

bool use_bridge(int descriptor) {
    int error = errno;
    bool done = true;
    struct stream *stream = take_stream(descriptor);
    if (stream != NULL && stream->origin == NULL) {
        do {
            done = replace_by_bridge(stream, descriptor);
        } while (!done && await_outcome(stream, descriptor));
        if (!done && has_moved(stream)) {
            lose_stream(stream);
        }
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    errno = done ? error : EMFILE;
    return done;
}

static void use_bridge_for_exec(struct object *object, int descriptor, void *argument) {
    (void)object;
    bool *all = argument;
    int flags = fcntl(descriptor, F_GETFD, 0);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) {
        *all &= use_bridge(descriptor);
    }
}

bool use_bridges_for_exec(void) {
    bool all = true;
    lock_library();
    for_each(A_STREAM, use_bridge_for_exec, &all);
    unlock_library();
    if (!all) {
        errno = EMFILE;
    }
    return all;
}

/* ---- By name ---- */

/* Octets of the name of the socket's other end; 0 if it is no stream or bridge, or not the daemon's. */
static size_t name_of_other_end(int descriptor, struct sockaddr_un *address) {
    socklen_t length = sizeof *address, credentials_length = sizeof(struct ucred);
    struct ucred peer;
    memset(address, 0, sizeof *address);
    int error = errno;
    bool is = LIBC(getpeername)(descriptor, (struct sockaddr *)address, &length) == 0 && address->sun_family == AF_UNIX
        && address->sun_path[0] == '\0' && strncmp(address->sun_path + 1, NAME, strlen(NAME)) == 0
        && LIBC(getsockopt)(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &credentials_length) == 0
        && is_daemons_user(peer.uid);
    errno = error;
    return is ? length - sizeof address->sun_family - 1 : 0;
}

bool is_bridge(int descriptor, struct stream_ends *ends) {
    struct sockaddr_un address;
    if (name_of_other_end(descriptor, &address) != NAME_OCTETS + sizeof *ends) {
        return false;
    }
    memcpy(ends, address.sun_path + 1 + NAME_OCTETS, sizeof *ends);
    return true;
}

/* ---- From the program before ---- */

static void look_at_inherited(int descriptor) {
    struct sockaddr_un address;
    if (option_of(descriptor, SOL_SOCKET, SO_TYPE) != SOCK_SEQPACKET || name_of_other_end(descriptor, &address) == 0) {
        return;
    }
    int made = bridge_of(NULL, descriptor);
    if (made >= 0) {
        LIBC(dup3)(made, descriptor, 0);
        close(made);
    }
}

void use_bridges_of_inherited(void) {
    for_each_open(look_at_inherited);
}
