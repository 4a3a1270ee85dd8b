#include "listening.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "connecting.h"
#include "internal.h"
#include "settings.h"
#include "stream.h"

#define MAX_BACKLOG 256u
#define ANSWER_MS 1000
/* Between two tries to have a port that another process has. */
#define CLAIM_NANOS 500000000u

/* The address to listen at by a link; false if the bound one is none of it. */
static bool address_at(const struct link *link, int family, const struct in6_addr *bound, struct in6_addr *at) {
    if (!IN6_IS_ADDR_UNSPECIFIED(bound)) {
        *at = *bound;
        return has_address(link, bound);
    }
    *at = in6addr_any;
    if (family == AF_INET) {
        at->s6_addr[10] = at->s6_addr[11] = 0xff;  /* of IPv4 only */
    }
    return family != AF_INET || link->interface.address != 0;
}

static bool bound_to(const struct sock *sock, struct port_request *bound) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return LIBC(getsockname)(sock->descriptor, (struct sockaddr *)&address, &length) == 0
        && read_address((struct sockaddr *)&address, length, &bound->address, &bound->port);
}

static void listen_at_links(struct sock *sock) {
    struct port_request bound = {.port = 0};
    struct in6_addr at;
    unsigned count;
    struct link *list = links(&count);
    if (count == 0 || !bound_to(sock, &bound)) {
        return;
    }
    uint16_t port = bound.port;
    free(sock->listening);
    sock->listening = calloc(count, sizeof *sock->listening);
    struct rddp_connection_options options = connection_options();
    for (unsigned i = 0; i < count && sock->listening != NULL; i++) {
        struct listening *listening = &sock->listening[sock->listenings];
        listening->link = &list[i];
        if (!address_at(&list[i], sock->family, &bound.address, &at) || open_link(&list[i]) == NULL) {
            continue;
        }
        if (rddp_listen_ipv6(list[i].session, &at, port, sock->backlog, &options, &listening->listener) == RDDP_OK) {
            sock->listenings++;
            sockets_log("listens at port %u of %s", port, list[i].interface.name);
        } else {
            sockets_log("port %u of %s: %s", port, list[i].interface.name, rddp_error());
        }
    }
}

void begin_listening(struct sock *sock, unsigned backlog) {
    sock->backlog = backlog == 0 || backlog > MAX_BACKLOG ? MAX_BACKLOG : backlog;
    listen_at_links(sock);
    if (sock->listenings > 0) {
        sock->stage = STAGE_LISTENING;
    }
}

static void reject(rddp_connection *connection) {
    if (rddp_reject(connection, NULL, 0) != RDDP_OK) {
        sockets_log("reject: %s", rddp_error());
    }
}

static void accept_request(struct sock *sock, struct link *link, rddp_connection *connection) {
    struct rddp_connection_info info;
    rddp_connection_info(connection, &info);
    struct sock *made = new_sock(sock->family);
    if (made == NULL || !read_greeting(made, &info) || !attach_stream(made, link, connection)) {
        sockets_log("a connection to port %u is rejected", info.local_port);
        reject(connection);
        if (made != NULL) {
            release(made);
        }
        return;
    }
    made->stage = STAGE_CONNECTING;
    made->listens = sock;
    made->receive_timeout = sock->receive_timeout;
    made->send_timeout = sock->send_timeout;
    sock->references++;
    sock->waiting++;
    struct greeting greeting = own_greeting();
    if (rddp_start_accept(connection, &greeting, sizeof greeting, NULL) != RDDP_OK) {
        sockets_log("accept: %s", rddp_error());
        end_stream(made, false);
    }
}

void accept_requests(struct sock *sock) {
    rddp_connection *connection;
    for (unsigned i = 0; i < sock->listenings; i++) {
        while (sock->waiting < sock->backlog
            && rddp_next_request(sock->listening[i].listener, 0, &connection) == RDDP_OK) {
            accept_request(sock, sock->listening[i].link, connection);
        }
    }
}

/* Takes an accepted one from its listener; the reference that the listener had is the caller's. */
static void detach_from_listener(struct sock *made) {
    struct sock *sock = made->listens;
    made->listens = NULL;
    if (sock->waiting-- == sock->backlog) {
        accept_requests(sock);  /* nothing else tells of those that came while there was no room */
    }
    release(sock);
}

void on_accepting(struct sock *made, enum rddp_connection_state state) {
    struct sock *sock = made->listens;
    /* One that has ended since it was established still has what the peer has sent. */
    bool lost = state == RDDP_CLOSED && made->octets == 0 && !made->peer_ended;
    made->stage = STAGE_CONNECTED;
    if (lost || sock->descriptors == 0) {
        if (state == RDDP_CLOSED) {
            discard_octets(made);
            detach_stream(made);
        } else {
            abandon_stream(made);
        }
        detach_from_listener(made);
        release(made);
        return;
    }
    made->next_ready = NULL;
    *(sock->last_ready == NULL ? &sock->first_ready : &sock->last_ready->next_ready) = made;
    sock->last_ready = made;
    sock_changed(sock);
}

struct sock *next_ready(struct sock *sock) {
    struct sock *made = sock->first_ready;
    if (made != NULL) {
        sock->first_ready = made->next_ready;
        if (sock->first_ready == NULL) {
            sock->last_ready = NULL;
        }
        detach_from_listener(made);
    }
    return made;
}

void end_listening(struct sock *sock) {
    struct sock *made;
    for (unsigned i = 0; i < sock->listenings; i++) {
        rddp_close_listener(sock->listening[i].listener);
    }
    sock->listenings = 0;
    while ((made = next_ready(sock)) != NULL) {
        abandon_stream(made);
        release(made);
    }
}

void lose_listeners(struct sock *sock, const struct link *link) {
    unsigned kept = 0;
    for (unsigned i = 0; i < sock->listenings; i++) {
        if (sock->listening[i].link != link) {
            sock->listening[kept++] = sock->listening[i];
        }
    }
    sock->listenings = kept;
}

/* ---- Ports of a parent process ---- */

static int parent = -1;
static bool claims;  /* some socket is inherited, and used */
static uint64_t claims_at;

static void inherit(struct sock *sock, int descriptor) {
    (void)descriptor;
    if (sock->stage == STAGE_LISTENING) {
        sock->inherited = true;
        sock->used = false;
        sock->listenings = sock->waiting = 0;
        sock->first_ready = sock->last_ready = NULL;
    }
}

void inherit_listeners(int to_parent) {
    if (parent >= 0) {
        close(parent);
    }
    parent = to_parent;
    claims = false;
    for_each_sock(inherit);
}

/* Waits for the parent's answer: it listens no longer, if it has. */
static void ask_parent(const struct sock *sock) {
    struct port_request request = {.port = 0};
    struct pollfd answer = {.fd = parent, .events = POLLIN};
    char octet;
    if (parent >= 0 && bound_to(sock, &request)
        && send(parent, &request, sizeof request, MSG_NOSIGNAL) == (ssize_t)sizeof request
        && poll(&answer, 1, ANSWER_MS) == 1) {
        (void)!recv(parent, &octet, 1, MSG_DONTWAIT);
    }
}

static void claim(struct sock *sock, int descriptor) {
    if (sock->stage != STAGE_LISTENING || !sock->inherited || !sock->used || sock->descriptor != descriptor) {
        return;
    }
    listen_at_links(sock);
    if (sock->listenings == 0) {
        ask_parent(sock);
        listen_at_links(sock);
    }
    sock->inherited = sock->listenings == 0;
    claims = claims || sock->inherited;
}

void claim_listeners(void) {
    if (claims && now() >= claims_at) {
        claims = false;
        for_each_sock(claim);
        claims_at = deadline_after(CLAIM_NANOS);
    }
}

uint64_t next_claim(void) {
    return claims ? claims_at : UINT64_MAX;
}

void use_listener(struct sock *sock) {
    sock->used = true;
    if (sock->inherited && !claims) {
        claims = true;
        claims_at = 0;
    }
}

static const struct port_request *requested;

static void give(struct sock *sock, int descriptor) {
    struct port_request bound = {.port = 0};
    if (sock->stage == STAGE_LISTENING && !sock->used && sock->descriptor == descriptor && bound_to(sock, &bound)
        && bound.port == requested->port
        && memcmp(&bound.address, &requested->address, sizeof bound.address) == 0) {
        end_listening(sock);
        sock->inherited = true;  /* it has the port again if it uses it */
    }
}

void give_port(const struct port_request *request) {
    requested = request;
    for_each_sock(give);
}
