#include "exchange/by_protection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exchange/copy.h"
#include "exchange/unchecked.h"

/* Linux 5.19: pages of a memfd can be protected, too. */
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif

static int descriptor = -1;
static bool is_refused;

static bool open_descriptor(void) {
    if (descriptor >= 0 || is_refused) {
        return descriptor >= 0;
    }
    /*
     * Without UFFD_USER_MODE_ONLY, which needs the right: then system calls of other threads wait instead of failing
     * with EFAULT.
     */
    int opened = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {.api = UFFD_API,
        .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM};
    is_refused = opened < 0 || ioctl(opened, UFFDIO_API, &api) != 0;
    if (is_refused && opened >= 0) {
        close(opened);
    } else {
        descriptor = opened;
    }
    return !is_refused;
}

void forget_protection(void) {
    if (descriptor >= 0) {
        close(descriptor);
        descriptor = -1;
    }
}

UNCHECKED static struct uffdio_range range_of(const struct exchange *exchange) {
    return (struct uffdio_range){.start = (uintptr_t)exchange->place, .len = exchange->length};
}

UNCHECKED static bool protect(const struct exchange *exchange) {
    /* The kernel does not protect pages that were never touched, and a read of one would wait for ever. */
    if (syscall(SYS_madvise, exchange->place, exchange->length, MADV_POPULATE_READ) != 0) {
        return false;
    }
    struct uffdio_register registered = {.range = range_of(exchange),
        .mode = UFFDIO_REGISTER_MODE_WP | UFFDIO_REGISTER_MODE_MISSING};
    if (syscall(SYS_ioctl, descriptor, UFFDIO_REGISTER, &registered) != 0) {
        return false;
    }
    struct uffdio_writeprotect protection = {.range = range_of(exchange), .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    return syscall(SYS_ioctl, descriptor, UFFDIO_WRITEPROTECT, &protection) == 0;
}

/* Releases threads that wait for pages from `first` on, which are unchanged. */
UNCHECKED static void unprotect(const struct exchange *list, size_t first, size_t count) {
    for (size_t i = first; i < count; i++) {
        struct uffdio_range range = range_of(&list[i]);
        syscall(SYS_ioctl, descriptor, UFFDIO_UNREGISTER, &range);
    }
}

UNCHECKED int exchange_protected(const struct exchange *list, size_t count, size_t *done) {
    if (!open_descriptor()) {
        return EAGAIN;
    }
    for (size_t i = 0; i < count; i++) {
        if (!protect(&list[i])) {
            unprotect(list, 0, i + 1);
            return EAGAIN;
        }
    }
    int error = copy_and_exchange(list, count, done);
    for (size_t i = 0; i < *done; i++) {
        struct uffdio_range range = range_of(&list[i]);
        syscall(SYS_ioctl, descriptor, UFFDIO_WAKE, &range);
    }
    unprotect(list, *done, count);
    return error;
}
