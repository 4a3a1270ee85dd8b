/*
 * Argument: socket. Threads end whose requests to io_uring a worker of the kernel has done, while another one registers and
 * deregisters memory by ptrace(2). A thread ends only when its workers have; so workers must not be stopped before it.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "exchange/exchange.h"
#include "fixed_buffer.h"
#include "memory_pair.h"

#define OWNERS 2
#define ROUNDS 400

static atomic_bool is_over;

static void *read_by_worker(void *argument) {
    struct ring *ring = argument;
    char octet;
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], "x", 1) == 1);
    fix_buffer(ring, &octet, 1);
    read_fixed(ring, ends[0], &octet, 1, true);
    unfix_buffer(ring);
    close(ends[0]);
    close(ends[1]);
    return NULL;
}

static void *end_threads(void *argument) {
    while (!is_over) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, read_by_worker, argument) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return NULL;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    struct ring rings[OWNERS];
    pthread_t owners[OWNERS];
    for (size_t i = 0; i < OWNERS; i++) {
        if (!open_ring(&rings[i])) {
            return 0;
        }
    }
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    uint8_t *place = mmap(NULL, PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED);
    exchange_way = BY_TRACING;
    for (size_t i = 0; i < OWNERS; i++) {
        CHECK(pthread_create(&owners[i], NULL, end_threads, &rings[i]) == 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_ERRNO(0, deregister_memory(register_range(&pair, place, PAGE_OCTETS)));
    }
    is_over = true;
    for (size_t i = 0; i < OWNERS; i++) {
        CHECK(pthread_join(owners[i], NULL) == 0);
        close_ring(&rings[i]);
    }
    munmap(place, PAGE_OCTETS);
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
