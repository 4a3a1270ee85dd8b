/* Divides a range into parts: pages that lie in pools, and pages that are the program's own. */
#ifndef RDDP_VERBS_MEMORY_PLAN_H
#define RDDP_VERBS_MEMORY_PLAN_H

#include "exchange/exchange.h"
#include "memory/pools.h"

/* Adjacent pages of one mapping. */
struct part {
    uint8_t *address;
    size_t pages;
    int protection;
    bool is_locked;
    bool is_taken;      /* lies in a pool; otherwise pool and page say where it will */
    struct pool *pool;
    size_t page;        /* of the pool */
};

/* Lies in a mapping of its own, since the heap may be what is replaced. */
struct plan {
    struct part *parts;
    size_t count, room;
};

/*
 * Lists the parts of a range of whole pages; pools among them must be the session's. 0, or an errno value as of
 * register_memory() without any effect.
 */
int survey(struct plan *plan, rddp_session *session, uint8_t *from, uint8_t *to, bool is_written);

/* Finds pages of pools for the parts that are the program's own, and adds a user to all. 0 or ENOMEM, EIO. */
int assign_pools(struct plan *plan, rddp_session *session);

/* Moves the parts that are the program's own into their pools. 0 or an errno value as of exchange_pages(). */
int take_parts(struct plan *plan);

void free_plan(struct plan *plan);

#endif
