/*
 * epoll(7) with streams. The kernel's instance has a stream's socket, with a datum of the library's, and wakes threads that sleep
 * there; what is ready, the stream's header says. A stream at which something has happened lately is "hot": it is looked at without
 * a system call, and the daemon sends no message for it, but while a thread sleeps.
 *
 * The kernel has the sockets edge-triggered, whatever the program asks, so that epoll_ctl(2) is seldom its business. But once
 * several threads wait at an instance, or other instances and poll(2) look at it, the kernel is told all of what is asked and ready.
 */
#ifndef RDDP_SOCKETS_EPOLLS_H
#define RDDP_SOCKETS_EPOLLS_H

#include <sys/epoll.h>

/* The descriptor is a new instance. */
void add_epoll(int epoll);

/* epoll_ctl(2). */
int control_epoll(int epoll, int what, int descriptor, struct epoll_event *event);

#endif
