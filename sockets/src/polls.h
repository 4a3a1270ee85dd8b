/* poll(2) with streams and listeners. */
#ifndef RDDP_SOCKETS_POLLS_H
#define RDDP_SOCKETS_POLLS_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>

/* ppoll(2), with a deadline of waiting.h. */
int poll_until(struct pollfd *entries, nfds_t count, uint64_t deadline, const sigset_t *mask);

#endif
