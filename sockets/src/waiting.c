#include "waiting.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "libc.h"
#include "processors.h"
#include "sandbox.h"
#include "session.h"
#include "settings.h"

/* A thread to which nothing has come for that time sleeps at once. */
#define ACTIVE_NANOS 2000000u
/* After that many looks in vain in a row, only each 16th sleep is put off. */
#define VAIN_LOOKS 8u
#define SECOND 1000000000u

static _Thread_local uint64_t active_at;
static _Thread_local bool worked;  /* since then */
static _Thread_local unsigned vain;

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

uint64_t deadline_in_ms(int timeout_ms) {
    return timeout_ms < 0 ? FOREVER : timeout_ms == 0 ? 0 : now() + (uint64_t)timeout_ms * 1000000u;
}

uint64_t deadline_in(const struct timespec *timeout) {
    if (timeout == NULL || timeout->tv_sec > SECOND) {
        return FOREVER;
    }
    uint64_t nanos = (uint64_t)timeout->tv_sec * SECOND + (uint64_t)timeout->tv_nsec;
    return nanos == 0 ? 0 : now() + nanos;
}

uint64_t deadline_by_option(int descriptor, int option, uint64_t began) {
    struct timeval limit = {.tv_sec = 0};
    socklen_t length = sizeof limit;
    (void)LIBC(getsockopt)(descriptor, SOL_SOCKET, option, &limit, &length);
    uint64_t nanos = (uint64_t)limit.tv_sec * SECOND + (uint64_t)limit.tv_usec * 1000u;
    return nanos == 0 || limit.tv_sec > SECOND ? FOREVER : began + nanos;
}

struct timespec time_until(uint64_t deadline) {
    uint64_t time = deadline == 0 ? 0 : now(), left = deadline > time ? deadline - time : 0;
    return (struct timespec){.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};
}

int ms_until(uint64_t deadline) {
    if (deadline == FOREVER) {
        return -1;
    }
    uint64_t time = deadline == 0 ? 0 : now(), left = deadline > time ? (deadline - time + 999999u) / 1000000u : 0;
    return left > INT_MAX ? INT_MAX : (int)left;
}

struct spin begin_spin(uint64_t deadline) {
    struct spin spin = {.until = 0};
    uint64_t longest = spin_nanos();
    if (longest == 0 || deadline == 0) {
        return spin;
    }
    uint64_t time = now();
    if (worked) {
        worked = false;
        active_at = time;
    }
    if (time - active_at <= ACTIVE_NANOS && (vain < VAIN_LOOKS || vain++ % 16 == 0)) {
        vain++;
        spin.until = deadline < time + longest ? deadline : time + longest;
    }
    return spin;
}

/* Moves the calling thread away from the processors that the session's engines were seen on; returns whether it has. */
static bool leave_engines(uint64_t time) {
    const struct session *session = moves_threads() ? present_session() : NULL;
    if (session == NULL) {
        return false;
    }
    cpu_set_t engines;
    CPU_ZERO(&engines);
    for (unsigned i = 0; i < session->sections; i++) {
        const struct doorbells *bells = (const struct doorbells *)session->memory + i;
        uint32_t processor = atomic_load_explicit(&bells->processor, memory_order_relaxed);
        if (processor != 0 && processor <= CPU_SETSIZE) {
            CPU_SET(processor - 1, &engines);
        }
    }
    return leave_processors(&engines, &session->page->mover, time);
}

bool look_again(struct spin *spin) {
    if (spin->until == 0) {
        return false;
    }
    if (spin->turn++ > 0) {
        if (yields()) {
            shorten_time_slices();
            /* Once in a look, before the first yield. */
            if (spin->turn != 2 || !leave_engines(now())) {
                sched_yield();
            }
        } else {
            for (int i = 0; i < 8; i++) {
                __builtin_ia32_pause();
            }
        }
    }
    if (now() < spin->until) {
        return true;
    }
    spin->until = 0;
    return false;
}

void note_activity(const struct spin *spin) {
    if (spin->until != 0) {
        vain = 0;
    }
    active_at = now();
}

void note_work(void) {
    worked = true;
}

/* 1: it is ready; 0: at its end; -1 with errno. */
static ssize_t sleep_in_poll(int descriptor, short events, uint64_t deadline) {
    struct pollfd polled = {.fd = descriptor, .events = events};
    struct timespec time = time_until(deadline);
    int ready = LIBC(ppoll)(&polled, 1, deadline == FOREVER ? NULL : &time, NULL);
    return ready < 0 ? -1 : ready == 0 ? fails(EAGAIN) : (polled.revents & POLLHUP) == 0;
}

/* With libc's calls: threads are cancelled there, which AddressSanitizer does not see. */
__attribute__((no_sanitize_address)) ssize_t sleep_for_message(int descriptor, uint64_t deadline) {
    char octet;
    if (is_sandboxed() || deadline != FOREVER) {
        return sleep_in_poll(descriptor, POLLIN, deadline);
    }
    return LIBC(recvfrom)(descriptor, &octet, 1, MSG_PEEK, NULL, NULL);
}

ssize_t sleep_for_room(int descriptor, uint64_t deadline) {
    static const char octet = 'f';
    if (is_sandboxed() || deadline != FOREVER) {
        return sleep_in_poll(descriptor, POLLOUT, deadline);
    }
    ssize_t sent = LIBC(sendto)(descriptor, &octet, 1, MSG_NOSIGNAL, NULL, 0);
    return sent < 0 && errno == EPIPE ? 0 : sent;
}

/* They come from the thread's own instructions: none ends a wait. */
static bool is_fault(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP
        || number == SIGSYS || number == SIGABRT;
}

static bool may_interrupt(int number, const sigset_t *blocked) {
    struct sigaction action;
    return !is_fault(number) && sigismember(blocked, number) == 0 && sigaction(number, NULL, &action) == 0
        && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && (action.sa_flags & SA_RESTART) == 0;
}

bool handlers_restart(void) {
    if (is_sandboxed()) {
        return false;
    }
    sigset_t blocked;
    int before = errno;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    int number = 1;
    while (number <= SIGRTMAX && !may_interrupt(number, &blocked)) {
        number++;
    }
    errno = before;  /* there are numbers that sigaction(2) refuses */
    return number > SIGRTMAX;
}
