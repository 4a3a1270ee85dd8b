#include "mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locks.h"
#include "session.h"

/* As many as the daemon keeps memories of a session. */
#define MOST_KEPT 32u

/* Under the library's lock: the one that was put last is the first. */
static struct mapping *kept;
static unsigned kept_count;
static _Atomic unsigned forks;

__attribute__((constructor(101))) static void prepare(void) {
    (void)pthread_atfork(note_fork, NULL, NULL);
}

void note_fork(void) {
    atomic_fetch_add(&forks, 1);
}

static void unmap(struct mapping *mapping) {
    munmap(mapping->at, mapping->octets);
    free(mapping);
}

/* Removes one from those that are kept. NULL: it is not among them. */
static struct mapping *find(const struct stat *file, size_t octets) {
    lock_library();
    struct mapping **at = &kept;
    while (*at != NULL && ((*at)->number != file->st_ino || (*at)->device != file->st_dev || (*at)->octets != octets)) {
        at = &(*at)->next;
    }
    struct mapping *found = *at;
    if (found != NULL) {
        *at = found->next;
        kept_count--;
    }
    unlock_library();
    return found;
}

static struct mapping *map(int memory, size_t octets) {
    struct mapping *made = malloc(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->octets = octets;
    made->at = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (made->at == MAP_FAILED) {
        free(made);
        return NULL;
    }
    if (!forbid_holes(memory, &made->immutable)) {
        int error = errno;
        unmap(made);
        errno = error;
        return NULL;
    }
    return made;
}

struct mapping *take_mapping(int memory, size_t octets) {
    struct stat file;
    if (syscall(SYS_fstat, memory, &file) != 0) {
        return NULL;
    }
    struct mapping *mapping = find(&file, octets);
    if (mapping == NULL) {
        mapping = map(memory, octets);
    }
    if (mapping != NULL) {
        mapping->device = file.st_dev;
        mapping->number = file.st_ino;
        mapping->generation = generation();
        mapping->forks = atomic_load(&forks);
    }
    return mapping;
}

bool is_only_users(const struct mapping *mapping) {
    return mapping->immutable && mapping->generation == generation() && mapping->forks == atomic_load(&forks);
}

/* Takes the one that was put first from those that are kept. */
static struct mapping *oldest(void) {
    struct mapping **at = &kept;
    while ((*at)->next != NULL) {
        at = &(*at)->next;
    }
    struct mapping *last = *at;
    *at = NULL;
    kept_count--;
    return last;
}

void put_mapping(struct mapping *mapping) {
    struct mapping *dropped = mapping;
    if (is_only_users(mapping)) {
        lock_library();
        mapping->next = kept;
        kept = mapping;
        kept_count++;
        dropped = kept_count > MOST_KEPT ? oldest() : NULL;
        unlock_library();
    }
    if (dropped != NULL) {
        unmap(dropped);
    }
}
