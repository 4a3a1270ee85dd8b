/* Gives pages of a pool back to the program as private memory. */
#ifndef RDDP_VERBS_MEMORY_GIVING_H
#define RDDP_VERBS_MEMORY_GIVING_H

#include "memory/pools.h"

/*
 * Removes a user of adjacent pages that were taken from an address. Replaces pages without further users by anonymous
 * memory with the same contents, wherever the program maps them now. If that fails (no memory), they keep their user
 * and stay in the pool.
 */
void give_back(struct pool *pool, size_t page, size_t pages, uint8_t *address);

/* In a forked child with one thread: gives back all pages of all pools. 0 or an errno value. */
int give_all_back(void);

#endif
