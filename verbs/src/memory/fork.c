#include "memory/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "exchange/by_protection.h"
#include "exchange/process.h"
#include "memory/giving.h"
#include "memory/pools.h"

static pthread_mutex_t *held;
static void (*forget_registrations)(void);
/* A pipe. Both processes have the writing end; the child closes it last. */
static int copied[2] = {-1, -1};
/* Blocked: a handler that writes before the child has its copy would write to shared memory. */
static uint64_t signals;

static void before_fork(void) {
    pthread_mutex_lock(held);
    signals = block_signals();
    copied[0] = copied[1] = -1;
    if (first_pool() != NULL && pipe2(copied, O_CLOEXEC) != 0) {
        /* The parent does not wait: what it writes meanwhile may be in the child's copy. */
        copied[0] = copied[1] = -1;
    }
}

static void release(void) {
    uint64_t before = signals;
    pthread_mutex_unlock(held);
    restore_signals(before);
}

static void close_pipe(void) {
    if (copied[0] >= 0) {
        close(copied[0]);
        close(copied[1]);
    }
}

static void in_parent(void) {
    if (copied[0] >= 0) {
        char octet;
        close(copied[1]);
        while (read(copied[0], &octet, 1) < 0 && errno == EINTR) {
        }
        close(copied[0]);
    }
    release();
}

static void in_child(void) {
    forget_protection();
    if (give_all_back() != 0) {
        static const char text[] = "rddp: no memory for a forked child's copy of registered memory; the child ends\n";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(127);
    }
    forget_pools();
    forget_registrations();
    close_pipe();
    release();
}

void handle_forks(pthread_mutex_t *lock, void (*forget)(void)) {
    if (held == NULL) {
        held = lock;
        forget_registrations = forget;
        pthread_atfork(before_fork, in_parent, in_child);
    }
}
