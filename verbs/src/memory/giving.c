#include "memory/giving.h"

#include <errno.h>
#include <sys/mman.h>

#include "exchange/exchange.h"
#include "memory/mappings.h"

/* Where the program maps pages of a pool; not in the heap. */
struct places {
    struct exchange *list;
    size_t count, room;
    size_t octets;    /* of all */
};

static int add_place(struct places *places, struct exchange place) {
    if (places->count == places->room) {
        size_t room = places->room == 0 ? PAGE / sizeof *places->list : 2 * places->room;
        struct exchange *list = places->room == 0
            ? mmap(NULL, room * sizeof *list, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            : mremap(places->list, places->room * sizeof *list, room * sizeof *list, MREMAP_MAYMOVE, NULL);
        if (list == MAP_FAILED) {
            return ENOMEM;
        }
        places->list = list;
        places->room = room;
    }
    places->list[places->count++] = place;
    places->octets += place.length;
    return 0;
}

static void free_places(struct places *places) {
    if (places->list != NULL) {
        munmap(places->list, places->room * sizeof *places->list);
    }
}

/* Adds the part of a mapping that shows some of the pages, if it does and is not the pool's own mapping. */
static int add_mapping(struct places *places, const struct pool *pool, size_t page, size_t pages,
    const struct mapping_info *mapping, uintptr_t from, uintptr_t to) {
    bool is_home = from >= (uintptr_t)pool->home && from < (uintptr_t)pool->home + pool->pages * PAGE;
    if (is_home || !mapping->is_shared || mapping->inode != pool->inode || mapping->device != pool->device) {
        return 0;
    }
    uint64_t first = mapping->offset + (from - mapping->from), end = mapping->offset + (to - mapping->from);
    uint64_t least = page * PAGE, most = (page + pages) * PAGE;
    uint64_t begin = first < least ? least : first;
    end = end > most ? most : end;
    if (begin >= end) {
        return 0;
    }
    struct exchange place = {.place = (uint8_t *)from + (begin - first), .source = pool->home + begin,
        .length = end - begin, .protection = mapping->protection,
        .is_locked = is_locked(mapping, from)};
    return add_place(places, place);
}

static int find_places(struct places *places, const struct pool *pool, size_t page, size_t pages, uintptr_t from,
    uintptr_t to) {
    struct mappings mappings;
    int error = open_mappings(&mappings);
    if (error != 0) {
        return error;
    }
    struct mapping_info mapping;
    uintptr_t at = from;
    places->count = places->octets = 0;
    while (error == 0 && at < to && find_mapping(&mappings, at, &mapping) && mapping.from < to) {
        uintptr_t begin = mapping.from < at ? at : mapping.from;
        error = add_mapping(places, pool, page, pages, &mapping, begin, mapping.to < to ? mapping.to : to);
        at = mapping.to;
    }
    close_mappings(&mappings);
    return error;
}

/* Puts new anonymous memory with the same contents into all places. */
static int exchange_places(struct places *places) {
    if (places->count == 0) {
        return 0;
    }
    uint8_t *memory = mmap(NULL, places->octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return ENOMEM;
    }
    uint8_t *at = memory;
    for (size_t i = 0; i < places->count; i++) {
        places->list[i].memory = at;
        at += places->list[i].length;
    }
    int error = exchange_pages(places->list, places->count);
    for (size_t i = 0; i < places->count; i++) {
        if (places->list[i].length > 0) {
            munmap(places->list[i].memory, places->list[i].length);
        }
    }
    return error;
}

/* Gives pages back that have no further user. */
static int give_run_back(struct pool *pool, size_t page, size_t pages, uint8_t *address) {
    struct places places = {.list = NULL};
    int error = find_places(&places, pool, page, pages, (uintptr_t)address, (uintptr_t)address + pages * PAGE);
    if (error == 0 && places.octets < pages * PAGE) {
        /* The program has unmapped some, or has moved them by mremap(). */
        error = find_places(&places, pool, page, pages, 0, UINTPTR_MAX);
    }
    if (error == 0) {
        error = exchange_places(&places);
    }
    free_places(&places);
    return error;
}

void give_back(struct pool *pool, size_t page, size_t pages, uint8_t *address) {
    if (pool->is_programs) {
        remove_user(pool, page, pages);
        return;
    }
    size_t at = 0;
    while (at < pages) {
        bool is_last = pool->users[page + at] == 1;
        size_t end = at + 1;
        while (end < pages && (pool->users[page + end] == 1) == is_last) {
            end++;
        }
        if (!is_last || give_run_back(pool, page + at, end - at, address + at * PAGE) == 0) {
            remove_user(pool, page + at, end - at);
        }
        at = end;
    }
}

int give_all_back(void) {
    int error = 0;
    for (struct pool *pool = first_pool(); pool != NULL && error == 0; pool = pool->after) {
        struct places places = {.list = NULL};
        error = pool->is_programs ? 0 : find_places(&places, pool, 0, pool->pages, 0, UINTPTR_MAX);
        if (error == 0) {
            error = exchange_places(&places);
        }
        free_places(&places);
    }
    return error;
}
