#include "mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locks.h"
#include "sandbox.h"
#include "session.h"

/* As many as the daemon keeps memories of a session. */
#define MOST_KEPT 32u

/* Of a message to the daemon by a stream's socket: this process, alone, has used the memory, and uses it no more. */
static const char GIVEN_BACK[] = "given back";

/* All under the library's lock. The one that was put last is the first. */
static struct mapping *kept;
static struct mapping *unused;  /* that map nothing */
static unsigned kept_count;
static unsigned forks;

static void unmap(struct mapping *mapping) {
    munmap(mapping->at, mapping->octets);
    mapping->next = unused;
    unused = mapping;
}

static void drop_kept(void) {
    while (kept != NULL) {
        struct mapping *mapping = kept;
        kept = mapping->next;
        unmap(mapping);
    }
    kept_count = 0;
}

/* A child must not have mappings of memory that later streams may get. No stream gets, or gives back, any until it is made. */
static void before_fork(void) {
    lock_library();
    forks++;
    drop_kept();
}

__attribute__((constructor(101))) static void prepare(void) {
    (void)pthread_atfork(before_fork, unlock_library, unlock_library);
}

void note_fork(void) {
    before_fork();
    unlock_library();
}

/* Removes one from those that are kept. NULL: it is not among them. */
static struct mapping *find(const struct stat *file, size_t octets) {
    struct mapping **at = &kept;
    while (*at != NULL && ((*at)->number != file->st_ino || (*at)->device != file->st_dev || (*at)->octets != octets)) {
        at = &(*at)->next;
    }
    struct mapping *found = *at;
    if (found != NULL) {
        *at = found->next;
        kept_count--;
    }
    return found;
}

static struct mapping *map(int memory, size_t octets) {
    struct mapping *made = unused != NULL ? unused : malloc(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    unused = made == unused ? made->next : unused;
    made->octets = octets;
    made->at = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (made->at == MAP_FAILED) {
        made->next = unused;
        unused = made;
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
    lock_library();
    struct mapping *mapping = find(&file, octets);
    if (mapping == NULL) {
        mapping = map(memory, octets);
    }
    if (mapping != NULL) {
        mapping->device = file.st_dev;
        mapping->number = file.st_ino;
        mapping->generation = generation();
        mapping->forks = forks;
    }
    unlock_library();
    return mapping;
}

/* Whether no other process has used the memory, as children do that a process has made meanwhile. */
static bool is_only_users(const struct mapping *mapping) {
    return mapping->immutable && mapping->generation == generation() && mapping->forks == forks;
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

bool give_mapping_back(struct mapping *mapping, int socket) {
    lock_library();
    size_t octets = sizeof GIVEN_BACK - 1;
    bool given = !is_sandboxed() && is_only_users(mapping)
        && syscall(SYS_sendto, socket, GIVEN_BACK, octets, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0) == (long)octets;
    if (given) {
        mapping->next = kept;
        kept = mapping;
        kept_count++;
        if (kept_count > MOST_KEPT) {
            unmap(oldest());
        }
    }
    unlock_library();
    return given;
}

void drop_mapping(struct mapping *mapping) {
    lock_library();
    unmap(mapping);
    unlock_library();
}
