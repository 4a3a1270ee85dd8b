/*
 * Arguments: socket, seconds, seed. Four threads register, deregister, write, unmap, map and fork at random, each in a
 * range of its own. Neighbouring ranges share a page. The peer writes, too. Each thread knows what its range must have:
 * nothing may be lost.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memory_pair.h"

#define THREADS 4
#define MOST_REGISTERED 6
#define RANGE (40 * PAGE_OCTETS + 1000)

struct registered {
    struct memory_registration *registration;
    bool is_stale;  /* part of it has been unmapped */
};

struct worker {
    struct pair *pair;
    uint64_t random;
    uint8_t *range;
    uint8_t *expected;
    struct registered registered[MOST_REGISTERED];
    unsigned long actions;
    time_t end;
};

/* Of the connection: one thread posts at a time. */
static pthread_mutex_t posting = PTHREAD_MUTEX_INITIALIZER;

static uint64_t draw(struct worker *worker, uint64_t below) {
    worker->random ^= worker->random << 13;
    worker->random ^= worker->random >> 7;
    worker->random ^= worker->random << 17;
    return worker->random % below;
}

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
        registered->registration = register_range(worker->pair, worker->range + from, length);
        registered->is_stale = false;
    }
}

static void give(struct worker *worker) {
    struct registered *registered = &worker->registered[draw(worker, MOST_REGISTERED)];
    if (registered->registration != NULL) {
        CHECK_ERRNO(0, deregister_memory(registered->registration));
        registered->registration = NULL;
    }
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
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    CHECK(mmap(from, pages * PAGE_OCTETS, PROT_READ | PROT_WRITE, flags, -1, 0) == from);
    memset(worker->expected + (from - worker->range), 0, pages * PAGE_OCTETS);
    for (size_t i = 0; i < MOST_REGISTERED; i++) {
        const struct memory_registration *registration = worker->registered[i].registration;
        if (registration != NULL && registration->address < to && registration->address + registration->length > from) {
            worker->registered[i].is_stale = true;
        }
    }
}

static void fork_once(struct worker *worker) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        bool is_same = memcmp(worker->range, worker->expected, RANGE) == 0;
        memset(worker->range, 0xdd, RANGE);
        _exit(is_same ? 0 : 1);
    }
    write_part(worker);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct timespec time = {.tv_sec = 0};
    for (; time.tv_sec < worker->end; worker->actions++) {
        switch (draw(worker, 40)) {
            case 0: fork_once(worker); break;
            case 1: map_anew(worker); break;
            case 2 ... 9: let_peer_write(worker); break;
            case 10 ... 19: take(worker); break;
            case 20 ... 28: give(worker); break;
            case 29: verify(worker); break;
            default: write_part(worker); break;
        }
        clock_gettime(CLOCK_MONOTONIC, &time);
    }
    for (size_t i = 0; i < MOST_REGISTERED; i++) {
        if (worker->registered[i].registration != NULL) {
            CHECK_ERRNO(0, deregister_memory(worker->registered[i].registration));
        }
    }
    verify(worker);
    return NULL;
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    uint8_t *memory = mmap(NULL, THREADS * RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.pair = &pair, .random = strtoull(arguments[3], NULL, 10) * THREADS + i + 1,
            .range = memory + i * RANGE, .expected = calloc(1, RANGE), .end = now.tv_sec + atoi(arguments[2])};
        CHECK(workers[i].expected != NULL);
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        printf("%lu actions\n", workers[i].actions);
        free(workers[i].expected);
    }
    munmap(memory, THREADS * RANGE);
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
