/* connect(2) by rddp. */
#ifndef RDDP_SOCKETS_CONNECTING_H
#define RDDP_SOCKETS_CONNECTING_H

#include <stdbool.h>
#include <sys/socket.h>

int connect_socket(int descriptor, const struct sockaddr *address, socklen_t length);

/* Notes that the kernel has chosen a socket's port: a connection may have another one where it is taken. */
void mark_port_as_any(int descriptor);

/* Whether an address is none that the kernel may connect a socket to. */
bool is_rddps(const struct sockaddr *address, socklen_t length);

#endif
