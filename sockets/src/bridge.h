/*
 * Bridges: sockets of the kernel through which the octets of a stream pass, for processes that have no mapping of it, and for all that
 * only the kernel does: exec(2), SCM_RIGHTS, splice(2), stdio. Once a stream has one, all who hold it use it.
 */
#ifndef RDDP_SOCKETS_BRIDGE_H
#define RDDP_SOCKETS_BRIDGE_H

#include "stream.h"

/*
 * Puts a bridge in the place of the descriptor's stream, if it is one, at all of this process's descriptors of it. False with EMFILE:
 * there is no descriptor for it, and nobody else may get the stream's.
 */
bool use_bridge(int descriptor);

/* Puts the kernel's descriptor in the place of a stream at all of this process's descriptors; it stays the caller's. */
void replace_stream(struct stream *stream, int made, struct stream *bridge);

/* In a new program: puts bridges in the place of streams that it has got from the one before. */
void use_bridges_of_inherited(void);

/* Of each socket that is not for close at exec(2), before that. False with EMFILE. */
bool use_bridges_for_exec(void);

/*
 * The addresses of a socket that is a bridge, perhaps of another process: false if it is none. The domain is AF_INET or AF_INET6.
 */
bool is_bridge(int descriptor, struct stream_ends *ends);

/* Called for a descriptor of a stream, before and after another file takes its place. */
extern void (*before_replacing)(struct stream *stream, int descriptor);
extern void (*after_replacing)(struct stream *stream, int descriptor);

#endif
