/*
 * epoll(7) of rddp's sockets. They stand in a list of the instance; the kernel has the other descriptors of it, and
 * sockets that may still become its own. A socket that has changed enters the list of those to look at. An instance is in
 * the table of sockets itself, so that it may be in another one: it is in the kernel's, too.
 */
#ifndef RDDP_SOCKETS_EPOLLS_H
#define RDDP_SOCKETS_EPOLLS_H

#include "sock.h"

/* Puts a new instance into the table. */
void add_epoll(int epoll);

/* A descriptor of the table is a duplicate of another one. Waits at instances that have some are ours. */
void duplicate_epoll(int descriptor, int made);

/* epoll_ctl(2) of a socket or an instance of the table. */
int control_epoll(int epoll, int what, struct sock *sock, int descriptor, const struct epoll_event *event);

/*
 * A wait in the kernel begins, at a descriptor of the table: false if the instance has items, and wait_epoll() is to be
 * called. Without the lock, as leave_kernel(), which returns how many of the events it has found are the program's: none
 * if it ended so that wait_epoll() is called.
 */
bool enter_kernel(int epoll);
int leave_kernel(int epoll, struct epoll_event *events, int count);

/* epoll_pwait(2), under the lock, of an instance that has items. The deadline is that of wait_for(). */
int wait_epoll(int epoll, struct epoll_event *events, int max, uint64_t deadline, const sigset_t *mask);

/* What poll(2) reports of a socket or an instance, but for what the kernel has of it. */
uint32_t ready_events(struct sock *sock);

/* The last descriptor of a socket or an instance is closed. */
void leave_epolls(struct sock *sock);

/* In a forked child: its parent's instances are its parent's; it may only go on with the kernel's descriptors in them. */
void forget_epolls(void);

#endif
