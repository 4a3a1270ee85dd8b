#include "memory/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange/unchecked.h"

/* Most programs may have 1024 descriptors. */
#define MOST_KEPT 512u
/* Numbers that programs use themselves lie below. */
#define FIRST_NUMBER 512

/* Of a state, modulo 4: each change adds one, so a state that is the same has not changed. */
enum { FREE, FILLING, KEPT, CLOSING };

struct kept {
    atomic_uint state;
    atomic_int descriptor;
    atomic_uintptr_t from, to;
    atomic_uint_least64_t device, inode;
};

static struct kept list[MOST_KEPT];
/* Entries from here on were never used. */
static atomic_uint used;

static bool is_file(int descriptor, uint64_t device, uint64_t inode) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

/* ---- Kept descriptors ---- */

/* Takes a free entry; NULL if there is none. */
static struct kept *take_entry(unsigned *state) {
    for (unsigned i = 0; i < MOST_KEPT; i++) {
        unsigned before = atomic_load(&list[i].state);
        if (before % 4 == FREE && atomic_compare_exchange_strong(&list[i].state, &before, before + 1)) {
            unsigned known = atomic_load(&used);
            while (known <= i && !atomic_compare_exchange_weak(&used, &known, i + 1)) {
            }
            *state = before + 1;
            return &list[i];
        }
    }
    return NULL;
}

static int move_away(int descriptor) {
    struct rlimit limit;
    bool is_low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * FIRST_NUMBER;
    return fcntl(descriptor, F_DUPFD_CLOEXEC, is_low ? (int)(limit.rlim_cur / 2) : FIRST_NUMBER);
}

bool keep_descriptor(int descriptor, uintptr_t from, uintptr_t to) {
    struct stat status;
    int moved = fstat(descriptor, &status) == 0 ? move_away(descriptor) : -1;
    unsigned state;
    struct kept *kept = moved < 0 ? NULL : take_entry(&state);
    if (kept == NULL) {
        if (moved >= 0) {
            close(moved);
        }
        return false;
    }
    close(descriptor);
    atomic_store(&kept->descriptor, moved);
    atomic_store(&kept->from, from);
    atomic_store(&kept->to, to);
    atomic_store(&kept->device, status.st_dev);
    atomic_store(&kept->inode, status.st_ino);
    atomic_store(&kept->state, state + 1);
    return true;
}

UNCHECKED void close_unmapped(uintptr_t from, uintptr_t to) {
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        struct kept *kept = &list[i];
        unsigned state = atomic_load(&kept->state);
        uintptr_t begin = atomic_load(&kept->from), end = atomic_load(&kept->to);
        if (state % 4 != KEPT || begin >= to || end <= from) {
            continue;
        }
        uint64_t device = atomic_load(&kept->device), inode = atomic_load(&kept->inode);
        if (!maps_file(device, inode) && atomic_compare_exchange_strong(&kept->state, &state, state + 1)) {
            int descriptor = atomic_load(&kept->descriptor);
            /* Not where the program has closed it and has another file there. */
            if (is_file(descriptor, device, inode)) {
                close(descriptor);
            }
            atomic_store(&kept->state, state + 2);
        }
    }
}

/* ---- Finding one ---- */

/* Closes a descriptor, and returns -1, if it is not for writing, or not of the file. */
static int check_descriptor(int descriptor, const struct mapping_info *mapping) {
    if (descriptor >= 0
        && ((fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDWR
            || !is_file(descriptor, mapping->device, mapping->inode))) {
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

static int find_kept(const struct mapping_info *mapping) {
    int found = -1;
    for (unsigned i = 0; i < atomic_load(&used) && found < 0; i++) {
        struct kept *kept = &list[i];
        if (atomic_load(&kept->state) % 4 == KEPT && atomic_load(&kept->inode) == mapping->inode
            && atomic_load(&kept->device) == mapping->device) {
            found = check_descriptor(fcntl(atomic_load(&kept->descriptor), F_DUPFD_CLOEXEC, 0), mapping);
        }
    }
    return found;
}

/* Looks at names first: to look at other files could wait for a server. */
static int find_open(const struct mapping_info *mapping) {
    static const char begin[] = "/memfd:";
    DIR *all = opendir("/proc/self/fd");
    int found = -1;
    const struct dirent *entry;
    while (all != NULL && found < 0 && (entry = readdir(all)) != NULL) {
        char name[sizeof begin] = "";
        if (readlinkat(dirfd(all), entry->d_name, name, sizeof name - 1) > 0 && strcmp(name, begin) == 0) {
            found = check_descriptor(fcntl(atoi(entry->d_name), F_DUPFD_CLOEXEC, 0), mapping);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    return found;
}

/* The kernel does not ask how the file that is mapped was opened. */
static int open_mapping(const struct mapping_info *mapping) {
    if ((mapping->protection & PROT_WRITE) == 0) {
        return -1;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR, mapping->from, mapping->to);
    return check_descriptor(open(path, O_RDWR | O_CLOEXEC), mapping);
}

int find_descriptor(const struct mapping_info *mapping) {
    int found = find_kept(mapping);
    found = found < 0 ? find_open(mapping) : found;
    return found < 0 ? open_mapping(mapping) : found;
}
