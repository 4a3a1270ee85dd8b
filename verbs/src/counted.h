/*
 * Queues of events, counted by an eventfd(2) in semaphore mode: a thread that has read one count takes an event from
 * the queue, under the queue's lock. Destroying an object drops its events.
 */
#ifndef RDDP_VERBS_COUNTED_H
#define RDDP_VERBS_COUNTED_H

#include <stdbool.h>

/*
 * Takes the counts of dropped events out of the descriptor, with the queue's lock held. Adds those that a thread has
 * read but not used yet to `void_counts`.
 */
void drop_counts(int descriptor, unsigned *void_counts, unsigned dropped);

/* Whether the count that this thread has read was of a dropped event, with the queue's lock held. */
static inline bool was_dropped(unsigned *void_counts) {
    if (*void_counts == 0) {
        return false;
    }
    --*void_counts;
    return true;
}

#endif
