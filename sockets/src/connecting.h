/* connect(2) by rddp. */
#ifndef RDDP_SOCKETS_CONNECTING_H
#define RDDP_SOCKETS_CONNECTING_H

#include "link.h"

/* Options of all connections. */
struct rddp_connection_options connection_options(void);

/*
 * Begins to connect a socket that is STAGE_FRESH, by rddp as decided: it is STAGE_CONNECTING then. 0, or the errno of connect(2), of
 * which a line on standard error has told: the kernel is not tried instead.
 */
int begin_connecting(struct sock *sock, const struct in6_addr *address, uint16_t port, const struct decision *made);

/* The connection of a STAGE_CONNECTING socket is established, or has ended: it is STAGE_CONNECTED, or STAGE_LEFT to the kernel. */
void on_connecting(struct sock *sock, enum rddp_connection_state state);

#endif
