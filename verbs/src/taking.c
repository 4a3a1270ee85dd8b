#include "taking.h"

#include <errno.h>
#include <sys/mman.h>

#include "taking_copy.h"

/* Populates page tables of what will be copied, so that nothing is allocated while threads wait. */
static int prepare(const struct exchange *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (madvise(list[i].memory, list[i].length, MADV_POPULATE_WRITE) != 0) {
            return errno == EFAULT || errno == EHWPOISON ? ENOMEM : errno;
        }
    }
    return 0;
}

int exchange_pages(const struct exchange *list, size_t count, size_t *done) {
    *done = 0;
    int error = prepare(list, count);
    return error != 0 ? error : copy_and_exchange(list, count, done);
}
