/*
 * Arguments: socket, way. A timer's handler writes to pages while the thread that it interrupts has them taken and given
 * back: nothing may be lost, and the thread may not wait for itself.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "memory_pair.h"

/* Some milliseconds to copy, during which the timer expires. */
#define PAGES ((size_t)1024)
#define ROUNDS 40
#define PERIOD_NANOS 50000

static volatile uint64_t *place;
/* What the pages must have; these are never taken. */
static volatile uint64_t expected[PAGES];
static volatile size_t handled;

static volatile uint64_t *of_page(size_t page) {
    return place + page * PAGE_OCTETS / sizeof *place;
}

/* To a page after another, since only what is written between a page's copy and its exchange is lost. */
static void write_number(int number) {
    (void)number;
    size_t page = handled++ % PAGES;
    ++*of_page(page);
    expected[page]++;
}

static timer_t start_timer(void) {
    struct sigaction action = {.sa_handler = write_number, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec period = {.it_value = {.tv_nsec = PERIOD_NANOS}, .it_interval = {.tv_nsec = PERIOD_NANOS}};
    CHECK(timer_settime(timer, 0, &period, NULL) == 0);
    return timer;
}

static void stop_timer(timer_t timer) {
    CHECK(timer_delete(timer) == 0);
    for (size_t page = 0; page < PAGES; page++) {
        CHECK(*of_page(page) == expected[page]);
    }
    CHECK(handled > 0);
    printf("%zu signals\n", handled);
}

static void *map(void) {
    void *mapped =
        mmap(NULL, PAGES * PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

/* Without other threads: before there is a session. */
static void exchange_alone(void) {
    timer_t timer = start_timer();
    for (int i = 0; i < ROUNDS; i++) {
        struct exchange exchange = {.place = (uint8_t *)place, .source = (const uint8_t *)place, .memory = map(),
            .length = PAGES * PAGE_OCTETS, .protection = PROT_READ | PROT_WRITE};
        CHECK_ERRNO(0, exchange_pages(&exchange, 1));
    }
    stop_timer(timer);
}

static void take_and_give(const char *socket) {
    struct pair pair;
    open_pair(&pair, socket, NULL);
    timer_t timer = start_timer();
    for (int i = 0; i < ROUNDS; i++) {
        struct memory_registration *registration = register_range(&pair, (void *)place, PAGES * PAGE_OCTETS);
        CHECK_ERRNO(0, deregister_memory(registration));
    }
    stop_timer(timer);
    release_memory(pair.two.session);
    close_pair(&pair);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    exchange_way = strcmp(arguments[2], "protection") == 0 ? BY_PROTECTION
        : strcmp(arguments[2], "tracing") == 0           ? BY_TRACING
        : strcmp(arguments[2], "signal") == 0            ? BY_SIGNAL
                                                         : AS_ALLOWED;
    place = map();
    if (strcmp(arguments[2], "alone") == 0) {
        exchange_alone();
    } else {
        take_and_give(arguments[1]);
    }
    munmap((void *)place, PAGES * PAGE_OCTETS);
    puts("done");
    return 0;
}
