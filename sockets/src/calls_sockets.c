/* The functions of libc that connect sockets, let them listen, and name them. */
#include <errno.h>
#include <string.h>

#include "addresses.h"
#include "bridge.h"
#include "calls.h"
#include "connecting.h"
#include "io.h"
#include "libc.h"
#include "listening.h"

/* An interface's address is none of the kernel's: its socket may be bound to it all the same. */
static int bind_to_interface(int descriptor, const struct sockaddr *address, socklen_t length, const struct in6_addr *at) {
    int domain = tcp_domain(descriptor), on = 1;
    const struct networks *networks = domain == 0 ? NULL : find_networks();
    bool own = false;
    for (unsigned i = 0; networks != NULL && i < networks->count; i++) {
        own |= memcmp(&networks->all[i].address, at, sizeof *at) == 0;
    }
    if (own && (domain == AF_INET ? LIBC(setsockopt)(descriptor, IPPROTO_IP, IP_FREEBIND, &on, sizeof on)
                                  : LIBC(setsockopt)(descriptor, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on)) == 0) {
        return LIBC(bind)(descriptor, address, length);
    }
    return fails(EADDRNOTAVAIL);
}

EXPORT int(bind)(int descriptor, const struct sockaddr *address, socklen_t length) {
    int result = LIBC(bind)(descriptor, address, length), error = errno;
    struct in6_addr at;
    uint16_t port;
    if ((result != 0 && error != EADDRNOTAVAIL) || !read_address(address, length, &at, &port)) {
        errno = error;
        return result;
    }
    if (result != 0) {
        result = bind_to_interface(descriptor, address, length, &at);
        error = errno;
    }
    if (result == 0 && port == 0 && tcp_domain(descriptor) != 0) {
        mark_port_as_any(descriptor);
    }
    errno = error;
    return result;
}

EXPORT int(connect)(int descriptor, const struct sockaddr *address, socklen_t length) {
    bool internet = address != NULL && length >= sizeof address->sa_family
        && (address->sa_family == AF_INET || address->sa_family == AF_INET6 || is_named(descriptor));
    return internet ? connect_socket(descriptor, address, length) : LIBC(connect)(descriptor, address, length);
}

EXPORT int(listen)(int descriptor, int backlog) {
    return listen_socket(descriptor, backlog);
}

EXPORT int(accept4)(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    struct listener *listener = (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == 0 ? take_listener(descriptor) : NULL;
    return listener == NULL ? LIBC(accept4)(descriptor, address, length, flags)
                            : accept_socket(listener, descriptor, address, length, flags);
}

EXPORT int(accept)(int descriptor, struct sockaddr *address, socklen_t *length) {
    return (accept4)(descriptor, address, length, 0);
}

/* ---- Names ---- */

/* Of a bridge without a mapping, what the kernel says is a name of the daemon's. */
static int name_of_bridge(int descriptor, bool remote, int result, struct sockaddr *address, socklen_t *length, socklen_t room) {
    struct stream_ends ends;
    if (result != 0 || address == NULL || room < sizeof address->sa_family || address->sa_family != AF_UNIX
        || !is_bridge(descriptor, &ends)) {
        return result;
    }
    struct in6_addr own = address_of_end(&ends, remote);
    *length = room;
    store_address(ends.family, &own, remote ? ends.remote_port : ends.local_port, address, length);
    return 0;
}

static int name_of_stream(struct stream *stream, bool remote, struct sockaddr *address, socklen_t *length) {
    const struct stream_ends *ends = &stream->header->ends;
    struct in6_addr own = address_of_end(ends, remote);
    store_address((int)stream->header->domain, &own, remote ? ends->remote_port : ends->local_port, address, length);
    return 0;
}

EXPORT int(getsockname)(int descriptor, struct sockaddr *address, socklen_t *length) {
    struct stream *stream = current_stream(descriptor);
    if (stream == NULL) {
        socklen_t room = length == NULL ? 0 : *length;
        return name_of_bridge(descriptor, false, LIBC(getsockname)(descriptor, address, length), address, length, room);
    }
    int result = name_of_stream(stream, false, address, length);
    put_stream(stream);
    return result;
}

EXPORT int(getpeername)(int descriptor, struct sockaddr *address, socklen_t *length) {
    struct stream *stream = current_stream(descriptor);
    if (stream == NULL) {
        socklen_t room = length == NULL ? 0 : *length;
        return name_of_bridge(descriptor, true, LIBC(getpeername)(descriptor, address, length), address, length, room);
    }
    int result = is_connected(stream) ? name_of_stream(stream, true, address, length) : fails(ENOTCONN);
    put_stream(stream);
    return result;
}

/* ---- Ending ---- */

/* As with TCP it ends, whichever direction is named, with ECONNRESET for who waits, and the socket may connect anew. */
static int stop_connecting(struct stream *stream, int descriptor) {
    atomic_store(&stream->header->connect_told, 1);
    lose_stream(stream);
    return LIBC(shutdown)(descriptor, SHUT_RDWR);
}

static int shut_down(struct stream *stream, int descriptor, int how) {
    if (stream->origin != NULL) {
        if (how == SHUT_RD || how == SHUT_RDWR) {
            end_receiving(stream);
        }
        return LIBC(shutdown)(descriptor, how);
    }
    if (how < SHUT_RD || how > SHUT_RDWR) {
        return fails(EINVAL);
    }
    if (is_connecting(stream)) {
        return stop_connecting(stream, descriptor);
    }
    if (!is_connected(stream)) {
        return fails(ENOTCONN);
    }
    if (how != SHUT_RD) {
        end_sending(stream);
    }
    if (how != SHUT_WR) {
        end_receiving(stream);
        tell_others(stream);  /* somebody may sleep */
    }
    if (has_moved(stream)) {
        /* The daemon may have looked before. */
        return use_bridge(descriptor) ? LIBC(shutdown)(descriptor, how) : -1;
    }
    return 0;
}

EXPORT int(shutdown)(int descriptor, int how) {
    struct stream *stream = current_stream(descriptor);
    if (stream != NULL) {
        int result = shut_down(stream, descriptor, how);
        put_stream(stream);
        return result;
    }
    int result = LIBC(shutdown)(descriptor, how);
    if (result == 0 && how != SHUT_WR) {
        stop_listening(descriptor);
    }
    return result;
}

/* ---- By number ---- */

bool call_on_sockets(long number, const long of[6], long *result) {
    int descriptor = (int)of[0], second = (int)of[1], third = (int)of[2];
    void *at = (void *)of[1];
    socklen_t *length = (socklen_t *)of[2];
    switch (number) {
        case SYS_bind: *result = (bind)(descriptor, at, (socklen_t)third); break;
        case SYS_connect: *result = (connect)(descriptor, at, (socklen_t)third); break;
        case SYS_listen: *result = (listen)(descriptor, second); break;
        case SYS_accept: *result = (accept4)(descriptor, at, length, 0); break;
        case SYS_accept4: *result = (accept4)(descriptor, at, length, (int)of[3]); break;
        case SYS_getsockname: *result = (getsockname)(descriptor, at, length); break;
        case SYS_getpeername: *result = (getpeername)(descriptor, at, length); break;
        case SYS_shutdown: *result = (shutdown)(descriptor, second); break;
        default: return false;
    }
    return true;
}
