/*
 * A process that shares this process' memory, and runs a function on a stack of its own: it can replace pages of any
 * thread's stack, and stop all threads.
 */
#ifndef RDDP_VERBS_TAKING_PROCESS_H
#define RDDP_VERBS_TAKING_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Blocks all signals of the calling thread, those of libc included; returns what restore_signals() takes. */
uint64_t block_signals(void);
void restore_signals(uint64_t before);

/*
 * Runs a function in such a process, and returns its result, 0 to 255, or -1 if the process cannot be made. The calling
 * thread is suspended meanwhile, and uses no stack. One thread at a time, whose signals are blocked: the process inherits
 * that, so that a Ctrl-C, which is sent to it, too, does not end it half-way. The function uses system calls only, since it
 * has the calling thread's thread-local storage.
 */
int run_suspended(int (*function)(void *), void *argument);

/*
 * As run_suspended, but the calling thread waits in a system call, so it can be traced. Before, it calls another function with the
 * process, which runs already.
 */
int run_beside(int (*function)(void *), void (*begun)(pid_t process, void *argument), void *argument);

#endif
