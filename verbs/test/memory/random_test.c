/*
 * Arguments: socket, seed, amount of work: a number of actions for each thread, or of seconds with "s" after it. Four
 * threads register, deregister, write, unmap, map and fork at random, each in a range of its own. Neighbouring ranges share
 * a page. What is mapped anew is private or shared (MAP_SHARED), and children write to what is shared. The peer writes, too, and so do handlers of timers, read(2) and io_uring's fixed buffers. How threads are stopped
 * is drawn for each registration and deregistration. Each thread knows what its range must have: nothing may be lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "fixed_buffer.h"
#include "memory_pair.h"

#define THREADS 4
#define MOST_REGISTERED 6
#define RANGE (40 * PAGE_OCTETS + 1000)
/* What a pipe holds in any case. */
#define MOST_READ ((size_t)4096)

/* ThreadSanitizer delays signals, so threads under it cannot be stopped by one. */
static const enum exchange_way WAYS[] = {
    BY_PROTECTION,
    BY_TRACING,
#ifndef __SANITIZE_THREAD__
    BY_SIGNAL,
#endif
};
#define WAY_COUNT (sizeof WAYS / sizeof WAYS[0])

/* The kernel's workers of io_uring block the signal by which threads are stopped. */
#ifdef __SANITIZE_THREAD__
#define HAS_WORKERS true
#else
#define HAS_WORKERS false
#endif

struct registered {
    struct memory_registration *registration;
    bool is_stale;  /* part of it has been unmapped */
};

struct worker {
    struct pair *pair;
    uint64_t random;
    uint8_t *range;
    uint8_t *expected;
    bool is_shared[RANGE / PAGE_OCTETS + 2];  /* of each page that the range touches */
    struct registered registered[MOST_REGISTERED];
    /* What io_uring has a buffer of. It is deregistered after the buffer, see docs/verbs.md. */
    struct registered *fixed;
    struct ring ring;
    bool has_ring;
    int pipe[2];
    timer_t timer;
    /* For the handler, which does nothing while the thread changes range and expectation. */
    uint64_t handler_random;
    volatile sig_atomic_t is_changing;
    unsigned long handled;
    unsigned long actions, most_actions, forks, fixed_reads;
    time_t end;  /* 0: none */
};

static _Thread_local struct worker *self;

/* For posting to the connection: one thread at a time. */
static pthread_mutex_t posting = PTHREAD_MUTEX_INITIALIZER;
/* Guards `exchange_way`. */
static pthread_mutex_t stopping = PTHREAD_MUTEX_INITIALIZER;

static uint64_t next_random(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static uint64_t draw(struct worker *worker, uint64_t below) {
    return next_random(&worker->random) % below;
}

/* ---- Signals ---- */

static void write_octet(int number) {
    (void)number;
    struct worker *worker = self;
    if (!worker->is_changing) {
        uint64_t random = next_random(&worker->handler_random);
        size_t at = (random >> 8) % RANGE;
        worker->range[at] = (uint8_t)random;
        worker->expected[at] = (uint8_t)random;
        worker->handled++;
    }
}

static void make_timer(struct worker *worker) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &worker->timer) == 0);
}

/* Stops the timer, or gives it a period of 100 to 1600 microseconds. */
static void set_timer(struct worker *worker) {
    const struct timespec period = {.tv_nsec = draw(worker, 4) == 0 ? 0 : 100000 << draw(worker, 5)};
    const struct itimerspec setting = {.it_value = period, .it_interval = period};
    CHECK(timer_settime(worker->timer, 0, &setting, NULL) == 0);
}

/* ---- Actions ---- */

static void draw_part(struct worker *worker, size_t most, size_t *from, size_t *length) {
    *from = draw(worker, RANGE);
    *length = 1 + draw(worker, RANGE - *from < most ? RANGE - *from : most);
}

static void verify(const struct worker *worker) {
    for (size_t i = 0; i < RANGE; i++) {
        if (worker->range[i] != worker->expected[i]) {
            fprintf(stderr, "octet %zu (%p) is %d instead of %d\n", i, (void *)(worker->range + i), worker->range[i],
                worker->expected[i]);
            CHECK(worker->range[i] == worker->expected[i]);
        }
    }
}

static void write_part(struct worker *worker) {
    size_t from, length;
    draw_part(worker, 10000, &from, &length);
    int octet = (int)draw(worker, 256);
    memset(worker->range + from, octet, length);
    memset(worker->expected + from, octet, length);
}

static void take(struct worker *worker) {
    struct registered *registered = &worker->registered[draw(worker, MOST_REGISTERED)];
    if (registered->registration == NULL) {
        size_t from, length;
        draw_part(worker, draw(worker, 4) == 0 ? RANGE : 5000, &from, &length);
        pthread_mutex_lock(&stopping);
        exchange_way = WAYS[draw(worker, WAY_COUNT)];
        registered->registration = register_range(worker->pair, worker->range + from, length);
        pthread_mutex_unlock(&stopping);
        registered->is_stale = false;
    }
}

static void end_fixed(struct worker *worker) {
    if (worker->fixed != NULL) {
        unfix_buffer(&worker->ring);
        worker->fixed = NULL;
    }
}

static void end_registration(struct worker *worker, struct registered *registered) {
    if (registered == worker->fixed) {
        end_fixed(worker);
    }
    if (registered->registration != NULL) {
        pthread_mutex_lock(&stopping);
        exchange_way = WAYS[draw(worker, WAY_COUNT)];
        CHECK_ERRNO(0, deregister_memory(registered->registration));
        pthread_mutex_unlock(&stopping);
        registered->registration = NULL;
    }
}

static void give(struct worker *worker) {
    end_registration(worker, &worker->registered[draw(worker, MOST_REGISTERED)]);
}

static void fill_pipe(const struct worker *worker, int octet, size_t length) {
    uint8_t octets[MOST_READ];
    memset(octets, octet, length);
    CHECK(write(worker->pipe[1], octets, length) == (ssize_t)length);
}

static void let_kernel_write(struct worker *worker) {
    size_t from, length;
    draw_part(worker, MOST_READ, &from, &length);
    int octet = (int)draw(worker, 256);
    fill_pipe(worker, octet, length);
    CHECK(read(worker->pipe[0], worker->range + from, length) == (ssize_t)length);
    memset(worker->expected + from, octet, length);
}

static void let_ring_write(struct worker *worker) {
    struct registered *registered = &worker->registered[draw(worker, MOST_REGISTERED)];
    if (!worker->has_ring) {
        return;
    }
    if (worker->fixed == NULL && registered->registration != NULL && !registered->is_stale) {
        fix_buffer(&worker->ring, registered->registration->address, registered->registration->length);
        worker->fixed = registered;
    }
    if (worker->fixed == NULL) {
        return;
    }
    const struct memory_registration *registration = worker->fixed->registration;
    size_t at = draw(worker, registration->length);
    size_t room = registration->length - at;
    size_t length = 1 + draw(worker, room < MOST_READ ? room : MOST_READ);
    int octet = (int)draw(worker, 256);
    fill_pipe(worker, octet, length);
    read_fixed(&worker->ring, worker->pipe[0], registration->address + at, length, HAS_WORKERS && draw(worker, 8) == 0);
    memset(worker->expected + (registration->address - worker->range) + at, octet, length);
    worker->fixed_reads++;
}

static void let_peer_write(struct worker *worker) {
    struct registered *registered = &worker->registered[draw(worker, MOST_REGISTERED)];
    const struct memory_registration *registration = registered->registration;
    if (registration != NULL && !registered->is_stale) {
        size_t at = draw(worker, registration->length);
        size_t length = 1 + draw(worker, registration->length - at < 5000 ? registration->length - at : 5000);
        int octet = (int)draw(worker, 256);
        pthread_mutex_lock(&posting);
        remote_fill(worker->pair, registration, at, length, octet);
        pthread_mutex_unlock(&posting);
        memset(worker->expected + (registration->address - worker->range) + at, octet, length);
    }
}

static void map_anew(struct worker *worker) {
    /* Pages that no other thread has a part of. */
    uintptr_t first = ((uintptr_t)worker->range + PAGE_OCTETS - 1) / PAGE_OCTETS;
    uintptr_t end = ((uintptr_t)worker->range + RANGE) / PAGE_OCTETS;
    uintptr_t page = first + draw(worker, end - first);
    size_t pages = 1 + draw(worker, end - page < 4 ? end - page : 4);
    uint8_t *from = (uint8_t *)(page * PAGE_OCTETS), *to = from + pages * PAGE_OCTETS;
    bool is_shared = draw(worker, 2) == 0;
    const int flags = (is_shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_FIXED;
    CHECK(mmap(from, pages * PAGE_OCTETS, PROT_READ | PROT_WRITE, flags, -1, 0) == from);
    memset(worker->is_shared + (page - (uintptr_t)worker->range / PAGE_OCTETS), is_shared, pages);
    memset(worker->expected + (from - worker->range), 0, pages * PAGE_OCTETS);
    for (size_t i = 0; i < MOST_REGISTERED; i++) {
        const struct memory_registration *registration = worker->registered[i].registration;
        if (registration != NULL && registration->address < to && registration->address + registration->length > from) {
            worker->registered[i].is_stale = true;
            if (worker->fixed == &worker->registered[i]) {
                end_fixed(worker);
            }
        }
    }
}

/* Fills a part in all pages that are shared, or in those that are not. */
static void fill_pages(const struct worker *worker, uint8_t *octets, bool is_shared, size_t from, size_t length, int octet) {
    uintptr_t first = (uintptr_t)worker->range / PAGE_OCTETS;
    for (size_t i = from; i < from + length; i++) {
        if (worker->is_shared[(uintptr_t)(worker->range + i) / PAGE_OCTETS - first] == is_shared) {
            octets[i] = (uint8_t)octet;
        }
    }
}

static void fork_once(struct worker *worker) {
    size_t from, length;
    draw_part(worker, 10000, &from, &length);
    int octet = (int)draw(worker, 256);
    bool shares = memchr(worker->is_shared, 1, sizeof worker->is_shared) != NULL;
    /* The child sees what a handler would write to shared pages. */
    worker->is_changing = shares;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        bool is_same = memcmp(worker->range, worker->expected, RANGE) == 0;
        fill_pages(worker, worker->range, false, 0, RANGE, 0xdd);
        fill_pages(worker, worker->range, true, from, length, octet);
        _exit(is_same ? 0 : 1);
    }
    worker->forks++;
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fill_pages(worker, worker->expected, true, from, length, octet);
    worker->is_changing = 0;
}

/* Changes the range and what is expected of it, or compares them. */
static void change(struct worker *worker, void (*action)(struct worker *worker)) {
    worker->is_changing = 1;
    action(worker);
    worker->is_changing = 0;
}

static void verify_now(struct worker *worker) {
    verify(worker);
}

static bool has_ended(const struct worker *worker) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return worker->end == 0 ? worker->actions == worker->most_actions : now.tv_sec >= worker->end;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    self = worker;
    make_timer(worker);
    for (; !has_ended(worker); worker->actions++) {
        switch (draw(worker, 50)) {
            case 0: fork_once(worker); break;
            case 1: change(worker, map_anew); break;
            case 2 ... 9: change(worker, let_peer_write); break;
            case 10 ... 19: take(worker); break;
            case 20 ... 28: give(worker); break;
            case 29: change(worker, verify_now); break;
            case 30 ... 35: change(worker, let_ring_write); break;
            case 36 ... 37: change(worker, let_kernel_write); break;
            case 38: set_timer(worker); break;
            default: change(worker, write_part); break;
        }
    }
    for (size_t i = 0; i < MOST_REGISTERED; i++) {
        end_registration(worker, &worker->registered[i]);
    }
    CHECK(timer_delete(worker->timer) == 0);
    verify(worker);
    return NULL;
}

static void begin(struct worker *worker, pthread_t *thread) {
    worker->expected = calloc(1, RANGE);
    CHECK(worker->expected != NULL && pipe2(worker->pipe, O_CLOEXEC | O_NONBLOCK) == 0);
    worker->has_ring = open_ring(&worker->ring);
    CHECK(pthread_create(thread, NULL, work, worker) == 0);
}

static void end(struct worker *worker, pthread_t thread) {
    pthread_join(thread, NULL);
    printf("%lu actions, %lu forks, %lu reads into fixed buffers, %lu signals\n", worker->actions, worker->forks,
        worker->fixed_reads, worker->handled);
    if (worker->has_ring) {
        close_ring(&worker->ring);
    }
    close(worker->pipe[0]);
    close(worker->pipe[1]);
    free(worker->expected);
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    char *unit;
    unsigned long amount = strtoul(arguments[3], &unit, 10);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    uint8_t *memory = mmap(NULL, THREADS * RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    struct sigaction action = {.sa_handler = write_octet, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t random = seed * THREADS + i + 1;
        workers[i] = (struct worker){.pair = &pair, .random = random, .handler_random = ~random,
            .range = memory + i * RANGE, .most_actions = amount,
            .end = *unit == 's' ? now.tv_sec + (time_t)amount : 0};
        begin(&workers[i], &threads[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        end(&workers[i], threads[i]);
    }
    munmap(memory, THREADS * RANGE);
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
