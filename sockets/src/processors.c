#include "processors.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "session.h"

/* The machine's processors; 0: threads are not moved. With more than two, the kernel finds one by itself. */
static int processors;

/* A filter of system calls, which the program has from its start, may not know of those that move a thread. */
__attribute__((constructor(101))) static void count_processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    processors = count == 2 && syscall(SYS_prctl, PR_GET_SECCOMP) == 0 ? 2 : 0;
}

#define NEXT_MOVER 100u

/*
 * Whether a thread may move: for 100 ms only one of a session's. Where many look, such as PostgreSQL's processes, they would crowd
 * the other processor.
 */
static bool may_move(_Atomic uint64_t *mover, uint64_t time) {
    uint32_t ms = (uint32_t)(time / 1000000u), thread = (uint32_t)gettid();
    uint64_t last = atomic_load_explicit(mover, memory_order_relaxed);
    bool may = last >> 32 == thread || ms - (uint32_t)last > NEXT_MOVER;
    if (may) {
        atomic_store_explicit(mover, (uint64_t)thread << 32 | ms, memory_order_relaxed);
    }
    return may;
}

/* Those that the session's engines were seen on. */
static cpu_set_t find_engines(const struct session *session) {
    cpu_set_t found;
    CPU_ZERO(&found);
    for (unsigned i = 0; i < session->sections; i++) {
        const struct doorbells *bells = (const struct doorbells *)session->memory + i;
        uint32_t processor = atomic_load_explicit(&bells->processor, memory_order_relaxed);
        if (processor != 0 && processor <= CPU_SETSIZE) {
            CPU_SET(processor - 1, &found);
        }
    }
    return found;
}

bool leave_engines(uint64_t time) {
    const struct session *session = processors == 0 ? NULL : present_session();
    int here = session == NULL ? -1 : sched_getcpu();
    if (here < 0) {
        return false;
    }
    cpu_set_t engines = find_engines(session), allowed, free;
    if (!CPU_ISSET((unsigned)here, &engines) || !may_move(&session->page->mover, time) || sched_getaffinity(0, sizeof allowed, &allowed) != 0
        || CPU_COUNT(&allowed) != processors) {
        return false;
    }
    CPU_AND(&engines, &engines, &allowed);
    CPU_XOR(&free, &allowed, &engines);
    if (sched_setaffinity(0, sizeof free, &free) != 0) {  /* EINVAL if there is none */
        return false;
    }
    /* All that there may ever be, as before the first call: otherwise it would not use processors that the process gets later. */
    memset(&allowed, 0xff, sizeof allowed);
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
    return true;
}
