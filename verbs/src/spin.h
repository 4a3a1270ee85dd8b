/* A lock for some nanoseconds. Its holder may lose its processor, so whoever waits soon gives up its own. */
#ifndef RDDP_VERBS_SPIN_H
#define RDDP_VERBS_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SPINS 100

struct spin {
    _Atomic bool held;
};

static inline bool spin_try(struct spin *spin) {
    return !atomic_load_explicit(&spin->held, memory_order_relaxed)
        && !atomic_exchange_explicit(&spin->held, true, memory_order_acquire);
}

static inline void spin_lock(struct spin *spin) {
    for (unsigned i = 1; !spin_try(spin); i++) {
        if (i % SPINS == 0) {
            sched_yield();
        }
    }
}

static inline void spin_unlock(struct spin *spin) {
    atomic_store_explicit(&spin->held, false, memory_order_release);
}

#endif
