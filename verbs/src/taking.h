/*
 * Replaces pages of the program by other memory with the same contents, while its threads run.
 *
 * A store between the copy and the exchange of the mappings would be lost, so other threads are kept from writing to the
 * pages meanwhile.
 */
#ifndef RDDP_VERBS_TAKING_H
#define RDDP_VERBS_TAKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages that are to be replaced. Addresses and length are multiples of the page size. */
struct exchange {
    uint8_t *place;         /* the pages */
    const uint8_t *source;  /* where their contents can be read: at the place, or where it is mapped, too */
    uint8_t *memory;        /* mapped for reading and writing; takes their place */
    size_t length;
    int protection;         /* of the place; it has the same afterwards */
    bool is_doubled;        /* the memory is shared, and stays mapped at its own address, too */
    bool is_locked;         /* the place is, by mlock(2); afterwards, too */
};

/*
 * Replaces the pages of a list, the first entry first, some MiB at a time, since other threads wait meanwhile. The caller
 * has a lock, so that one thread at a time does so. The list must lie in memory that is not replaced; afterwards it has
 * what was not replaced: lengths of 0 if all was.
 *
 * Returns 0 or an errno value: EINVAL for a part of a huge page, ENOMEM without memory or mappings, EAGAIN if other
 * threads could not be kept from writing.
 */
int exchange_pages(struct exchange *list, size_t count);

/* How threads are kept from writing. */
enum taking_way {
    AS_ALLOWED,     /* the first one that this process may use */
    BY_PROTECTION,
    BY_TRACING,
    BY_SIGNAL
};

/* For tests. */
extern enum taking_way taking_way;

#endif
