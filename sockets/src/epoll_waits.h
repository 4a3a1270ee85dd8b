/* Waits at epoll instances: looks at the hot streams, and sleeps in the kernel (epolls.h). */
#ifndef RDDP_SOCKETS_EPOLL_WAITS_H
#define RDDP_SOCKETS_EPOLL_WAITS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* What the kernel is asked. */
struct epoll_wait {
    int epoll;
    struct epoll_event *events;
    int most;
    uint64_t deadline;     /* of waiting.h */
    const sigset_t *mask;
    bool by_nanos;         /* epoll_pwait2(2) */
    bool simple;           /* epoll_wait(2) */
};

/* epoll_pwait(2) of an instance that may have streams. */
int wait_epoll(const struct epoll_wait *wait);

/* Another instance, or poll(2), looks at an instance: what is ready in it is known to the kernel from now on. */
void tell_kernel(int epoll);

#endif
