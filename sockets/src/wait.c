#include "wait.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "internal.h"
#include "link.h"
#include "listening.h"
#include "progress.h"
#include "settings.h"
#include "stream.h"

/* A process that has had nothing for that time sleeps at once. */
#define ACTIVE_NANOS 2000000u
/* After that many looks in vain in a row, only each 16th sleep is put off. */
#define VAIN_LOOKS 8u
/* How often the kernel's descriptors are looked at while a thread looks, in turns. */
#define KERNEL_EVERY 4u

struct sleeper {
    int descriptor;
    bool asleep;
    unsigned vain;
    struct sleeper *next, **at;
};

static struct sleeper *sleepers, *leader;
static pthread_key_t key;
static _Thread_local struct sleeper *own;

static void free_sleeper(void *argument) {
    struct sleeper *sleeper = argument;
    close(sleeper->descriptor);
    free(sleeper);
}

__attribute__((constructor)) static void prepare(void) {
    pthread_key_create(&key, free_sleeper);
    session_opened = wake_leader;
}

struct sleeper *own_sleeper(void) {
    if (own == NULL) {
        struct sleeper *made = calloc(1, sizeof *made);
        if (made == NULL) {
            return NULL;
        }
        made->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (made->descriptor < 0) {
            free(made);
            return NULL;
        }
        own = made;
        pthread_setspecific(key, made);
    }
    return own;
}

void wake(struct sleeper *sleeper) {
    if (sleeper->asleep) {
        sleeper->asleep = false;
        eventfd_write(sleeper->descriptor, 1);
    }
}

void wake_leader(void) {
    if (leader != NULL) {
        wake(leader);
    }
}

static void fall_asleep(struct sleeper *sleeper) {
    sleeper->asleep = true;
    sleeper->next = sleepers;
    sleeper->at = &sleepers;
    if (sleepers != NULL) {
        sleepers->at = &sleeper->next;
    }
    sleepers = sleeper;
}

static void wake_up(struct sleeper *sleeper) {
    sleeper->asleep = false;
    *sleeper->at = sleeper->next;
    if (sleeper->next != NULL) {
        sleeper->next->at = sleeper->at;
    }
    if (leader == sleeper) {
        leader = NULL;
    }
}

/* A thread leaves its wait: another one that sleeps becomes the leader, unless there is one. */
static void leave_wait(void) {
    struct sleeper *next = leader == NULL ? sleepers : NULL;
    while (next != NULL && !next->asleep) {
        next = next->next;
    }
    if (next != NULL) {
        wake(next);
    }
}

/* The thread is cancelled in its sleep. */
struct cancelled {
    struct sleeper *sleeper;
    const struct wait *wait;
};

static void on_cancel(void *argument) {
    const struct cancelled *cancelled = argument;
    lock_engine();
    wake_up(cancelled->sleeper);
    leave_wait();
    if (cancelled->wait->cancelled != NULL) {
        cancelled->wait->cancelled(cancelled->wait->argument);
    }
    unlock_engine();
}

void forget_sleepers(void) {
    sleepers = leader = NULL;
    if (own != NULL) {
        close(own->descriptor);  /* the parent's thread has it, too */
        free(own);
        own = NULL;
        pthread_setspecific(key, NULL);
    }
}

static bool any(const struct pollfd *polled, nfds_t count) {
    bool some = false;
    for (nfds_t i = 0; i < count; i++) {
        some = some || polled[i].revents != 0;
    }
    return some;
}

/* Sleeps once. Returns false, with errno, if a signal has come. */
static bool sleep_once(struct wait *wait, struct sleeper *sleeper) {
    if (leader == NULL && !arm_links()) {
        return true;
    }
    nfds_t count = wait->kernel_count;
    wait->kernel[count++] = (struct pollfd){.fd = sleeper->descriptor, .events = POLLIN};
    if (leader == NULL) {
        leader = sleeper;
        count += poll_links(&wait->kernel[count], WAIT_EXTRA - 1);
    }
    struct timespec timeout, *limit = NULL;
    uint64_t until = wait->deadline < next_claim() ? wait->deadline : next_claim();
    if (next_retry() < until) {
        until = next_retry();
    }
    if (until != FOREVER) {
        uint64_t time = now(), left = until > time ? until - time : 0;
        timeout = (struct timespec){.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
        limit = &timeout;
    }
    fall_asleep(sleeper);
    struct cancelled cancelled = {.sleeper = sleeper, .wait = wait};
    int woken;
    pthread_cleanup_push(on_cancel, &cancelled);
    unlock_engine();
    woken = LIBC(ppoll)(wait->kernel, count, limit, wait->mask);
    pthread_cleanup_pop(0);
    int error = errno;
    lock_engine();
    wake_up(sleeper);
    if (woken > 0 && wait->kernel[wait->kernel_count].revents != 0) {
        eventfd_t events;
        eventfd_read(sleeper->descriptor, &events);
    }
    errno = error;
    return woken >= 0;
}

static void look(struct wait *wait, unsigned turn) {
    unlock_engine();
    if (wait->kernel_count > 0 && turn % KERNEL_EVERY == 0) {
        static const struct timespec none = {0};
        LIBC(ppoll)(wait->kernel, wait->kernel_count, &none, NULL);
    }
    if (yields()) {
        sched_yield();
    } else {
        __builtin_ia32_pause();
    }
    lock_engine();
}

/* How long this wait looks before it sleeps. */
static uint64_t time_to_look(struct sleeper *sleeper, uint64_t time) {
    if (time - last_activity() > ACTIVE_NANOS) {
        return 0;
    }
    return sleeper->vain < VAIN_LOOKS || sleeper->vain++ % 16 == 0 ? spin_nanos() : 0;
}

static enum wait_result wait_as(struct sleeper *sleeper, struct wait *wait) {
    for (nfds_t i = 0; i < wait->kernel_count; i++) {
        wait->kernel[i].revents = 0;
    }
    uint64_t began = 0, looks_until = 0;
    for (unsigned turn = 1;; turn++) {
        progress();
        if (wait->ready(wait->argument)) {
            if (turn > 1 && now() < looks_until) {
                sleeper->vain = 0;
            }
            return READY;
        }
        if (any(wait->kernel, wait->kernel_count)) {
            return KERNEL_READY;
        }
        if (wait->deadline == 0) {
            return TIMED_OUT;
        }
        uint64_t time = now();
        if (wait->deadline <= time) {
            return TIMED_OUT;
        }
        if (began == 0) {
            began = time;
            looks_until = time + time_to_look(sleeper, time);
            sleeper->vain += looks_until > time;
        }
        if (time < looks_until) {
            look(wait, turn);
        } else if (!sleep_once(wait, sleeper)) {
            return INTERRUPTED;
        }
    }
}

enum wait_result wait_for(struct wait *wait) {
    struct sleeper *sleeper = own_sleeper();
    if (sleeper == NULL) {
        return INTERRUPTED;
    }
    enum wait_result result = wait_as(sleeper, wait);
    int error = errno;
    leave_wait();
    errno = error;
    return result;
}

uint64_t deadline_in_ms(int timeout_ms) {
    return timeout_ms < 0 ? FOREVER : timeout_ms == 0 ? 0 : deadline_after((uint64_t)timeout_ms * NANOS_PER_MS);
}

uint64_t deadline_in(const struct timespec *timeout) {
    if (timeout == NULL) {
        return FOREVER;
    }
    uint64_t nanos = (uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec;
    return nanos == 0 ? 0 : timeout->tv_sec > 1000000000 ? FOREVER : deadline_after(nanos);
}
