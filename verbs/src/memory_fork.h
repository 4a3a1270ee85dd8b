/* Restores in a forked child what fork(2) means: memory of its own. */
#ifndef RDDP_VERBS_MEMORY_FORK_H
#define RDDP_VERBS_MEMORY_FORK_H

#include <pthread.h>

/*
 * From now on, a forked child has a copy of all pages that are taken, and its parent waits for that. Registrations do not
 * exist in the child. vfork() and posix_spawn() are not concerned: they copy no memory.
 *
 * The lock is held while the process forks; forget is called in the child before the lock is released.
 */
void handle_forks(pthread_mutex_t *lock, void (*forget)(void));

#endif
