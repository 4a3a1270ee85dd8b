/* What the kernel has mapped in this process. */
#ifndef RDDP_VERBS_MEMORY_MAPPINGS_H
#define RDDP_VERBS_MEMORY_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mapping of the process. */
struct mapping_info {
    uintptr_t from, to;
    uint64_t offset;       /* in its file */
    uint64_t device;       /* as of makedev() */
    uint64_t inode;        /* 0: anonymous memory */
    uint64_t page_octets;  /* 0: not known */
    int protection;        /* of mmap() */
    bool is_shared;
    bool is_stack;         /* of the first thread: the kernel extends it downward */
    bool is_special;       /* of the kernel, such as [vdso] */
    bool is_segment;       /* System V's shared memory */
};

/* A view of the mappings, for one thread. */
struct mappings {
    int descriptor;
    bool has_query;  /* the kernel can look up an address */
    char *text;      /* otherwise: all of /proc/self/maps */
    size_t length, at, room;
};

/* Opens a view. 0, or an errno value. */
int open_mappings(struct mappings *mappings);

/*
 * Finds the mapping that has an address, or else the first one behind it; false if there is none. If the kernel cannot
 * look up an address, the view shows the time when it was opened, and addresses must not decrease.
 */
bool find_mapping(struct mappings *mappings, uintptr_t address, struct mapping_info *found);

/* Whether the process has a file mapped. True if that cannot be found out. Leaves errno. */
bool maps_file(uint64_t device, uint64_t inode);

/* Whether the page at an address of a mapping is locked by mlock(2) or mlockall(2). */
bool is_locked(const struct mapping_info *mapping, uintptr_t address);

void close_mappings(struct mappings *mappings);

/* For tests: behave as on a kernel that cannot look up an address. */
extern bool without_query;

#endif
