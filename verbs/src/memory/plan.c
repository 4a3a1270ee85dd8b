#include "memory/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "memory/control_blocks.h"
#include "memory/mappings.h"
#include "memory/segments.h"
#include "memory/shared.h"

/* Allocates memory outside the heap. */
static void *allocate(size_t octets) {
    void *memory = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int fail_with(int error, const char *what, uintptr_t address) {
    fail(RDDP_INVALID, "%s at %#zx", what, (size_t)address);
    return error;
}

static struct part *add_part(struct plan *plan) {
    if (plan->count == plan->room) {
        size_t room = plan->room == 0 ? PAGE / sizeof *plan->parts : 2 * plan->room;
        struct part *parts = plan->room == 0
            ? allocate(room * sizeof *parts)
            : mremap(plan->parts, plan->room * sizeof *parts, room * sizeof *parts, MREMAP_MAYMOVE, NULL);
        if (parts == NULL || parts == MAP_FAILED) {
            return NULL;
        }
        plan->parts = parts;
        plan->room = room;
    }
    return &plan->parts[plan->count++];
}

/* Checks whether pages of a mapping can be taken. */
static int check(const struct mapping_info *mapping, uintptr_t from, bool is_written) {
    if ((mapping->protection & PROT_READ) == 0) {
        return fail_with(EFAULT, "the memory may not be read", from);
    }
    if (is_written && (mapping->protection & PROT_WRITE) == 0) {
        return fail_with(EFAULT, "the memory may not be written, although the rights ask for it,", from);
    }
    if (mapping->is_special) {
        return fail_with(EOPNOTSUPP, "there is memory of the kernel", from);
    }
    return 0;
}

static int check_own(const struct mapping_info *mapping, uintptr_t from, uintptr_t to) {
    if (mapping->page_octets > PAGE && ((from | to) % mapping->page_octets) != 0) {
        return fail_with(EINVAL, "only whole huge pages can be registered; there is a part of one", from);
    }
    if (has_control_block(from, to)) {
        return fail_with(EOPNOTSUPP, "the control block of a thread lies in the same page as the memory", from);
    }
    if (mapping->is_stack && from == mapping->from) {
        /*
         * The kernel extends the stack below its lowest page only: touch the page below, by a system call that reads
         * there.
         */
        (void)!access((const char *)(from - 1), F_OK);
    }
    return 0;
}

/* Finds the pool of shared memory; makes one of a memfd of the program's. None for what is private in fact. */
static int find_shared(rddp_session *session, const struct mapping_info *mapping, uintptr_t from, uintptr_t to,
    struct pool **pool) {
    *pool = find_pool(session, mapping->device, mapping->inode);
    if (*pool == NULL && is_own_segment(mapping)) {
        return check_own(mapping, from, to);
    }
    int error = *pool == NULL ? share_mapping(session, mapping, pool) : 0;
    if (error == 0 && (*pool)->session != session) {
        error = fail_with(EBUSY, "there is memory that is registered with another session", from);
    }
    if (error == 0 && (mapping->offset + (to - mapping->from) + PAGE - 1) / PAGE > (*pool)->pages) {
        error = fail_with(EFAULT, "the memory is mapped beyond the end of its file", from);
    }
    return error;
}

static int survey_mapping(struct plan *plan, rddp_session *session, const struct mapping_info *mapping, uintptr_t from,
    uintptr_t to, bool is_written) {
    int error = check(mapping, from, is_written);
    struct pool *pool = NULL;
    if (error == 0) {
        error = mapping->is_shared ? find_shared(session, mapping, from, to, &pool) : check_own(mapping, from, to);
    }
    if (error != 0) {
        return error;
    }
    struct part *part = add_part(plan);
    if (part == NULL) {
        fail(RDDP_RESOURCES, "no memory for the list of the range's parts");
        return ENOMEM;
    }
    *part = (struct part){.address = (uint8_t *)from, .pages = (to - from) / PAGE, .protection = mapping->protection,
        .is_locked = is_locked(mapping, from), .is_taken = pool != NULL, .pool = pool,
        .page = pool == NULL ? 0 : (mapping->offset + (from - mapping->from)) / PAGE};
    return 0;
}

int survey(struct plan *plan, rddp_session *session, uint8_t *from, uint8_t *to, bool is_written) {
    struct mappings mappings;
    int error = open_mappings(&mappings);
    if (error != 0) {
        fail_errno(RDDP_SYSTEM, "/proc/self/maps cannot be read");
        return ENOMEM;
    }
    uintptr_t at = (uintptr_t)from, end = (uintptr_t)to;
    while (error == 0 && at < end) {
        struct mapping_info mapping;
        if (!find_mapping(&mappings, at, &mapping) || mapping.from > at) {
            error = fail_with(EFAULT, "no memory is mapped", at);
        } else {
            uintptr_t until = mapping.to < end ? mapping.to : end;
            error = survey_mapping(plan, session, &mapping, at, until, is_written);
            at = until;
        }
    }
    close_mappings(&mappings);
    return error;
}

/* Finds adjacent pages for a run of parts that are the program's own. */
static int assign_run(struct plan *plan, rddp_session *session, size_t first, size_t end) {
    size_t pages = 0;
    for (size_t i = first; i < end; i++) {
        pages += plan->parts[i].pages;
    }
    struct part *before = first == 0 ? NULL : &plan->parts[first - 1];
    struct pool *pool;
    size_t page;
    int error = find_free_pages(session, pages, before == NULL ? NULL : before->pool,
        before == NULL ? 0 : before->page + before->pages, &pool, &page);
    for (size_t i = first; i < end && error == 0; i++) {
        plan->parts[i].pool = pool;
        plan->parts[i].page = page;
        page += plan->parts[i].pages;
    }
    return error;
}

static void add_users(struct plan *plan, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        add_user(plan->parts[i].pool, plan->parts[i].page, plan->parts[i].pages);
    }
}

int assign_pools(struct plan *plan, rddp_session *session) {
    size_t at = 0;
    while (at < plan->count) {
        size_t end = at + 1;
        int error = 0;
        if (!plan->parts[at].is_taken) {
            while (end < plan->count && !plan->parts[end].is_taken) {
                end++;
            }
            error = assign_run(plan, session, at, end);
        }
        if (error != 0) {
            for (size_t i = 0; i < at; i++) {
                remove_user(plan->parts[i].pool, plan->parts[i].page, plan->parts[i].pages);
            }
            return error;
        }
        add_users(plan, at, end);
        at = end;
    }
    return 0;
}

int take_parts(struct plan *plan) {
    size_t own = 0;
    for (size_t i = 0; i < plan->count; i++) {
        own += !plan->parts[i].is_taken;
    }
    if (own == 0) {
        return 0;
    }
    struct exchange *list = allocate(own * sizeof *list);
    if (list == NULL) {
        return ENOMEM;
    }
    size_t at = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct part *part = &plan->parts[i];
        if (!part->is_taken) {
            list[at++] = (struct exchange){.place = part->address, .source = part->address,
                .memory = part->pool->home + part->page * PAGE, .length = part->pages * PAGE,
                .protection = part->protection, .is_doubled = true, .is_locked = part->is_locked};
        }
    }
    int error = exchange_pages(list, own);
    munmap(list, own * sizeof *list);
    return error;
}

void free_plan(struct plan *plan) {
    if (plan->parts != NULL) {
        munmap(plan->parts, plan->room * sizeof *plan->parts);
    }
    memset(plan, 0, sizeof *plan);
}
