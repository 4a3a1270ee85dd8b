/*
 * Replaces pages of a running program by other memory with the same contents.
 *
 * A store between the copy and the exchange of the mappings would be lost, so it keeps other threads from writing to
 * the pages during that time.
 */
#ifndef RDDP_VERBS_EXCHANGE_EXCHANGE_H
#define RDDP_VERBS_EXCHANGE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages that are to be replaced. Addresses and length are multiples of the page size. */
struct exchange {
    uint8_t *place;         /* the pages */
    const uint8_t *source;  /* where to read their contents: at the place, or at another mapping of it */
    uint8_t *memory;        /* mapped for reading and writing; takes their place */
    size_t length;
    int protection;         /* of the place; it has the same afterwards */
    bool is_doubled;        /* the memory is shared, and also stays mapped at its own address */
    bool is_locked;         /* by mlock(2), before and afterwards */
};

/*
 * Replaces the pages of a list, the first entry first, some MiB at a time, since other threads have to wait. The caller
 * holds a lock: one thread at a time. The list must lie in memory that is not replaced; afterwards it has what was not
 * replaced: lengths of 0 if all was.
 *
 * Returns 0 or an errno value: EINVAL for a part of a huge page, ENOMEM without memory or mappings, EAGAIN if other
 * threads could not be kept from writing.
 */
int exchange_pages(struct exchange *list, size_t count);

/* How threads are kept from writing. */
enum exchange_way {
    AS_ALLOWED,     /* the first way that this process may use */
    BY_PROTECTION,
    BY_TRACING,
    BY_SIGNAL
};

/* For tests. */
extern enum exchange_way exchange_way;

#endif
