#include "memory/pools.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "error.h"
#include "errors.h"
#include "memory/mappings.h"

/*
 * Each pool costs the daemon a mapping and a region, so pools grow: a new one has a quarter of what the session has in
 * pools, within these bounds. Longer ranges get a pool of their own size.
 */
#define LEAST_PAGES ((size_t)256)
#define MOST_PAGES ((size_t)4096)

static struct pool *pools;

struct pool *first_pool(void) {
    return pools;
}

struct pool *find_pool(const rddp_session *session, uint64_t device, uint64_t inode) {
    struct pool *found = NULL;
    for (struct pool *pool = pools; pool != NULL; pool = pool->after) {
        if (pool->inode == inode && pool->device == device && (pool->session == session || !pool->is_programs)) {
            found = pool;
        }
    }
    return found;
}

/* ---- Free pages ---- */

static bool are_free(const struct pool *pool, size_t page, size_t pages) {
    if (pages > pool->free || page > pool->pages || pages > pool->pages - page) {
        return false;
    }
    for (size_t i = 0; i < pages; i++) {
        if (pool->users[page + i] != 0) {
            return false;
        }
    }
    return true;
}

/* Finds free pages from one page on; returns the number of the pool's pages if there are none. */
static size_t search(const struct pool *pool, size_t from, size_t pages) {
    size_t run = 0;
    for (size_t i = from; i < pool->pages; i++) {
        run = pool->users[i] == 0 ? run + 1 : 0;
        if (run == pages) {
            return i + 1 - pages;
        }
    }
    return pool->pages;
}

static bool find_in(struct pool *pool, size_t pages, size_t *page) {
    if (pages > pool->free) {
        return false;
    }
    *page = search(pool, pool->next, pages);
    if (*page == pool->pages) {
        *page = search(pool, 0, pages);
    }
    return *page != pool->pages;
}

/* ---- New pools ---- */

/* Finds the file of which the pool's pages are mapped. */
static int find_file(struct pool *pool) {
    struct mappings mappings;
    struct mapping_info mapping;
    if (open_mappings(&mappings) != 0) {
        return fail_errno(RDDP_SYSTEM, "/proc/self/maps cannot be read");
    }
    bool is_found = find_mapping(&mappings, (uintptr_t)pool->home, &mapping);
    close_mappings(&mappings);
    if (!is_found) {
        return fail(RDDP_SYSTEM, "/proc/self/maps does not have the daemon's memory");
    }
    pool->device = mapping.device;
    pool->inode = mapping.inode;
    return RDDP_OK;
}

/* Takes memory of the daemon's, so that another daemon can go on with it. */
static int allocate(struct pool *pool) {
    int result = rddp_allocate_memory(pool->session, pool->pages * PAGE, &pool->memory);
    if (result != RDDP_OK) {
        return result;
    }
    pool->home = rddp_memory_address(pool->memory);
    result = find_file(pool);
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        (void)!rddp_free_memory(pool->memory);
        restore_error(&saved);
    }
    return result;
}

static int make_pool(rddp_session *session, size_t pages, struct pool **made) {
    struct pool *pool = calloc(1, sizeof *pool + pages * sizeof pool->users[0]);
    if (pool == NULL) {
        return fail(RDDP_RESOURCES, "no memory for the list of %zu pages", pages);
    }
    pool->session = session;
    pool->pages = pool->free = pages;
    int result = allocate(pool);
    if (result != RDDP_OK) {
        free(pool);
        return result;
    }
    pool->after = pools;
    pools = pool;
    *made = pool;
    return RDDP_OK;
}

static size_t pool_size(const rddp_session *session, size_t pages) {
    size_t all = 0;
    for (struct pool *pool = pools; pool != NULL; pool = pool->after) {
        all += pool->session == session ? pool->pages : 0;
    }
    size_t size = all / 4 < LEAST_PAGES ? LEAST_PAGES : all / 4 > MOST_PAGES ? MOST_PAGES : all / 4;
    return size < pages ? pages : size;
}

int find_free_pages(rddp_session *session, size_t pages, struct pool *near, size_t near_page, struct pool **pool,
    size_t *page) {
    if (near != NULL && are_free(near, near_page, pages)) {
        *pool = near;
        *page = near_page;
        return 0;
    }
    for (struct pool *candidate = pools; candidate != NULL; candidate = candidate->after) {
        if (candidate->session == session && find_in(candidate, pages, page)) {
            *pool = candidate;
            return 0;
        }
    }
    *page = 0;
    size_t size = pool_size(session, pages);
    int result = make_pool(session, size, pool);
    size_t least = pages < LEAST_PAGES ? LEAST_PAGES : pages;
    if (result == RDDP_LIMIT && size > least) {
        result = make_pool(session, least, pool);
    }
    return error_of(result);
}

int adopt_file(rddp_session *session, int descriptor, struct pool **adopted) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return error_of(fail_errno(RDDP_SYSTEM, "a memfd of the program's"));
    }
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return error_of(fail(RDDP_RESOURCES, "no memory for a memfd of the program's"));
    }
    pool->session = session;
    pool->is_programs = true;
    pool->pages = ((size_t)status.st_size + PAGE - 1) / PAGE;
    pool->device = status.st_dev;
    pool->inode = status.st_ino;
    int result = rddp_adopt(session, descriptor, &pool->memory);
    if (result != RDDP_OK) {
        free(pool);
        return error_of(result);
    }
    pool->after = pools;
    pools = pool;
    *adopted = pool;
    return 0;
}

/* ---- Users ---- */

void add_user(struct pool *pool, size_t page, size_t pages) {
    if (pool->is_programs) {
        pool->registered += pages;
        return;
    }
    for (size_t i = page; i < page + pages; i++) {
        pool->free -= pool->users[i]++ == 0;
    }
    pool->next = page + pages;
}

void remove_user(struct pool *pool, size_t page, size_t pages) {
    if (pool->is_programs) {
        pool->registered -= pages;
        return;
    }
    for (size_t i = page; i < page + pages; i++) {
        pool->free += --pool->users[i] == 0;
    }
}

static void unlink_pool(struct pool **at) {
    struct pool *pool = *at;
    *at = pool->after;
    free(pool);
}

/* Frees a pool at both ends; false if the daemon refuses. */
static bool free_pool(struct pool **at) {
    bool is_freed = rddp_free_memory((*at)->memory) == RDDP_OK;
    if (is_freed) {
        unlink_pool(at);
    }
    return is_freed;
}

/* The program's stays while the program has it mapped: nobody can map it anew. */
static bool is_needed(const struct pool *pool) {
    return pool->is_programs ? pool->registered > 0 || maps_file(pool->device, pool->inode)
                             : pool->free < pool->pages;
}

void free_unused_pools(const rddp_session *session) {
    bool kept = false;
    struct pool **at = &pools;
    while (*at != NULL) {
        struct pool *pool = *at;
        if (pool->session == session && !is_needed(pool)) {
            if (kept || pool->is_programs || pool->pages > LEAST_PAGES) {
                if (free_pool(at)) {
                    continue;
                }
            } else {
                kept = true;
            }
        }
        at = &pool->after;
    }
}

void free_pools(const rddp_session *session) {
    struct pool **at = &pools;
    while (*at != NULL) {
        if ((*at)->session != session) {
            at = &(*at)->after;
        } else if (!free_pool(at)) {
            /* Closing the session frees it in the daemon. */
            unlink_pool(at);
        }
    }
}

void forget_pools(void) {
    /* Frees nothing: some allocators would wait for a thread that the child does not have. */
    for (struct pool *pool = pools; pool != NULL; pool = pool->after) {
        if (pool->home != NULL) {
            munmap(pool->home, pool->pages * PAGE);
        }
    }
    pools = NULL;
}
