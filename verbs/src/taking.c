#include "taking.h"

#include <errno.h>
#include <sys/mman.h>

#include "internal.h"
#include "taking_copy.h"
#include "taking_process.h"
#include "taking_protect.h"
#include "taking_signal.h"
#include "taking_threads.h"
#include "taking_trace.h"

/* Frames of the library are not longer. */
#define NEAR_STACK ((uintptr_t)256 << 10)

enum taking_way taking_way = AS_ALLOWED;

/* Work for another stack. Lies there on memory of its own. */
struct work {
    int (*function)(const struct exchange *list, size_t count, size_t *done);
    const struct exchange *list;
    size_t count, done;
    int error;
};

/* Populates what will take the places, so that nothing is allocated while threads wait. */
static int populate(const struct exchange *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (madvise(list[i].memory, list[i].length, MADV_POPULATE_WRITE) != 0) {
            return ENOMEM;
        }
    }
    return 0;
}

/* Whether this function's stack is among the pages. */
static bool has_own_stack(const struct exchange *list, size_t count) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    for (size_t i = 0; i < count; i++) {
        uintptr_t from = (uintptr_t)list[i].place;
        if (here + NEAR_STACK > from && here - NEAR_STACK < from + list[i].length) {
            return true;
        }
    }
    return false;
}

static int run_work(void *argument) {
    struct work *work = argument;
    work->error = work->function(work->list, work->count, &work->done);
    return 0;
}

/* Calls a function, on another stack if this one is among the pages. */
static int call(int (*function)(const struct exchange *list, size_t count, size_t *done), const struct exchange *list,
    size_t count, size_t *done) {
    if (!has_own_stack(list, count)) {
        return function(list, count, done);
    }
    struct work *work = mmap(NULL, sizeof *work, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (work == MAP_FAILED) {
        return ENOMEM;
    }
    *work = (struct work){.function = function, .list = list, .count = count, .error = EAGAIN};
    int error = run_suspended(run_work, work) == 0 ? work->error : EAGAIN;
    *done = work->done;
    munmap(work, sizeof *work);
    return error;
}

int exchange_pages(const struct exchange *list, size_t count, size_t *done) {
    *done = 0;
    int error = populate(list, count);
    if (error != 0) {
        return error;
    }
    if (count_threads() == 1) {
        return call(copy_and_exchange, list, count, done);
    }
    error = EAGAIN;
    if (taking_way == AS_ALLOWED || taking_way == BY_PROTECTION) {
        error = call(exchange_protected, list, count, done);
    }
    if (error == EAGAIN && (taking_way == AS_ALLOWED || taking_way == BY_TRACING)) {
        error = exchange_traced(list, count, done);
    }
    if (error == EAGAIN && (taking_way == AS_ALLOWED || taking_way == BY_SIGNAL)) {
        error = exchange_signalled(list, count, done);
    }
    if (error == EAGAIN) {
        fail(RDDP_SYSTEM,
            "other threads of this process cannot be kept from writing to memory while it is registered: allow ptrace(2),"
            " or userfaultfd(2) by sysctl vm.unprivileged_userfaultfd=1, or let no thread block signal %d",
            stop_signal());
    }
    return error;
}
