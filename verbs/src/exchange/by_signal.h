/* Stops the other threads by a signal. */
#ifndef RDDP_VERBS_EXCHANGE_BY_SIGNAL_H
#define RDDP_VERBS_EXCHANGE_BY_SIGNAL_H

#include "exchange/copy.h"

/*
 * Carries out an exchange while the other threads are in a signal handler. Their system calls may return early with
 * EINTR, as signal(7) lists.
 *
 * EAGAIN: a thread blocks the signal, or the program uses it; nothing was done. Otherwise as of copy_and_exchange().
 */
int exchange_signalled(const struct exchange *list, size_t count, size_t *done);

/* The signal. Threads of the library block all signals but this one. */
int stop_signal(void);

#endif
