/* Where libc keeps what it knows of the threads. */
#ifndef RDDP_VERBS_MEMORY_CONTROL_BLOCKS_H
#define RDDP_VERBS_MEMORY_CONTROL_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a range has the control block of a thread. When a thread ends, the kernel wakes pthread_join() there: a thread
 * that has waited since before the page was replaced would not be found. A thread that has not run yet is not known.
 */
bool has_control_block(uintptr_t from, uintptr_t to);

#endif
