/*
 * A process that shares this process's memory and runs a function on its own stack: it can replace pages of any
 * thread's stack, and stop all threads.
 */
#ifndef RDDP_VERBS_EXCHANGE_PROCESS_H
#define RDDP_VERBS_EXCHANGE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Blocks all signals of the calling thread, those of libc included; returns what restore_signals() takes. */
uint64_t block_signals(void);
void restore_signals(uint64_t before);

/*
 * Runs a function in such a process, and returns its result, 0 to 255, or -1 if the process cannot be made. The calling
 * thread is suspended and uses no stack. One thread at a time, with its signals blocked: the process inherits that, so
 * a Ctrl-C, which also reaches it, does not end it half-way. The function may only make system calls, since it has the
 * calling thread's thread-local storage.
 */
int run_suspended(int (*function)(void *), void *argument);

/*
 * Like run_suspended(), but the calling thread waits in a system call, so it can be traced. Before that, it calls
 * `begun` with the process, which runs already.
 */
int run_beside(int (*function)(void *), void (*begun)(pid_t process, void *argument), void *argument);

#endif
