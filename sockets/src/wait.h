/*
 * How threads wait: they look for some time, then sleep. One that sleeps also waits for the sessions' descriptors, and
 * wakes the others, each by an eventfd of its own, when their sockets change.
 */
#ifndef RDDP_SOCKETS_WAIT_H
#define RDDP_SOCKETS_WAIT_H

#include <time.h>

#include "sock.h"

#define FOREVER UINT64_MAX

/* A thread that waits, or would. */
struct sleeper;

/* This thread's; NULL with errno if it can have none. */
struct sleeper *own_sleeper(void);

/* Ends its sleep, if it sleeps. */
void wake(struct sleeper *sleeper);

/* Lets a sleeping thread look again by when it has to wake up. */
void wake_leader(void);

/* In a forked child: forgets the parent's threads. */
void forget_sleepers(void);

enum wait_result { READY, KERNEL_READY, TIMED_OUT, INTERRUPTED };

struct wait {
    bool (*ready)(void *argument);  /* called under the lock */
    void *argument;
    struct pollfd *kernel;  /* descriptors of the kernel's that end the wait, too; their revents are set */
    nfds_t kernel_count;    /* the array has room for WAIT_EXTRA more */
    uint64_t deadline;      /* CLOCK_MONOTONIC, ns; 0: does not wait */
    const sigset_t *mask;   /* of signals while it waits; NULL: as it is */
    void (*cancelled)(void *argument);  /* the thread is cancelled; called under the lock, which is released then */
};

#define WAIT_EXTRA 17u

/* Waits under the lock, which it releases meanwhile. INTERRUPTED sets errno. */
enum wait_result wait_for(struct wait *wait);

/* A deadline from now; FOREVER for a negative or NULL timeout. */
uint64_t deadline_in_ms(int timeout_ms);
uint64_t deadline_in(const struct timespec *timeout);

#endif
