/* What the functions that stand in for libc's need of each other. */
#ifndef RDDP_SOCKETS_CALLS_H
#define RDDP_SOCKETS_CALLS_H

#include <sys/socket.h>

/* What connect(2) is for the program. */
int connect_by_rules(int descriptor, const struct sockaddr *address, socklen_t length);

#endif
