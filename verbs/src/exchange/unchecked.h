#ifndef RDDP_VERBS_EXCHANGE_UNCHECKED_H
#define RDDP_VERBS_EXCHANGE_UNCHECKED_H

/*
 * For functions that run while other threads are stopped, or on another stack: sanitizers take locks and do not expect
 * another stack.
 */
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

#endif
