#include "exchange/exchange.h"

#include <errno.h>
#include <sys/mman.h>

#include "error.h"
#include "exchange/by_protection.h"
#include "exchange/by_signal.h"
#include "exchange/by_tracing.h"
#include "exchange/copy.h"
#include "exchange/process.h"
#include "exchange/threads.h"
#include "rddp.h"

/* Stack frames of the library are shorter. */
#define NEAR_STACK ((uintptr_t)256 << 10)

/* Octets replaced at a time, while other threads wait. */
#define BATCH_OCTETS ((size_t)8 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define BATCH_ENTRIES ((size_t)256)

enum exchange_way exchange_way = AS_ALLOWED;

/* A call to run on another stack; lies in its own memory. */
struct work {
    int (*function)(const struct exchange *list, size_t count, size_t *done);
    const struct exchange *list;
    size_t count, done;
    int error;
};

/* Populates the new memory, so that the kernel allocates nothing while threads wait. */
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

/* Replaces pages, and keeps other threads from them in the first way that works. */
static int exchange_beside_threads(const struct exchange *list, size_t count, size_t *done) {
    int error = EAGAIN;
    if (exchange_way == AS_ALLOWED || exchange_way == BY_PROTECTION) {
        error = call(exchange_protected, list, count, done);
    }
    if (error == EAGAIN && (exchange_way == AS_ALLOWED || exchange_way == BY_TRACING)) {
        error = exchange_traced(list, count, done);
    }
    if (error == EAGAIN && (exchange_way == AS_ALLOWED || exchange_way == BY_SIGNAL)) {
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

static int exchange_batch(const struct exchange *list, size_t count, size_t *done) {
    int error = populate(list, count);
    if (error != 0) {
        return error;
    }
    /* A signal handler's writes on this thread would be lost; with userfaultfd it would wait for its own thread. */
    uint64_t before = block_signals();
    error = count_threads() == 1 ? call(copy_and_exchange, list, count, done)
                                 : exchange_beside_threads(list, count, done);
    restore_signals(before);
    return error;
}

/* Fills a batch from the rest of a list; returns its number of entries. */
static size_t fill_batch(struct exchange *batch, const struct exchange *list, size_t count) {
    size_t entries = 0, room = BATCH_OCTETS;
    while (entries < count && entries < BATCH_ENTRIES && room > 0) {
        batch[entries] = list[entries];
        if (batch[entries].length > room) {
            /* Do not split a huge page. */
            room -= room % HUGE_PAGE;
            if (room == 0) {
                break;
            }
            batch[entries].length = room;
        }
        room -= batch[entries++].length;
    }
    return entries;
}

static void advance(struct exchange *entry, size_t octets) {
    entry->place += octets;
    entry->source += octets;
    entry->memory += octets;
    entry->length -= octets;
}

int exchange_pages(struct exchange *list, size_t count) {
    struct exchange *batch =
        mmap(NULL, BATCH_ENTRIES * sizeof *batch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (batch == MAP_FAILED) {
        return ENOMEM;
    }
    int error = 0;
    size_t at = 0;
    while (at < count && error == 0) {
        size_t done = 0, entries = fill_batch(batch, list + at, count - at);
        error = exchange_batch(batch, entries, &done);
        for (size_t i = 0; i < done; i++) {
            advance(&list[at], batch[i].length);
            at += list[at].length == 0;
        }
    }
    munmap(batch, BATCH_ENTRIES * sizeof *batch);
    return error;
}
