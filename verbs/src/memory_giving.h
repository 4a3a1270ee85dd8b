/* Gives pages of a pool back to the program, as memory of its own. */
#ifndef RDDP_VERBS_MEMORY_GIVING_H
#define RDDP_VERBS_MEMORY_GIVING_H

#include "memory_pools.h"

/*
 * Removes a user of adjacent pages, which were taken from an address. Pages without further users are replaced by
 * anonymous memory with the same contents, wherever the program has them now. If that fails (no memory is left), they
 * keep their user, and the pool.
 */
void give_back(struct pool *pool, size_t page, size_t pages, uint8_t *address);

/* In a forked child with one thread: does the same for all pages of all pools. 0 or an errno value. */
int give_all_back(void);

#endif
