#include "connecting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"
#include "stream.h"

/* After that time without an answer the kernel has its turn. */
#define CONNECT_MS 3000u

struct rddp_connection_options connection_options(void) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.revision = 2;
    options.peer_to_peer = RDDP_YES;  /* either end may send first */
    options.send_immediate = true;
    options.acknowledged = true;      /* a process ends when its peer has everything */
    return options;
}

static struct in6_addr bound_address(int descriptor) {
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    struct in6_addr address = in6addr_any;
    uint16_t port;
    if (LIBC(getsockname)(descriptor, (struct sockaddr *)&bound, &length) == 0) {
        read_address((struct sockaddr *)&bound, length, &address, &port);
    }
    return address;
}

bool begin_connecting(struct sock *sock, const struct in6_addr *address, uint16_t port) {
    struct in6_addr from = bound_address(sock->descriptor);
    struct link *link = link_to(address, &from);
    if (link == NULL || open_link(link) == NULL) {
        return false;
    }
    struct rddp_connection_options options = connection_options();
    struct greeting greeting = own_greeting();
    rddp_connection *connection;
    if (rddp_start_connect_ipv6(link->session, address, port, &greeting, sizeof greeting, CONNECT_MS, &options, &connection) != RDDP_OK) {
        sockets_log("port %u: not by rddp: %s", port, rddp_error());
        return false;
    }
    if (!attach_stream(sock, link, connection)) {
        rddp_forget(connection);
        return false;
    }
    sock->to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = *address, .sin6_port = htons(port)};
    sock->stage = STAGE_CONNECTING;
    sock_moved(sock, false);
    return true;
}

/*
 * The kernel has its turn if it has a route; where rddp was refused, only if it is in the same network itself, and is not
 * merely going to ask its router for an address that nobody has.
 */
static bool kernel_reaches(const struct sock *sock, bool was_refused) {
    const struct in6_addr *to = &sock->to.sin6_addr;
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(to);
    int probe = socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to_ipv4 = {.sin_family = AF_INET, .sin_port = sock->to.sin6_port};
    memcpy(&to_ipv4.sin_addr, &to->s6_addr[12], 4);
    bool reaches = probe >= 0
        && (ipv4 ? connect(probe, (struct sockaddr *)&to_ipv4, sizeof to_ipv4)
                 : connect(probe, (const struct sockaddr *)&sock->to, sizeof sock->to)) == 0;
    if (reaches && was_refused) {
        struct in6_addr own = bound_address(probe);
        reaches = in_network(sock->link, &own);
    }
    if (probe >= 0) {
        close(probe);
    }
    return reaches;
}

/* Connects the kernel's socket, as the program has asked; one that blocks is connected by the thread that waits. */
static void fall_back(struct sock *sock) {
    if (sock->nonblocking) {
        struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = sock->to.sin6_port};
        memcpy(&ipv4.sin_addr, &sock->to.sin6_addr.s6_addr[12], 4);
        (void)!(sock->family == AF_INET
                ? LIBC(connect)(sock->descriptor, (struct sockaddr *)&ipv4, sizeof ipv4)
                : LIBC(connect)(sock->descriptor, (struct sockaddr *)&sock->to, sizeof sock->to));
    }
    leave_to_kernel(sock);
}

static int error_of(int reason) {
    switch (reason) {
        case RDDP_REFUSED: return ECONNREFUSED;
        case RDDP_TIMEOUT: return ETIMEDOUT;
        case RDDP_UNREACHABLE: return EHOSTUNREACH;
        default: return ECONNRESET;
    }
}

static void on_refusal(struct sock *sock, int reason) {
    detach_stream(sock);
    if (sock->descriptors == 0) {
        return;
    }
    if (kernel_reaches(sock, reason == RDDP_REFUSED)) {
        sockets_log("port %u: by the kernel, since rddp says %s", ntohs(sock->to.sin6_port), rddp_reason_name(reason));
        fall_back(sock);
        return;
    }
    sock->stage = STAGE_CONNECTED;
    sock->error = error_of(reason);
    sock->dead = sock->failed = true;
    sock_changed(sock);
}

void on_connecting(struct sock *sock, enum rddp_connection_state state) {
    struct rddp_connection_info info;
    rddp_connection_info(sock->connection, &info);
    if (state == RDDP_CLOSED) {
        on_refusal(sock, info.reason);
    } else if (read_greeting(sock, &info)) {
        sock->stage = STAGE_CONNECTED;
        sockets_log("port %u: connected to port %u", info.local_port, info.remote_port);
        sock_changed(sock);
    } else {
        sockets_log("port %u: a program without sockets listens there", info.remote_port);
        rddp_connection *stranger = sock->connection;
        if (rddp_disconnect(stranger, false) == RDDP_OK) {
            /* Its memory may be used again when it has ended. */
            (void)!rddp_await_closed(stranger, CONNECT_MS);
        }
        on_refusal(sock, RDDP_REFUSED);
    }
}
