/*
 * Replaces libc's mmap() and munmap(), so that shared anonymous memory can be registered later: the kernel's has no
 * descriptor and cannot be sealed. The program gets a memfd instead, of which the library keeps a descriptor. Where that
 * cannot be had, the program gets what it has asked for.
 *
 * Programs may call these before the library's constructors have run, and in signal handlers.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange/unchecked.h"
#include "memory/descriptors.h"
#include "memory/pools.h"
#include "memory/sealing.h"

#undef mmap
#undef munmap

#define VISIBLE __attribute__((visibility("default")))
/* ThreadSanitizer calls them before it is ready. */
#define REPLACES UNCHECKED VISIBLE
#define HUGE_SIZE ((unsigned)MAP_HUGE_MASK << MAP_HUGE_SHIFT)

/* Makes a memfd for a mapping, and rounds the length up to whole pages; -1 if it cannot be had. */
static int create_memory(size_t *length, unsigned flags) {
    int descriptor = create_sealable((flags & MAP_HUGETLB) != 0 ? MFD_HUGETLB | (flags & HUGE_SIZE) : 0);
    struct stat status;
    struct rlimit limit;
    size_t octets = 0;
    bool is_made = descriptor >= 0 && fstat(descriptor, &status) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (is_made) {
        size_t page = (flags & MAP_HUGETLB) != 0 ? (size_t)status.st_blksize : PAGE;
        octets = (*length + page - 1) / page * page;
        /* Beyond the file size limit, the kernel would signal the program. */
        is_made = octets >= *length && octets <= limit.rlim_cur && ftruncate(descriptor, (off_t)octets) == 0;
    }
    if (descriptor >= 0 && !is_made) {
        close(descriptor);
        descriptor = -1;
    }
    *length = octets;
    return descriptor;
}

/* MAP_FAILED if the memory cannot be had in this way. */
static void *map_sealable(void *address, size_t length, int protection, unsigned flags) {
    int descriptor = length == 0 ? -1 : create_memory(&length, flags);
    if (descriptor < 0) {
        return MAP_FAILED;
    }
    unsigned kept = flags & ~((unsigned)MAP_ANONYMOUS | MAP_HUGETLB | ((flags & MAP_HUGETLB) != 0 ? HUGE_SIZE : 0));
    void *mapped = own_mmap(address, length, protection, (int)kept, descriptor, 0);
    if (mapped == MAP_FAILED || !keep_descriptor(descriptor, (uintptr_t)mapped, (uintptr_t)mapped + length)) {
        close(descriptor);
    }
    return mapped;
}

/* Instructions from shared memory are rare, and a system may forbid them in files. */
REPLACES void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    void *mapped = MAP_FAILED;
    if ((flags & (MAP_TYPE | MAP_ANONYMOUS)) == (MAP_SHARED | MAP_ANONYMOUS) && (protection & PROT_EXEC) == 0) {
        int before = errno;
        mapped = map_sealable(address, length, protection, (unsigned)flags);
        errno = before;
    }
    if (mapped == MAP_FAILED) {
        mapped = own_mmap(address, length, protection, flags, descriptor, offset);
    }
    if (mapped != MAP_FAILED && (flags & MAP_FIXED) != 0) {
        close_unmapped((uintptr_t)mapped, (uintptr_t)mapped + length);
    }
    return mapped;
}

VISIBLE void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset)
    __attribute__((alias("mmap")));

REPLACES int munmap(void *address, size_t length) {
    int result = own_munmap(address, length);
    if (result == 0) {
        close_unmapped((uintptr_t)address, (uintptr_t)address + length);
    }
    return result;
}
