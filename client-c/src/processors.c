#include "processors.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NEXT_MOVER 100u
#define SHORTEST_SLICE 100000u
#define MOVING 2

/* A yield that takes this long, in ns, gave the processor to a thread that does not wait. */
#define LOST 500000u
/* The least and the longest time in ms for which threads stay with the engine after that. */
#define LEAST_STAY 5u
#define LONGEST_STAY 100u
/* A processor that is lost in this time, in ms, after threads have left the engine again was lost all the while. */
#define AT_ONCE 10u

/* The first version of the kernel's struct, which glibc does not have everywhere. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* 0: the program was started with a filter of system calls. */
static int processors;
static _Thread_local bool shortened;

__attribute__((constructor(101))) static void count_processors(void) {
    processors = syscall(SYS_prctl, PR_GET_SECCOMP) == 0 ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 0;
}

bool moves_threads(void) {
    return processors == MOVING;
}

void shorten_time_slices(void) {
    struct attributes attributes;
    if (shortened || processors == 0) {
        return;
    }
    shortened = true;
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 && attributes.policy == SCHED_OTHER) {
        attributes.runtime = SHORTEST_SLICE;
        (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}

/* Where many threads look, such as PostgreSQL's processes, they would crowd the other processor. */
static bool may_move(_Atomic uint64_t *mover, uint64_t time) {
    uint32_t ms = (uint32_t)(time / 1000000u), thread = (uint32_t)gettid();
    uint64_t last = atomic_load_explicit(mover, memory_order_relaxed);
    bool may = last >> 32 == thread || ms - (uint32_t)last > NEXT_MOVER;
    if (may) {
        atomic_store_explicit(mover, (uint64_t)thread << 32 | ms, memory_order_relaxed);
    }
    return may;
}

/* Moves the thread from a processor with an engine to one without, or the other way round. */
static bool change_sides(bool engine, const cpu_set_t *engines, _Atomic uint64_t *mover, uint64_t time) {
    int here = moves_threads() ? sched_getcpu() : -1;
    cpu_set_t allowed, wanted;
    if (here < 0 || CPU_ISSET((unsigned)here, engines) == engine || !may_move(mover, time)
        || sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != MOVING) {
        return false;
    }
    CPU_AND(&wanted, engines, &allowed);
    if (!engine) {
        CPU_XOR(&wanted, &allowed, &wanted);
    }
    if (sched_setaffinity(0, sizeof wanted, &wanted) != 0) {  /* EINVAL if there is none */
        return false;
    }
    /* All that there may ever be, as before the first call: otherwise it would not use processors that the process gets later. */
    memset(&allowed, 0xff, sizeof allowed);
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
    return true;
}

bool leave_processors(const cpu_set_t *engines, _Atomic uint64_t *mover, uint64_t time) {
    return change_sides(false, engines, mover, time);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A thread has joined the engine. Threads may overwrite what others note: they stay for another time then. */
static void stay(struct placement *placement, uint32_t ms) {
    uint32_t since = ms - placement->stayed_at, last = placement->stay;
    if (since >= last) {
        /* Each time that the processor was soon lost again, they stay longer. */
        uint32_t next = last > 0 && since < last + AT_ONCE ? 2 * last : LEAST_STAY;
        placement->stay = next < LONGEST_STAY ? next : LONGEST_STAY;
        placement->stayed_at = ms;
    }
}

void yield_processor(const cpu_set_t *engines, struct placement *placement) {
    uint64_t began = now();
    shorten_time_slices();
    if ((uint32_t)(began / 1000000u) - placement->stayed_at >= placement->stay
        && leave_processors(engines, &placement->mover, began)) {
        return;
    }
    sched_yield();
    uint64_t time = now();
    if (time - began >= LOST && change_sides(true, engines, &placement->mover, time)) {
        stay(placement, (uint32_t)(time / 1000000u));
    }
}
