/*
 * What a process does for the children that it has forked, on a thread of its own: it forwards the octets of connections that
 * they have inherited, and gives them the ports that they listen at.
 */
#ifndef RDDP_SOCKETS_KEEPER_H
#define RDDP_SOCKETS_KEEPER_H

#include "sock.h"

/* All under the lock. */

/* Before fork(2): makes what the child is to have. */
void prepare_child(void);

/* In the parent, and in the child. */
void keep_child(void);
void become_child(void);

#endif
