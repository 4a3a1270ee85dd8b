#include "connecting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "settings.h"
#include "stream.h"

/* After that time without an answer connect(2) fails. */
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

static int error_of(int reason) {
    switch (reason) {
        case RDDP_REFUSED: return ECONNREFUSED;
        case RDDP_TIMEOUT: return ETIMEDOUT;
        case RDDP_UNREACHABLE: return EHOSTUNREACH;
        case RDDP_PERMISSION: return EACCES;
        case RDDP_ADDRESS_IN_USE: return EADDRNOTAVAIL;  /* all ports of this side are taken */
        case RDDP_LIMIT:
        case RDDP_RESOURCES: return ENOBUFS;
        case RDDP_RESET:
        case RDDP_MPA_ERROR:
        case RDDP_PEER_CLOSE: return ECONNRESET;
        default: return ENETDOWN;  /* the daemon is gone, or is none that serves this library */
    }
}

/* The link to a peer; to one that only a rule names, through the interface's gateway. */
static struct link *link_of(const struct decision *made, const struct in6_addr *address, const struct in6_addr *from) {
    unsigned count;
    struct link *list = links(&count), *found = link_to(address, from);
    return found != NULL || made->network != NULL || count == 0 ? found : list;
}

static int fails_at(const struct in6_addr *address, uint16_t port, int error, const char *why) {
    char text[INET6_ADDRSTRLEN] = "";
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? (const void *)&address->s6_addr[12] : address, text, sizeof text);
    complain("no connection to %s port %u, and none by the kernel: %s: %s", text, port, strerror(error), why);
    return error;
}

int begin_connecting(struct sock *sock, const struct in6_addr *address, uint16_t port, const struct decision *made) {
    struct in6_addr from = bound_address(sock->descriptor);
    unsigned count;
    links(&count);
    struct link *link = link_of(made, address, &from);
    if (link == NULL) {
        return count == 0 ? fails_at(address, port, ENETDOWN, "there is no daemon; start it, or give a rule for the address")
                          : fails_at(address, port, ENETUNREACH, "no interface that this program uses is in its network");
    }
    if (open_link(link) == NULL) {
        return fails_at(address, port, error_of(link->reason), rddp_error());
    }
    struct rddp_connection_options options = connection_options();
    struct greeting greeting = own_greeting();
    rddp_connection *connection;
    int reason = rddp_start_connect_ipv6(link->session, address, port, &greeting, sizeof greeting, CONNECT_MS, &options, &connection);
    if (reason != RDDP_OK) {
        return fails_at(address, port, error_of(reason), rddp_error());
    }
    if (!attach_stream(sock, link, connection)) {
        rddp_forget(connection);
        return fails_at(address, port, ENOBUFS, "the session has no room for another connection");
    }
    sock->to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = *address, .sin6_port = htons(port)};
    sock->or_kernel = made->way == WAY_RDDP_OR_KERNEL;
    sock->network = made->network;
    sock->stage = STAGE_CONNECTING;
    sock_moved(sock, false);
    return 0;
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

static void on_refusal(struct sock *sock, int reason) {
    detach_stream(sock);
    if (sock->descriptors == 0) {
        return;
    }
    uint16_t port = ntohs(sock->to.sin6_port);
    /* Nothing but a refusal is an answer of the peer's host. */
    if (sock->or_kernel && reason == RDDP_REFUSED && kernel_is_near(sock->network, &sock->to.sin6_addr)) {
        sockets_log("port %u: by the kernel, since rddp says %s", port, rddp_reason_name(reason));
        fall_back(sock);
        return;
    }
    if (reason == RDDP_REFUSED) {
        sockets_log("port %u: nobody listens there over rddp", port);
    } else {
        fails_at(&sock->to.sin6_addr, port, error_of(reason), rddp_reason_name(reason));
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
