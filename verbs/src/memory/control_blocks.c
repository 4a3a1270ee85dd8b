#include "memory/control_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exchange/threads.h"

/* A control block has fewer octets than this behind its list of robust mutexes, which the kernel can report. */
#define REST ((uintptr_t)1600)

struct search {
    uintptr_t from, to;
    uintptr_t distance;  /* from the start of a control block to its list of robust mutexes */
};

static uintptr_t robust_list(pid_t thread) {
    void *list = NULL;
    size_t length;
    return syscall(SYS_get_robust_list, thread, &list, &length) == 0 ? (uintptr_t)list : 0;
}

static int look_at(pid_t thread, void *argument) {
    const struct search *search = argument;
    uintptr_t list = robust_list(thread);
    bool overlaps = list != 0 && list - search->distance < search->to && list + REST > search->from;
    return overlaps ? EOPNOTSUPP : 0;
}

bool has_control_block(uintptr_t from, uintptr_t to) {
    /* System calls that fail store errno while the pages are replaced. */
    if ((uintptr_t)&errno >= from && (uintptr_t)&errno < to) {
        return true;
    }
    struct search search = {.from = from, .to = to, .distance = robust_list(0) - (uintptr_t)pthread_self()};
    struct thread_list threads;
    if (!open_threads(&threads, getpid())) {
        return false;
    }
    int found = for_each_thread(&threads, look_at, &search);
    close_threads(&threads);
    return found == EOPNOTSUPP;
}
