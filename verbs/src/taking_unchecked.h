#ifndef RDDP_VERBS_TAKING_UNCHECKED_H
#define RDDP_VERBS_TAKING_UNCHECKED_H

/*
 * For functions that run while other threads are stopped, or on another stack: sanitizers have locks, and do not know of
 * either.
 */
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

#endif
