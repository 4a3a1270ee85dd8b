/* Memory that the daemon and this process have mapped: of which pages are handed out, or the program's own. */
#ifndef RDDP_VERBS_MEMORY_POOLS_H
#define RDDP_VERBS_MEMORY_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rddp.h"

#define PAGE ((size_t)4096)

/* A memfd that neither end can truncate, or punch holes into. */
struct pool {
    rddp_session *session;
    rddp_memory *memory;
    bool is_programs;   /* made by the program, which shares it, not by the daemon: no pages are handed out */
    size_t registered;  /* the program's: pages of all registrations */
    uint8_t *home;      /* librddp's mapping of all of it; NULL for the program's */
    size_t pages, free;
    size_t next;        /* where the search for free pages begins */
    uint64_t device, inode;
    struct pool *after;
    uint32_t users[];   /* of each page: registrations; 0: free. The program's has none */
};

/* The session's pool that has a file, or one of which another session hands out pages, or NULL. */
struct pool *find_pool(const rddp_session *session, uint64_t device, uint64_t inode);

/* All pools, linked by `after`. */
struct pool *first_pool(void);

/*
 * Finds adjacent free pages in a pool of the session's; makes a new pool if there are none. Prefers those at
 * `near_page` of `near`, so that pages adjacent in the program are adjacent in a pool. The caller adds the users. 0 or
 * an errno value; ENOMEM if the daemon refuses.
 */
int find_free_pages(rddp_session *session, size_t pages, struct pool *near, size_t near_page, struct pool **pool,
    size_t *page);

/* Makes a pool of a memfd of the program's, whose size is sealed; duplicates the descriptor. 0 or an errno value. */
int adopt_file(rddp_session *session, int descriptor, struct pool **adopted);

/* Adds and removes a user of each page. */
void add_user(struct pool *pool, size_t page, size_t pages);
void remove_user(struct pool *pool, size_t page, size_t pages);

/*
 * Frees pools without users in the daemon, but keeps a small one for the next registration, and the program's memfds that
 * it has mapped.
 */
void free_unused_pools(const rddp_session *session);

/* Frees all pools of a session; nothing may use them. */
void free_pools(const rddp_session *session);

/* In a forked child: forgets all pools, which are its parent's. */
void forget_pools(void);

#endif
