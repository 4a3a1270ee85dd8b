/* What the daemon has done since the last look. */
#ifndef RDDP_SOCKETS_PROGRESS_H
#define RDDP_SOCKETS_PROGRESS_H

#include "link.h"

/* Takes all completions and events, and tells the watches of sockets that they change. */
void progress(void);

/* Asks for a wake-up by the sessions' descriptors; false if there is something to do already. */
bool arm_links(void);

/* Adds the sessions' descriptors to those that poll(2) waits for; returns how many. */
unsigned poll_links(struct pollfd *polled, unsigned room);

/* Time of the last completion, CLOCK_MONOTONIC. */
uint64_t last_activity(void);

/* A socket's last descriptor is closed, and no child uses it any more. */
void close_sock(struct sock *sock);

/* Ends what goes on, before the process ends: waits until the peers have what was sent. */
void finish(void);

#endif
