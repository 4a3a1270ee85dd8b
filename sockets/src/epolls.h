/*
 * epoll(7) of rddp's sockets. They stand in a list of the instance; the kernel has the other descriptors of it, and
 * sockets that may still become its own. A socket that has changed enters the list of those to look at.
 */
#ifndef RDDP_SOCKETS_EPOLLS_H
#define RDDP_SOCKETS_EPOLLS_H

#include "sock.h"

/* epoll_ctl(2) of a socket of the table. */
int control_epoll(int epoll, int what, struct sock *sock, int descriptor, const struct epoll_event *event);

/* Whether an instance has sockets of rddp. Without the lock. */
bool has_socks(int epoll);

/* epoll_pwait(2), under the lock, of an instance that has some. The deadline is that of wait_for(). */
int wait_epoll(int epoll, struct epoll_event *events, int max, uint64_t deadline, const sigset_t *mask);

/* In a forked child: its parent's instances are its parent's; it may only go on with the kernel's descriptors in them. */
void forget_epolls(void);

/* A descriptor is closed, of a socket or of an instance. */
void forget_epoll(int descriptor);
void forget_item(int descriptor);

#endif
