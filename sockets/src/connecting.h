/* connect(2) by rddp. */
#ifndef RDDP_SOCKETS_CONNECTING_H
#define RDDP_SOCKETS_CONNECTING_H

#include <stdbool.h>
#include <sys/socket.h>

int connect_socket(int descriptor, const struct sockaddr *address, socklen_t length);

/* Whether an address is none that the kernel may connect a socket to. */
bool is_rddps(const struct sockaddr *address, socklen_t length);

#endif
