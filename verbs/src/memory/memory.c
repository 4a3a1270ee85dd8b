#include "memory/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "error.h"
#include "errors.h"
#include "memory/fork.h"
#include "memory/giving.h"
#include "memory/plan.h"

/* Pages of a registration that are adjacent in a pool and in the program. */
struct piece {
    struct pool *pool;
    size_t page, pages;
    uint8_t *address;
};

struct registered {
    struct memory_registration public;
    rddp_region *region;
    struct registered *next;
    size_t count;
    struct piece pieces[];
};

/* One registration changes at a time, in all sessions: they share the address space. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered *registrations;

static void release_pieces(const struct registered *registered) {
    for (size_t i = 0; i < registered->count; i++) {
        const struct piece *piece = &registered->pieces[i];
        give_back(piece->pool, piece->page, piece->pages, piece->address);
    }
}

/* Copies a plan, and merges parts that are adjacent in their pool. */
static struct registered *copy_plan(const struct plan *plan) {
    struct registered *made = calloc(1, sizeof *made + plan->count * sizeof made->pieces[0]);
    if (made == NULL) {
        fail(RDDP_RESOURCES, "no memory for a registration");
        return NULL;
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct part *part = &plan->parts[i];
        struct piece *last = made->count == 0 ? NULL : &made->pieces[made->count - 1];
        if (last != NULL && last->pool == part->pool && last->page + last->pages == part->page) {
            last->pages += part->pages;
        } else {
            made->pieces[made->count++] = (struct piece){
                .pool = part->pool, .page = part->page, .pages = part->pages, .address = part->address};
        }
    }
    return made;
}

/* Registers the pieces with the daemon. */
static int register_pieces(struct registered *made, const struct memory_request *request) {
    if (made->count > RDDP_MAX_MEMORY_PIECES) {
        fail(RDDP_RESOURCES, "the range overlaps other registrations in more than %d pieces", RDDP_MAX_MEMORY_PIECES);
        return ENOMEM;
    }
    struct rddp_memory_piece pieces[RDDP_MAX_MEMORY_PIECES];
    uint8_t *from = request->address, *to = from + request->length;
    for (size_t i = 0; i < made->count; i++) {
        const struct piece *piece = &made->pieces[i];
        uint8_t *end = piece->address + piece->pages * PAGE;
        uint8_t *begin = piece->address < from ? from : piece->address;
        pieces[i] = (struct rddp_memory_piece){.memory = piece->pool->memory,
            .offset = piece->page * PAGE + (uint64_t)(begin - piece->address),
            .octets = (uint64_t)((end > to ? to : end) - begin)};
    }
    struct rddp_region_options options = {.access = request->access, .base = request->base,
        .domain = request->domain};
    int result = made->count == 1
        ? rddp_register(pieces[0].memory, pieces[0].offset, pieces[0].octets, &options, &made->region)
        : rddp_register_pieces(request->session, pieces, (unsigned)made->count, &options, &made->region);
    if (result == RDDP_OK) {
        made->public = (struct memory_registration){.session = request->session, .address = request->address,
            .length = request->length, .base = rddp_region_base(made->region), .stag = rddp_region_stag(made->region)};
    }
    return error_of(result);
}

/* Takes the pages of a plan, and registers them. */
static int carry_out(struct plan *plan, const struct memory_request *request, struct registered **registered) {
    int error = assign_pools(plan, request->session);
    if (error != 0) {
        return error;
    }
    /* Allocated before pages are taken, so that giving them back needs no memory. */
    struct registered *made = copy_plan(plan);
    error = made == NULL ? ENOMEM : take_parts(plan);
    if (error == 0) {
        error = register_pieces(made, request);
    }
    if (error == 0) {
        *registered = made;
        return 0;
    }
    struct saved_error saved = save_error();
    for (size_t i = 0; i < plan->count; i++) {
        give_back(plan->parts[i].pool, plan->parts[i].page, plan->parts[i].pages, plan->parts[i].address);
    }
    free(made);
    free_unused_pools(request->session);
    restore_error(&saved);
    return error;
}

/* A child's registrations are its parent's. */
static void forget_registrations(void) {
    registrations = NULL;
}

int register_memory(const struct memory_request *request, struct memory_registration **registration) {
    const unsigned writing = RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE | RDDP_REMOTE_ATOMIC;
    uintptr_t first = (uintptr_t)request->address;
    if (request->length == 0 || request->length > UINTPTR_MAX - PAGE - first) {
        fail(RDDP_INVALID, "a registration has 1 octet at least, and lies within the address space");
        return EINVAL;
    }
    uintptr_t from = first & ~(PAGE - 1), to = (first + request->length + PAGE - 1) & ~(PAGE - 1);
    struct plan plan = {.parts = NULL};
    struct registered *made = NULL;
    pthread_mutex_lock(&lock);
    handle_forks(&lock, forget_registrations);
    int error = survey(&plan, request->session, (uint8_t *)from, (uint8_t *)to, (request->access & writing) != 0);
    if (error == 0) {
        error = carry_out(&plan, request, &made);
    }
    if (error == 0) {
        made->next = registrations;
        registrations = made;
        *registration = &made->public;
    }
    pthread_mutex_unlock(&lock);
    free_plan(&plan);
    return error;
}

static void end(struct registered **at) {
    struct registered *registered = *at;
    *at = registered->next;
    release_pieces(registered);
    free(registered);
}

int deregister_memory(struct memory_registration *registration) {
    pthread_mutex_lock(&lock);
    struct registered **at = &registrations;
    while (*at != NULL && &(*at)->public != registration) {
        at = &(*at)->next;
    }
    int result = *at != NULL ? rddp_free((*at)->region) : fail(RDDP_INVALID, "it is no registration of this process");
    if (result == RDDP_OK) {
        rddp_session *session = registration->session;
        end(at);
        free_unused_pools(session);
    }
    pthread_mutex_unlock(&lock);
    /* A window is bound to it. */
    return result == RDDP_STATE ? EBUSY : error_of(result);
}

void release_memory(rddp_session *session) {
    pthread_mutex_lock(&lock);
    struct registered **at = &registrations;
    while (*at != NULL) {
        if ((*at)->public.session == session) {
            /* If the daemon refuses, it places into the pool until the session is closed. */
            (void)!rddp_free((*at)->region);
            end(at);
        } else {
            at = &(*at)->next;
        }
    }
    free_pools(session);
    pthread_mutex_unlock(&lock);
}
