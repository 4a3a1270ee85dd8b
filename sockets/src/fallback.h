/* Connections that a rule lets the kernel have once the peer's host has answered that it does not speak rddp. */
#ifndef RDDP_SOCKETS_FALLBACK_H
#define RDDP_SOCKETS_FALLBACK_H

#include "stream.h"

/* Whether it has come to that: the kernel's socket, which connects, is then in the place of the stream at its descriptors. */
bool fall_back(struct stream *stream);

#endif
