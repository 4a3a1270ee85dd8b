/* Reading and writing of connected sockets as the calls do it: waiting and timeouts. Under the lock. */
#ifndef RDDP_SOCKETS_IO_H
#define RDDP_SOCKETS_IO_H

#include "sock.h"

/* Waits until a socket has one of the events of poll(2), or is the kernel's. 0, or -1 with errno. */
int await_sock(struct sock *sock, short events, uint64_t timeout);

/* recvmsg(2) and sendmsg(2) without addresses and ancillary data. EPIPE raises no signal yet: a handler may call the library. */
ssize_t receive(struct sock *sock, const struct iovec *pieces, size_t count, int flags);
ssize_t transmit(struct sock *sock, const struct iovec *pieces, size_t count, int flags);

/* Takes what went wrong (SO_ERROR). */
int take_error(struct sock *sock);

#endif
