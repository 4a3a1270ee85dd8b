#include "memory/segments.h"

#include <sys/shm.h>

/* Counts the mappings of a segment's only attachment; 0 if there are several. Each adds one to what the kernel counts. */
static unsigned long count_mappings(const struct mapping_info *mapping) {
    struct mappings mappings;
    if (open_mappings(&mappings) != 0) {
        return 0;
    }
    unsigned long count = 0;
    bool is_once = true;
    struct mapping_info found;
    uintptr_t at = 0;
    while (is_once && find_mapping(&mappings, at, &found)) {
        if (found.is_segment && found.inode == mapping->inode) {
            is_once = found.from - found.offset == mapping->from - mapping->offset;
            count++;
        }
        at = found.to;
    }
    close_mappings(&mappings);
    return is_once ? count : 0;
}

bool is_own_segment(const struct mapping_info *mapping) {
    struct shmid_ds segment;
    /* Where a file has its inode's number, a segment has its id (proc_pid_maps(5)). */
    return mapping->is_segment && shmctl((int)mapping->inode, IPC_STAT, &segment) == 0
        && (segment.shm_perm.mode & SHM_DEST) != 0 && count_mappings(mapping) == segment.shm_nattch;
}
