/*
 * How threads wait: they look for some time, then sleep in the kernel. Whoever sleeps has no lock and no reference: the thread may be
 * cancelled, or jump away from a handler. Signals end a sleep as they end the kernel's calls.
 */
#ifndef RDDP_SOCKETS_WAITING_H
#define RDDP_SOCKETS_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define FOREVER UINT64_MAX

/* CLOCK_MONOTONIC, ns. */
uint64_t now(void);

/* A deadline from now; FOREVER for a negative or NULL timeout, 0 for none. */
uint64_t deadline_in_ms(int timeout_ms);
uint64_t deadline_in(const struct timespec *timeout);
/* The one of a call that began then, at a socket with that timeout, SO_RCVTIMEO or SO_SNDTIMEO; FOREVER without one. */
uint64_t deadline_by_option(int descriptor, int option, uint64_t began);
/* What is left until then. */
struct timespec time_until(uint64_t deadline);
/* The same, rounded up, and -1 for FOREVER. */
int ms_until(uint64_t deadline);

/* A look for something, as long as that may be worth it. */
struct spin {
    uint64_t until;
    unsigned turn;
};

struct spin begin_spin(uint64_t deadline);
/* Whether to look again; a turn of it. */
bool look_again(struct spin *spin);
/* The look has found something, or the sleep after it. */
void note_activity(const struct spin *spin);
/* There was something without a look. */
void note_work(void);

/*
 * Sleeps at a stream's socket until a message is there, which stays, or until it can take one. 0: it is at its end. -1 with
 * errno: EAGAIN after the deadline, or with FOREVER after the socket's timeout (SO_RCVTIMEO, SO_SNDTIMEO), and if it does not block.
 */
ssize_t sleep_for_message(int descriptor, uint64_t deadline);
ssize_t sleep_for_room(int descriptor, uint64_t deadline);

/* Whether the handlers of all signals that may have come restart calls (SA_RESTART). Which one has come is not known. */
bool handlers_restart(void);

#endif
