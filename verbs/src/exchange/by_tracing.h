/* Stops the other threads as a debugger does. */
#ifndef RDDP_VERBS_EXCHANGE_BY_TRACING_H
#define RDDP_VERBS_EXCHANGE_BY_TRACING_H

#include "exchange/copy.h"

/*
 * Carries out an exchange while all threads are stopped by ptrace(2). They do not notice, whatever signals they block;
 * few of their system calls return early with EINTR (epoll_wait() does, see signal(7)).
 *
 * EAGAIN: this process may not, or a debugger traces it; nothing was done. Otherwise as of copy_and_exchange().
 */
int exchange_traced(const struct exchange *list, size_t count, size_t *done);

#endif
