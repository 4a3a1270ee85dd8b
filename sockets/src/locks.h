/*
 * Locks, forks and signals.
 *
 * A thread that has a lock blocks all signals, so that no handler can want the lock again, fork, or jump away; and it makes no call
 * that waits for a peer.
 */
#ifndef RDDP_SOCKETS_LOCKS_H
#define RDDP_SOCKETS_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Blocks all signals but those that the thread's own instructions raise, and cancellation. Returns the mask to give back to restore_signals(). */
uint64_t block_signals(void);
void restore_signals(uint64_t mask);

/*
 * How often this process's memory has been copied by a fork, in whatever way it was made: what another generation has done
 * is its parent's.
 */
unsigned generation(void);

/* Whether the calling process is the one whose memory this is: not so in a child of vfork(2). */
bool is_own_process(void);

/* A lock of this process's threads, that a forked child finds free, whoever has it in the parent. Not for long. */
struct lock {
    _Atomic uint64_t owner;
};

/* acquire() leaves signals alone: see the users. It returns at once if this thread has the lock already. */
void acquire(struct lock *lock);
void release(struct lock *lock);

/* The lock of what is in this process: descriptors, sessions, epoll items. Keeps errno. */
void lock_library(void);
void unlock_library(void);

/* Locks of processes that share memory; they survive the death of their holder. */
void make_shared_lock(pthread_mutex_t *lock);
void lock_shared(pthread_mutex_t *lock);
void unlock_shared(pthread_mutex_t *lock);

#endif
