/* connect(2) by rddp. */
#ifndef RDDP_SOCKETS_CONNECTING_H
#define RDDP_SOCKETS_CONNECTING_H

#include "link.h"

/* Options of all connections. */
struct rddp_connection_options connection_options(void);

/*
 * Begins to connect a socket that is STAGE_FRESH: it is STAGE_CONNECTING then. False if that is the kernel's: no interface is in the
 * address's network, or rddp cannot.
 */
bool begin_connecting(struct sock *sock, const struct in6_addr *address, uint16_t port);

/* The connection of a STAGE_CONNECTING socket is established, or has ended: it is STAGE_CONNECTED, or STAGE_LEFT to the kernel. */
void on_connecting(struct sock *sock, enum rddp_connection_state state);

#endif
