/*
 * Argument: socket. Prints what it takes to register and to deregister memory that was written before, with three other
 * threads that wait; least and median of several times.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "exchange/exchange.h"
#include "memory/memory.h"

#define MOST_TIMES 50

static double microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static void measure(rddp_session *session, const char *way, size_t length, size_t times) {
    double taken[MOST_TIMES], given[MOST_TIMES];
    uint8_t *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    memset(memory, 1, length);
    for (size_t i = 0; i < times; i++) {
        struct memory_request request = {.session = session, .address = memory, .length = length,
            .base = (uintptr_t)memory, .access = RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE};
        struct memory_registration *registration;
        double begin = microseconds();
        CHECK(register_memory(&request, &registration) == 0);
        double between = microseconds();
        CHECK(deregister_memory(registration) == 0);
        taken[i] = between - begin;
        given[i] = microseconds() - between;
    }
    qsort(taken, times, sizeof taken[0], compare);
    qsort(given, times, sizeof given[0], compare);
    printf("%-10s %10zu octets: registered in %.0f us (median %.0f), deregistered in %.0f us (median %.0f)\n", way, length,
        taken[0], taken[times / 2], given[0], given[times / 2]);
    munmap(memory, length);
}

static void *await_end(void *argument) {
    char octet;
    (void)!read(*(int *)argument, &octet, 1);
    return NULL;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    rddp_session *session;
    CHECK(rddp_open(arguments[1], NULL, &session) == RDDP_OK);
    int ends[2];
    pthread_t threads[3];
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, await_end, &ends[0]) == 0);
    }
    static const char *const names[] = {"protection", "tracing", "signal"};
    for (enum exchange_way way = BY_PROTECTION; way <= BY_SIGNAL; way++) {
        exchange_way = way;
        measure(session, names[way - BY_PROTECTION], 4096, MOST_TIMES);
        measure(session, names[way - BY_PROTECTION], (size_t)1 << 20, MOST_TIMES);
        measure(session, names[way - BY_PROTECTION], (size_t)1 << 30, 3);
    }
    close(ends[1]);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    release_memory(session);
    rddp_close(session);
    return 0;
}
