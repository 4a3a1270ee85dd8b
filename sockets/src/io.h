/* Reading and writing of streams as the calls do it: waiting, timeouts, bridges. */
#ifndef RDDP_SOCKETS_IO_H
#define RDDP_SOCKETS_IO_H

#include "stream.h"

/* recvmsg(2) of the descriptor's stream, without addresses and ancillary data. Drops the reference. */
ssize_t receive(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags);
/* sendmsg(2), likewise; raises SIGPIPE. */
ssize_t transmit(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags);

/* Waits until a stream that connects is established (0) or has failed: -1 with errno; EINPROGRESS after its timeout. */
int await_connection(int descriptor);

/* The descriptor's stream with a reference, with a bridge in its place if others have made one; NULL: it is none. */
struct stream *current_stream(int descriptor);

/* Receives octets of a bridge and drops them, as TCP does with MSG_TRUNC. */
ssize_t discard(int descriptor, size_t count, int flags);

#endif
