/*
 * The program's end of a session's rings (docs/ipc.md, section Rings). One thread at a time posts, and one polls.
 */
#ifndef RDDP_RINGS_H
#define RDDP_RINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rddp.h"

struct rings {
    uint8_t *submissions;
    uint8_t *completions;
    _Atomic uint64_t *taken_word;    /* written by the daemon */
    _Atomic uint64_t *read_word;     /* written by the program */
    _Atomic uint32_t *waiting_word;
    _Atomic uint32_t *sleeping_word; /* of the daemon's thread */
    _Atomic uint32_t *processor_word; /* that this thread was last seen on, and 1 more; 0: not known */
    bool daemon_sleeps;
    int signal;                      /* wake-up socket */
    uint32_t submission_slots, completion_slots;
    unsigned submission_shift, completion_shift;
    /* For the thread that posts: slots and requests. */
    uint64_t posted, taken;
    _Atomic uint64_t requests;
    /* For the thread that polls. */
    uint64_t read, published;
    _Atomic uint64_t retired;
    _Atomic bool malformed;
};

/*
 * Finds the rings in memory that the daemon laid out; false if there are none, or in another layout. signal: the
 * wake-up socket.
 */
bool find_rings(struct rings *rings, uint8_t *memory, uint64_t length, int signal);

/* The most slots that a request with its octets in it takes. */
#define MOST_INLINE_SLOTS 4u

/* How many slots a request takes; 0 with rddp_error() set if it cannot be put into the ring. */
unsigned request_slots(const struct rddp_request *request);

/* Whether that many slots are free and one more request may be outstanding. */
bool has_room(struct rings *rings, unsigned slots);

/* Writes a request into free slots, hands it to the daemon, and wakes the daemon if it sleeps. */
void submit(struct rings *rings, const struct rddp_request *request, unsigned slots, uint32_t connection,
    uint32_t shared_queue);

/* Copies the next completion, if there is one; returns how many requests it retires, 0 for none. */
uint32_t poll_completion(struct rings *rings, struct rddp_completion *completion);

/* Tells the daemon which completions have been read. */
void publish_read(struct rings *rings);

/* Asks for a signal at the next completion; false if there is one already. */
bool request_signal(struct rings *rings);

#endif
