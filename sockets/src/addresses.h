/* Addresses of sockets, IPv4 mapped (RFC 4291 section 2.5.5.2). */
#ifndef RDDP_SOCKETS_ADDRESSES_H
#define RDDP_SOCKETS_ADDRESSES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "shared.h"

/* False if it is none of the Internet's, or too short. */
bool read_address(const struct sockaddr *from, socklen_t length, struct in6_addr *address, uint16_t *port);

/* A socket's own; :: and 0 if it has none. */
void read_bound(int descriptor, struct in6_addr *address, uint16_t *port);

/* The value of a socket's option that is a number; 0 if it has none. */
int option_of(int descriptor, int level, int name);

/* Whether a socket is bound to a device, other than the one named unless that is NULL (SO_BINDTODEVICE). */
bool is_bound_to_device(int descriptor, const char *name);

/* Whether it is a socket of TCP that neither is connected nor listens. */
bool is_unconnected(int descriptor);

/* AF_INET or AF_INET6 if the kernel's socket is one of TCP; 0 otherwise. */
int tcp_domain(int descriptor);

struct in6_addr address_of_end(const struct stream_ends *ends, bool remote);

/* Stores an address as getsockname(2) does, for a socket of the domain. */
void store_address(int domain, const struct in6_addr *from, uint16_t port, struct sockaddr *address, socklen_t *length);

#endif
