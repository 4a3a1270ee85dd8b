/*
 * A lock held for some nanoseconds. Its holder may be preempted, so a waiting thread soon yields; then it sleeps, since
 * a thread of a real-time priority yields only to threads of the same priority.
 */
#ifndef RDDP_VERBS_SPIN_H
#define RDDP_VERBS_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define SPINS 100
#define YIELDS 10
#define SLEEP_NANOS 20000

struct spin {
    _Atomic bool held;
};

static inline bool spin_try(struct spin *spin) {
    return !atomic_load_explicit(&spin->held, memory_order_relaxed)
        && !atomic_exchange_explicit(&spin->held, true, memory_order_acquire);
}

static inline void spin_lock(struct spin *spin) {
    for (unsigned i = 1; !spin_try(spin); i++) {
        if (i % SPINS == 0 && i <= SPINS * YIELDS) {
            sched_yield();
        } else if (i % SPINS == 0) {
            struct timespec moment = {.tv_nsec = SLEEP_NANOS};
            nanosleep(&moment, NULL);
        }
    }
}

static inline void spin_unlock(struct spin *spin) {
    atomic_store_explicit(&spin->held, false, memory_order_release);
}

#endif
