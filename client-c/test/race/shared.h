/*
 * What rings_race.c shares with the daemon's end of the rings, in a JVM (RingRaces in test/java): words with which the two
 * ends keep step, results, and the rings.
 */
#ifndef SHARED_H
#define SHARED_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "rings.h"

#define ROUNDS 256         /* of a batch */
#define RINGS_OCTETS 1536  /* of rings with 8 slots each, and of smaller ones */

enum race { SUBMISSION, REUSE, COMPLETION, WAKE_UP, SLEEP, END };

/* A word on cache lines of its own: adjacent-line prefetch does not make it share one. */
struct word {
    _Alignas(128) _Atomic uint64_t value;
};

struct shared {
    struct word daemon_step, program_step;      /* steps that each end has done */
    struct word race;                           /* enum race, of the batch */
    struct word daemon_round, program_round;    /* where each end is */
    _Alignas(4096) int32_t results[ROUNDS][2];  /* of the program */
    _Alignas(4096) uint8_t rings[ROUNDS][RINGS_OCTETS];
};

/* Waits until the daemon has done a step. */
static inline void await_step(struct shared *shared, uint64_t step) {
    while (atomic_load_explicit(&shared->daemon_step.value, memory_order_acquire) < step) {
        sched_yield();
    }
}

#define LONGEST_MEETING 500

/* Waits a little for the daemon to be at a round, too, so that what follows is done by both ends at the same time. */
static inline void meet(struct shared *shared, uint64_t round) {
    atomic_store_explicit(&shared->program_round.value, round, memory_order_release);
    for (int i = 0; i < LONGEST_MEETING; i++) {
        if (atomic_load_explicit(&shared->daemon_round.value, memory_order_acquire) >= round) {
            return;
        }
    }
}

#endif
