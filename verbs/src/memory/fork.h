/* Gives a forked child its own memory, as fork(2) promises. */
#ifndef RDDP_VERBS_MEMORY_FORK_H
#define RDDP_VERBS_MEMORY_FORK_H

#include <pthread.h>

/*
 * From now on, a forked child copies all pages that are taken, and its parent waits for that. The child has no
 * registrations. vfork() and posix_spawn() need nothing: they copy no memory.
 *
 * Holds the lock while the process forks; calls forget in the child before it releases the lock.
 */
void handle_forks(pthread_mutex_t *lock, void (*forget)(void));

#endif
