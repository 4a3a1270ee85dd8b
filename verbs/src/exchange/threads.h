/* The threads of this process. */
#ifndef RDDP_VERBS_EXCHANGE_THREADS_H
#define RDDP_VERBS_EXCHANGE_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* How many threads the process has. */
long count_threads(void);

/* Threads of a process, read by system calls only. */
struct thread_list {
    pid_t process;
    int descriptor;
};

/* Opens the list. False without /proc. */
bool open_threads(struct thread_list *list, pid_t process);

/*
 * Calls a function for each thread until it returns an errno value, and returns that, or 0. May miss threads that begin
 * during the call.
 */
int for_each_thread(struct thread_list *list, int (*function)(pid_t thread, void *argument), void *argument);

/* A thread's state as proc_pid_stat(5) has it, such as 'S'; 'X' if it has ended. */
char thread_state(pid_t process, pid_t thread);

/* Whether it is a worker of io_uring: a kernel thread, listed among the process's threads, that shares its memory. */
bool is_io_worker(pid_t process, pid_t thread);

/* Whether a signal is pending for a thread that blocks it. */
bool thread_holds_back(pid_t process, pid_t thread, int number);

void close_threads(struct thread_list *list);

#endif
