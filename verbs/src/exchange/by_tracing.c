#include "exchange/by_tracing.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange/copy.h"
#include "exchange/permission.h"
#include "exchange/process.h"
#include "exchange/threads.h"
#include "exchange/unchecked.h"

#define MOST_THREADS ((size_t)1 << 16)

/* Input and results of the tracing process. */
struct tracing {
    const struct exchange *list;
    size_t count, done;
    pid_t process;
    atomic_uint is_permitted;
    bool has_failed;  /* before anything was done */
    int error;
    bool with_workers;
    size_t threads;   /* seized */
    size_t stopped;   /* of these, at the start of the list */
    pid_t *seized;
};

UNCHECKED static int seize(pid_t thread, void *argument) {
    struct tracing *tracing = argument;
    for (size_t i = 0; i < tracing->threads; i++) {
        if (tracing->seized[i] == thread) {
            return 0;
        }
    }
    if (!tracing->with_workers && is_io_worker(tracing->process, thread)) {
        return 0;
    }
    if (tracing->threads == MOST_THREADS) {
        return EAGAIN;
    }
    if (syscall(SYS_ptrace, PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        /* An ended thread cannot be traced, but the main thread is listed until the last one ends. */
        char state = thread_state(tracing->process, thread);
        return state == 'Z' || state == 'X' ? 0 : EAGAIN;
    }
    syscall(SYS_ptrace, PTRACE_INTERRUPT, thread, NULL, NULL);
    tracing->seized[tracing->threads++] = thread;
    return 0;
}

/* Waits until a thread is stopped, or has ended. */
UNCHECKED static void await_stop(pid_t thread) {
    int status = 0;
    while (syscall(SYS_wait4, thread, &status, __WALL, NULL) == thread && WIFSTOPPED(status)
        && status >> 16 != PTRACE_EVENT_STOP) {
        /* A signal is about to be delivered. Every stop of a thread cancels an earlier interruption. */
        syscall(SYS_ptrace, PTRACE_INTERRUPT, thread, NULL, NULL);
        syscall(SYS_ptrace, PTRACE_CONT, thread, NULL, (void *)(long)WSTOPSIG(status));
    }
}

/* Stops threads until all are stopped. */
UNCHECKED static int stop_listed(struct tracing *tracing, struct thread_list *threads) {
    size_t known;
    int error;
    do {
        known = tracing->threads;
        error = for_each_thread(threads, seize, tracing);
        for (; tracing->stopped < tracing->threads && error == 0; tracing->stopped++) {
            await_stop(tracing->seized[tracing->stopped]);
        }
        /* A thread that was not stopped yet may have begun others. */
    } while (error == 0 && tracing->threads != known);
    return error;
}

/*
 * Workers of io_uring come last: a thread that is about to end waits for its worker, and would not stop before that
 * ends.
 */
UNCHECKED static int stop_all(struct tracing *tracing) {
    struct thread_list threads;
    if (!open_threads(&threads, tracing->process)) {
        return EAGAIN;
    }
    int error = stop_listed(tracing, &threads);
    if (error == 0) {
        tracing->with_workers = true;
        error = stop_listed(tracing, &threads);
    }
    close_threads(&threads);
    return error;
}

/* The kernel lets the threads go when this process ends. */
UNCHECKED static int trace(void *argument) {
    struct tracing *tracing = argument;
    while (atomic_load(&tracing->is_permitted) == 0) {
        syscall(SYS_futex, &tracing->is_permitted, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    }
    tracing->error = stop_all(tracing);
    tracing->has_failed = tracing->error != 0;
    if (tracing->error == 0) {
        tracing->error = copy_and_exchange(tracing->list, tracing->count, &tracing->done);
    }
    return 0;
}

static void permit(pid_t process, void *argument) {
    struct tracing *tracing = argument;
    permit_tracing(process);
    atomic_store(&tracing->is_permitted, 1);
    syscall(SYS_futex, &tracing->is_permitted, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int exchange_traced(const struct exchange *list, size_t count, size_t *done) {
    size_t octets = sizeof(struct tracing) + MOST_THREADS * sizeof(pid_t);
    struct tracing *tracing =
        mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tracing == MAP_FAILED) {
        return ENOMEM;
    }
    tracing->list = list;
    tracing->count = count;
    tracing->process = getpid();
    tracing->has_failed = true;
    tracing->seized = (pid_t *)(tracing + 1);
    int error = run_beside(trace, permit, tracing) != 0 || tracing->has_failed ? EAGAIN : tracing->error;
    permit_tracing_as_chosen();
    *done = tracing->done;
    munmap(tracing, octets);
    return error;
}
