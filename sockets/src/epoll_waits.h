/* Waits at epoll instances: looks at the hot streams, and sleeps in the kernel (epolls.h). */
#ifndef RDDP_SOCKETS_EPOLL_WAITS_H
#define RDDP_SOCKETS_EPOLL_WAITS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* The call that a program makes, which is made of the kernel, too. */
enum epoll_call { EPOLL_WAIT, EPOLL_PWAIT, EPOLL_PWAIT2 };

/* Waits at an instance that may have streams. The deadline is one of waiting.h; without EPOLL_WAIT, with a mask of signals or NULL. */
int wait_epoll(int epoll, struct epoll_event *events, int most, uint64_t deadline, const sigset_t *mask, enum epoll_call call);

/* Another instance, or poll(2), looks at an instance: what is ready in it is known to the kernel from now on. */
void tell_kernel(int epoll);

#endif
