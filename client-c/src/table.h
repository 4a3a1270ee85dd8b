/* Tables of objects. */
#ifndef RDDP_TABLE_H
#define RDDP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Objects by index, the lower 20 bits of their number. Entries change under the session's lock; the polling thread
 * reads them without it. A page is allocated for its first object.
 */
#define INDEX_BITS 20
#define PAGE_BITS 10
#define PAGE_OBJECTS (1 << PAGE_BITS)

struct object_page {
    _Atomic(void *) at[PAGE_OBJECTS];
};

struct object_table {
    _Atomic(struct object_page *) pages[1 << (INDEX_BITS - PAGE_BITS)];
};

static inline uint32_t index_of(uint32_t number) {
    return number & ((1u << INDEX_BITS) - 1);
}

static inline struct object_page *page_of(struct object_table *table, uint32_t number) {
    return atomic_load_explicit(&table->pages[index_of(number) >> PAGE_BITS], memory_order_acquire);
}

/* Returns the object at the index of a number, or NULL. Called for each request, hence inline. */
static inline void *find_object(struct object_table *table, uint32_t number) {
    struct object_page *page = page_of(table, number);
    return page == NULL ? NULL
                        : atomic_load_explicit(&page->at[index_of(number) & (PAGE_OBJECTS - 1)], memory_order_acquire);
}

/* Adds an object; false if there is no memory. */
bool add_object(struct object_table *table, uint32_t number, void *object);
void remove_object(struct object_table *table, uint32_t number);
/* Calls a function for each object. */
void for_each_object(struct object_table *table, void (*function)(void *object, void *argument), void *argument);
void free_table(struct object_table *table);

#endif
