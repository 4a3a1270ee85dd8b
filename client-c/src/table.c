#include <stdlib.h>

#include "table.h"

bool add_object(struct object_table *table, uint32_t number, void *object) {
    struct object_page *page = page_of(table, number);
    if (page == NULL) {
        page = calloc(1, sizeof *page);
        if (page == NULL) {
            return false;
        }
        atomic_store_explicit(&table->pages[index_of(number) >> PAGE_BITS], page, memory_order_release);
    }
    atomic_store_explicit(&page->at[index_of(number) & (PAGE_OBJECTS - 1)], object, memory_order_release);
    return true;
}

void remove_object(struct object_table *table, uint32_t number) {
    struct object_page *page = page_of(table, number);
    if (page != NULL) {
        atomic_store_explicit(&page->at[index_of(number) & (PAGE_OBJECTS - 1)], NULL, memory_order_release);
    }
}

void for_each_object(struct object_table *table, void (*function)(void *object, void *argument), void *argument) {
    for (size_t i = 0; i < sizeof table->pages / sizeof table->pages[0]; i++) {
        struct object_page *page = atomic_load_explicit(&table->pages[i], memory_order_acquire);
        for (size_t j = 0; page != NULL && j < PAGE_OBJECTS; j++) {
            void *object = atomic_load_explicit(&page->at[j], memory_order_acquire);
            if (object != NULL) {
                function(object, argument);
            }
        }
    }
}

static void free_object(void *object, void *argument) {
    (void)argument;
    free(object);
}

void free_table(struct object_table *table) {
    for_each_object(table, free_object, NULL);
    for (size_t i = 0; i < sizeof table->pages / sizeof table->pages[0]; i++) {
        free(table->pages[i]);
    }
}
