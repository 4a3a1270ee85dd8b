/* listen(2) and accept(2): connections by rddp beside the kernel's. */
#ifndef RDDP_SOCKETS_LISTENING_H
#define RDDP_SOCKETS_LISTENING_H

#include "link.h"

/* Listens by rddp, too, once the kernel's socket listens. It is STAGE_LISTENING then, if rddp can. */
void begin_listening(struct sock *sock, unsigned backlog);

/* Accepts what asks for connections; they become ready later. */
void accept_requests(struct sock *sock);

/* The connection of an accepted socket is established, or has ended. */
void on_accepting(struct sock *sock, enum rddp_connection_state state);

/* Takes the next one that is ready, with its reference; NULL if there is none. */
struct sock *next_ready(struct sock *sock);

/* Rejects and ends all that waits, and listens no longer. */
void end_listening(struct sock *sock);

/* A call waits at a LISTENING socket: a child listens by rddp from now on, if it can have the port. */
void use_listener(struct sock *sock);

/* Tries to have ports of the parent's that are used here. The next try is due then; UINT64_MAX: none is. */
void claim_listeners(void);
uint64_t next_claim(void);

/*
 * In a forked child: all listeners are the parent's. The descriptor, or -1, asks the parent for ports: it takes a struct
 * port_request, and answers with an octet once it has done what it could.
 */
void inherit_listeners(int to_parent);

struct port_request {
    struct in6_addr address;
    uint16_t port;
};

/* Gives a port to a child that asks for it, unless this process uses it. */
void give_port(const struct port_request *request);

/* A session is lost, and its listeners with it. */
void lose_listeners(struct sock *sock, const struct link *link);

#endif
