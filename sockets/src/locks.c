#include "locks.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A page that the kernel clears in a forked child. */
struct born {
    _Atomic pid_t process;
};

static struct born *born;
static unsigned generations;
/* Of the locks' owners: its address is unlike that of any other thread of the process. */
static _Thread_local char self;
static struct lock library;
static _Thread_local unsigned depth;
static _Thread_local uint64_t mask_before;

#define BIT(signal) (UINT64_C(1) << ((signal) - 1))
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS) | BIT(SIGABRT))

/* In a mask, of a signal that the kernel never blocks: the thread cannot be cancelled anyway. */
#define UNCANCELLED BIT(SIGKILL)

/*
 * With the system call: libc keeps the signals by which it cancels threads. A call of libc that is a cancellation point would wait for
 * that signal for ever.
 */
uint64_t block_signals(void) {
    uint64_t all = ~FAULTS, before = 0;
    int state = PTHREAD_CANCEL_ENABLE;
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state == PTHREAD_CANCEL_DISABLE ? before | UNCANCELLED : before;
}

void restore_signals(uint64_t mask) {
    int state;
    if ((mask & UNCANCELLED) == 0) {
        (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    }
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

static void bear(void) {
    long page = sysconf(_SC_PAGESIZE);
    void *made = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED || madvise(made, (size_t)page, MADV_WIPEONFORK) != 0) {
        abort();  /* Linux 4.14 has it */
    }
    born = made;
}

__attribute__((constructor(101))) static void begin_process(void) {
    (void)generation();
}

unsigned generation(void) {
    if (born == NULL) {
        bear();
    }
    if (atomic_load_explicit(&born->process, memory_order_relaxed) == 0) {
        generations++;
        atomic_store(&born->process, (pid_t)syscall(SYS_getpid));
    }
    return generations;
}

bool is_own_process(void) {
    (void)generation();
    return atomic_load(&born->process) == (pid_t)syscall(SYS_getpid);
}

static uint64_t own_mark(void) {
    return (uint64_t)(uintptr_t)&self | (uint64_t)generation() << 48;
}

void acquire(struct lock *lock) {
    uint64_t mark = own_mark(), owner = 0;
    while (!atomic_compare_exchange_weak(&lock->owner, &owner, mark)) {
        if (owner == mark) {
            return;
        }
        /* One of the parent's threads had it when this process was forked: that is not here. */
        if (owner >> 48 == mark >> 48 && owner != 0) {
            sched_yield();
            owner = 0;
        }
    }
}

void release(struct lock *lock) {
    atomic_store_explicit(&lock->owner, 0, memory_order_release);
}

void lock_library(void) {
    /* A handler that runs before signals are blocked finds that the thread does not have it. */
    if (depth == 0) {
        int error = errno;
        uint64_t before = block_signals();
        acquire(&library);
        mask_before = before;
        errno = error;
    }
    depth++;
}

void unlock_library(void) {
    if (--depth == 0) {
        int error = errno;
        uint64_t before = mask_before;
        release(&library);
        restore_signals(before);
        errno = error;
    }
}

void make_shared_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void lock_shared(pthread_mutex_t *lock) {
    int result = pthread_mutex_lock(lock);
    while (result == EDEADLK) {
        /* Another process has it, in which libc knows its thread by the same number: one made with clone(2) itself. */
        sched_yield();
        result = pthread_mutex_lock(lock);
    }
    if (result == EOWNERDEAD) {
        pthread_mutex_consistent(lock);
    }
}

void unlock_shared(pthread_mutex_t *lock) {
    pthread_mutex_unlock(lock);
}
