#include "connecting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>

#include "addresses.h"
#include "bridge.h"
#include "io.h"
#include "libc.h"
#include "locks.h"
#include "options.h"
#include "settings.h"

/* What a program would not guess from the errno: once for each. */
static void explain(int error, const struct in6_addr *address, uint16_t port) {
    static _Atomic uint64_t explained[3];
    if (error == ECONNREFUSED || error == EINPROGRESS || error == EINTR || error < 0 || error >= 192
        || (atomic_fetch_or(&explained[error / 64], UINT64_C(1) << error % 64) >> error % 64 & 1) != 0) {
        return;
    }
    char text[INET6_ADDRSTRLEN];
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? (const void *)&address->s6_addr[12] : address, text, sizeof text);
    const char *why = error == ENETDOWN  ? "there is no daemon of rddp"
        : error == EHOSTDOWN             ? "the host answers that it does not speak rddp"
        : error == ENETUNREACH           ? "no interface that this program uses reaches it"
        : error == EMFILE                ? "a limit of the daemon's or of the process is reached"
                                         : strerror(error);
    sockets_warn("no connection to %s port %u: %s; the address is rddp's, and the kernel is not asked"
                 " (rddp sockets --explain %s:%u)", text, port, why, text, port);
}

/* ---- The request ---- */

struct wish {
    struct in6_addr to;
    uint16_t port;
    struct in6_addr local;
    uint16_t local_port;
    uint32_t timeout_ms;  /* 0: the daemon's */
};

/* The address of the interface that the user has chosen, unless the program has bound one itself. */
static void choose_local(struct wish *wish, const struct networks *networks) {
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(&wish->to);
    if (!IN6_IS_ADDR_UNSPECIFIED(&wish->local) && (!IN6_IS_ADDR_V4MAPPED(&wish->local) || unmapped(&wish->local) != 0)) {
        return;
    }
    wish->local = in6addr_any;
    for (unsigned i = 0; chosen_interface() != NULL && i < networks->count; i++) {
        const struct network *each = &networks->all[i];
        if (strcmp(each->interface, chosen_interface()) == 0 && !!IN6_IS_ADDR_V4MAPPED(&each->address) == ipv4) {
            wish->local = each->address;
            return;
        }
    }
}

static int ask(struct session *session, const struct wish *wish, struct stream_parts *parts) {
    struct message message;
    begin_message(&message, STREAM_CONNECT);
    put_ipv6(&message, &wish->to);
    put_u32(&message, wish->port);
    put_ipv6(&message, &wish->local);
    put_u32(&message, wish->local_port);
    put_u32(&message, wish->timeout_ms);
    put_u32(&message, 0);
    if (request(session, &message, STREAM_CONNECTING) != REQUEST_DONE) {
        return -1;
    }
    *parts = (struct stream_parts){.session = session, .section = get_u32(&message), .index = get_u32(&message),
        .send_octets = get_u32(&message), .receive_octets = get_u32(&message)};
    (void)get_ipv6(&message);
    (void)get_u32(&message);
    parts->socket = take_descriptor(&message);
    parts->memory = take_descriptor(&message);
    return 0;
}

/* ---- The stream in the place of the program's socket ---- */

static bool put_in_place(struct stream *stream, int socket, int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0), descriptor_flags = fcntl(descriptor, F_GETFD, 0);
    atomic_store(&stream->header->nonblocking, (flags & O_NONBLOCK) != 0);
    (void)fcntl(socket, F_SETFL, flags & (O_NONBLOCK | O_ASYNC));
    inherit_options(stream, socket, descriptor);
    fill(socket, true);
    lock_library();
    if (before_replacing != NULL) {
        before_replacing(stream, descriptor);
    }
    bool done = LIBC(dup3)(socket, descriptor, (descriptor_flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) >= 0
        && name(&stream->object, descriptor);
    if (after_replacing != NULL) {
        after_replacing(stream, descriptor);
    }
    unlock_library();
    return done;
}

/*
 * The kernel does not know which ports streams have, and may choose one of them for a program that has bound "any". It says with this
 * option whether a port is one that it chose: on a bound socket it has no other effect.
 */
void mark_port_as_any(int descriptor) {
    int on = 1;
    (void)LIBC(setsockopt)(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
}

/* Asks for the port that the socket is bound to. */
static int ask_with_port(struct session *session, int descriptor, const struct wish *wish, struct stream_parts *parts) {
    struct wish other = *wish;
    if (ask(session, wish, parts) == 0) {
        return 0;
    }
    int error = errno;
    if (error != EADDRNOTAVAIL || option_of(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT) != 1) {
        return fails(error);
    }
    other.local_port = 0;
    return ask(session, &other, parts);
}

static int begin_connecting(int descriptor, int domain, const struct wish *wish, enum way way) {
    struct session *session = open_session();
    struct stream_parts parts;
    uint64_t signals = block_signals();  /* nobody jumps out of it, who would leave descriptors behind */
    if (session == NULL || ask_with_port(session, descriptor, wish, &parts) != 0) {
        restore_signals(signals);
        return -1;
    }
    struct stream *stream = map_stream(&parts, domain);
    bool good = stream != NULL;
    if (good) {
        stream->to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = wish->to, .sin6_port = htons(wish->port)};
        if (way == WAY_RDDP_OR_KERNEL) {
            (void)hide(descriptor, &stream->fallback);
        }
        good = put_in_place(stream, parts.socket, descriptor);
    }
    int error = errno;
    close(parts.socket);
    close(parts.memory);
    if (good) {
        begin_stream(stream, MAPPED);
        sockets_log("to port %u: asks for a connection", wish->port);
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    restore_signals(signals);
    return good ? 0 : fails(error);
}

/* ---- connect(2) ---- */

/* Of a rule that names what no interface reaches. */
static bool is_unreachable(const struct decision *made, int error) {
    return made->network == NULL && made->way == WAY_RDDP_OR_KERNEL && error == ENETUNREACH;
}

static int finish_connecting(int descriptor, const struct wish *wish, const struct sockaddr *address, socklen_t length) {
    struct stream *stream = current_stream(descriptor);
    bool waits = stream != NULL && atomic_load(&stream->header->nonblocking) == 0;
    if (stream != NULL) {
        put_stream(stream);
    }
    if (!waits) {
        return stream != NULL ? fails(EINPROGRESS) : LIBC(connect)(descriptor, address, length);
    }
    int result = await_connection(descriptor);
    if (result == 0) {
        sockets_log("connected to port %u", wish->port);
        return 0;
    }
    int error = errno;
    if (error == EBADF) {
        return LIBC(connect)(descriptor, address, length);  /* the kernel's by now, and connecting */
    }
    if (error == ECONNREFUSED) {
        sockets_log("to port %u: nobody listens there over rddp", wish->port);
    }
    explain(error, &wish->to, wish->port);
    return fails(error);
}

static int connect_new(int descriptor, int domain, const struct sockaddr *address, socklen_t length) {
    struct wish wish;
    if (!read_address(address, length, &wish.to, &wish.port) || address->sa_family != domain || !is_unconnected(descriptor)) {
        return LIBC(connect)(descriptor, address, length);
    }
    int before = errno;
    struct decision made = decide(find_networks(), &wish.to, wish.port);
    errno = before;
    if (made.way == WAY_KERNEL) {
        return LIBC(connect)(descriptor, address, length);
    }
    if (made.way == WAY_REFUSED) {
        return fails(EACCES);
    }
    if (wish.port == 0) {
        return fails(ECONNREFUSED);  /* nobody can listen there, and the kernel may have a route to it */
    }
    if (is_bound_to_device(descriptor, made.network == NULL ? NULL : made.network->interface)
        || (IN6_IS_ADDR_V4MAPPED(&wish.to) && domain == AF_INET6 && option_of(descriptor, IPPROTO_IPV6, IPV6_V6ONLY) != 0)) {
        return fails(ENETUNREACH);
    }
    read_bound(descriptor, &wish.local, &wish.local_port);
    choose_local(&wish, rddp_networks());
    wish.timeout_ms = (uint32_t)option_of(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT);  /* holds for connecting, too */
    if (begin_connecting(descriptor, domain, &wish, made.way) == 0) {
        return finish_connecting(descriptor, &wish, address, length);
    }
    int error = errno;
    bool stranger = error == EHOSTDOWN && made.way == WAY_RDDP_OR_KERNEL && kernel_is_near(made.network, &wish.to);
    if (stranger || is_unreachable(&made, error)) {
        sockets_log("to port %u: by the kernel", wish.port);
        return LIBC(connect)(descriptor, address, length);
    }
    explain(error, &wish.to, wish.port);
    return fails(error);
}

/* A new socket of the kernel's in the stream's place. 1; -1 with errno. */
static int begin_anew(struct stream *stream, int descriptor) {
    int made = socket((int)stream->header->domain, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    if (made < 0) {
        return -1;
    }
    (void)fcntl(made, F_SETFL, fcntl(descriptor, F_GETFL, 0));
    replace_stream(stream, made, NULL);
    close(made);
    return 1;
}

/* Of a stream. 1: it may try anew. */
static int connect_again(struct stream *stream, int descriptor) {
    struct stream_header *header = stream->header;
    if (is_connecting(stream)) {
        return atomic_load(&header->nonblocking) != 0 ? fails(EALREADY) : await_connection(descriptor);
    }
    if (atomic_exchange(&header->connect_told, 1) == 0) {
        int error = take_outcome(stream);
        return error == 0 ? 0 : fails(error);
    }
    return was_established(stream) ? fails(EISCONN) : begin_anew(stream, descriptor);
}

/* AF_UNSPEC: the connection is reset, and the socket connects anew. */
static int dissolve(struct stream *stream, int descriptor) {
    abort_at_close(stream);
    return begin_anew(stream, descriptor) == 1 ? 0 : -1;
}

int connect_socket(int descriptor, const struct sockaddr *address, socklen_t length) {
    struct stream *stream = current_stream(descriptor);
    if (stream != NULL) {
        bool dissolves = address != NULL && length >= sizeof address->sa_family && address->sa_family == AF_UNSPEC;
        int result = stream->origin != NULL ? fails(EISCONN) : dissolves ? dissolve(stream, descriptor) : connect_again(stream, descriptor);
        put_stream(stream);
        if (result <= 0) {
            return result;
        }
    }
    int domain = tcp_domain(descriptor);
    return domain == 0 ? LIBC(connect)(descriptor, address, length) : connect_new(descriptor, domain, address, length);
}

bool is_rddps(const struct sockaddr *address, socklen_t length) {
    struct in6_addr to;
    uint16_t port;
    return read_address(address, length, &to, &port) && decide(find_networks(), &to, port).way != WAY_KERNEL;
}
