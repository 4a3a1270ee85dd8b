#include "exchange/by_signal.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "exchange/copy.h"
#include "exchange/process.h"
#include "exchange/threads.h"
#include "exchange/unchecked.h"
#include "layer.h"

#define MOST_THREADS ((size_t)1 << 16)

/* Milliseconds. libc briefly blocks all signals, such as when a thread begins. */
#define MOST_TRIES 200

/* Threads in the handler, the current round of stopping, and the last round that has ended. */
static atomic_uint stopped, current, released;

/* The threads to stop; in its own memory. */
struct stopping {
    const struct exchange *list;
    size_t count, done;
    pid_t process, self;
    int error;
    bool has_failed;   /* before anything was done */
    size_t threads;    /* signalled */
    pid_t signalled[];
};

/* A program hardly uses the last signals. */
int stop_signal(void) {
    return SIGRTMAX - 1;
}

__attribute__((constructor)) static void unblock_in_sessions(void) {
    unblocked_signal = stop_signal();
}

UNCHECKED static void on_signal(int number) {
    (void)number;
    int saved = errno;
    unsigned round = atomic_load(&current);
    if (atomic_load(&released) != round) {
        atomic_fetch_add(&stopped, 1);
        syscall(SYS_futex, &stopped, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        while (atomic_load(&released) != round) {
            syscall(SYS_futex, &released, FUTEX_WAIT_PRIVATE, round - 1, NULL, NULL, 0);
        }
    }
    errno = saved;
}

/* False if the program uses the signal. */
static bool install(void) {
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    if (sigaction(stop_signal(), NULL, &before) != 0) {
        return false;
    }
    if (before.sa_handler == on_signal) {
        return true;
    }
    sigfillset(&action.sa_mask);
    return before.sa_handler == SIG_DFL && sigaction(stop_signal(), &action, NULL) == 0;
}

UNCHECKED static int signal_thread(pid_t thread, void *argument) {
    struct stopping *stopping = argument;
    if (thread == stopping->self) {
        return 0;
    }
    for (size_t i = 0; i < stopping->threads; i++) {
        if (stopping->signalled[i] == thread) {
            return 0;
        }
    }
    if (stopping->threads == MOST_THREADS) {
        return EAGAIN;
    }
    if (syscall(SYS_tgkill, stopping->process, thread, stop_signal()) == 0
        && thread_state(stopping->process, thread) != 'Z') {
        stopping->signalled[stopping->threads++] = thread;
    }
    return 0;
}

/* How many of the signalled threads have ended instead; -1 if one blocks the signal. */
UNCHECKED static long count_ended(const struct stopping *stopping) {
    long ended = 0;
    for (size_t i = 0; i < stopping->threads; i++) {
        pid_t thread = stopping->signalled[i];
        char state = thread_state(stopping->process, thread);
        if (state == 'X' || state == 'Z') {
            ended++;
        } else if (thread_holds_back(stopping->process, thread, stop_signal())) {
            return -1;
        }
    }
    return ended;
}

UNCHECKED static bool await_stopped(const struct stopping *stopping) {
    const struct timespec millisecond = {.tv_nsec = 1000000}, moment = {.tv_nsec = 10000};
    long ended = 0;
    int tries = 0;
    unsigned count;
    while ((count = atomic_load(&stopped)) + (size_t)ended < stopping->threads) {
        if (syscall(SYS_futex, &stopped, FUTEX_WAIT_PRIVATE, count, &millisecond, NULL, 0) != 0) {
            ended = count_ended(stopping);
            if (ended < 0 && ++tries == MOST_TRIES) {
                return false;
            }
            ended = ended < 0 ? 0 : ended;
        }
    }
    /* Once it sleeps in the handler, it writes nothing to its stack, which may be among the pages. */
    for (size_t i = 0; i < stopping->threads; i++) {
        char state;
        while ((state = thread_state(stopping->process, stopping->signalled[i])) == 'R' || state == 'D') {
            /* Sleeps: if this thread has a higher real-time priority, the other would never run. */
            syscall(SYS_nanosleep, &moment, NULL);
        }
    }
    return true;
}

UNCHECKED static int stop_all(struct stopping *stopping) {
    struct thread_list threads;
    if (!open_threads(&threads, stopping->process)) {
        return EAGAIN;
    }
    size_t known;
    int error;
    do {
        known = stopping->threads;
        error = for_each_thread(&threads, signal_thread, stopping);
        if (error == 0 && !await_stopped(stopping)) {
            error = EAGAIN;
        }
        /* A thread that was not stopped yet may have begun others. */
    } while (error == 0 && stopping->threads != known);
    close_threads(&threads);
    return error;
}

UNCHECKED static int stop_and_exchange(void *argument) {
    struct stopping *stopping = argument;
    unsigned round = atomic_load(&released) + 1;
    atomic_store(&stopped, 0);
    atomic_store(&current, round);
    stopping->error = stop_all(stopping);
    stopping->has_failed = stopping->error != 0;
    if (stopping->error == 0) {
        stopping->error = copy_and_exchange(stopping->list, stopping->count, &stopping->done);
    }
    atomic_store(&released, round);
    syscall(SYS_futex, &released, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    return 0;
}

int exchange_signalled(const struct exchange *list, size_t count, size_t *done) {
    if (!install()) {
        return EAGAIN;
    }
    size_t octets = sizeof(struct stopping) + MOST_THREADS * sizeof(pid_t);
    struct stopping *stopping =
        mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stopping == MAP_FAILED) {
        return ENOMEM;
    }
    *stopping = (struct stopping){.list = list, .count = count, .process = getpid(), .self = (pid_t)syscall(SYS_gettid),
        .has_failed = true};
    int error = run_suspended(stop_and_exchange, stopping) != 0 || stopping->has_failed ? EAGAIN : stopping->error;
    *done = stopping->done;
    munmap(stopping, octets);
    return error;
}
