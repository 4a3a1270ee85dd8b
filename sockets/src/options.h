/*
 * Options of streams. Timeouts are those of the stream's socket; the others are kept beside its rings, for all processes that
 * have it, and a socket of the kernel's that is made for the question says whether they can be, and what they are otherwise.
 */
#ifndef RDDP_SOCKETS_OPTIONS_H
#define RDDP_SOCKETS_OPTIONS_H

#include "stream.h"

/* getsockopt(2) and setsockopt(2) of a stream, whose descriptor it is. */
int get_option(struct stream *stream, int descriptor, int level, int name, void *value, socklen_t *length);
int set_option(struct stream *stream, int descriptor, int level, int name, const void *value, socklen_t length);

/* The same of a bridge that this process has no mapping of: nothing is kept. */
int get_bridge_option(int domain, int descriptor, int level, int name, void *value, socklen_t *length);
int set_bridge_option(int domain, int descriptor, int level, int name, const void *value, socklen_t length);

/* Gives a new stream, at `descriptor`, the options of the kernel's socket that has asked for it or accepted it. */
void inherit_options(struct stream *stream, int descriptor, int from);

#endif
