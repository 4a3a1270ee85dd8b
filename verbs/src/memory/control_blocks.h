/* Finds libc's control blocks of threads. */
#ifndef RDDP_VERBS_MEMORY_CONTROL_BLOCKS_H
#define RDDP_VERBS_MEMORY_CONTROL_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a range has the control block of a thread. When a thread ends, the kernel wakes pthread_join() there, and
 * would miss a thread that has waited since before the page was replaced. Does not find threads that have not run yet.
 */
bool has_control_block(uintptr_t from, uintptr_t to);

#endif
