/*
 * Arguments: socket, way. Three threads write beside the octets that are registered (one by stores, one by read(2), one
 * to its stack) while their pages are taken and given back again and again. Each looks whether its last write is still
 * there: nothing may be lost, and no system call may fail.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "memory_pair.h"

#define ROUNDS 150
#define LARGE ((size_t)64 * PAGE_OCTETS)

static uint8_t in_data[3 * PAGE_OCTETS] = {1};
static atomic_bool end;
static atomic_int running;
static _Atomic(uint8_t *) stack_buffer;

struct writer {
    uint8_t *pages;
    size_t length;
    unsigned long written, lost, failed;
};

/* Looks at each number before it writes the next one. */
static void write_number(struct writer *writer, volatile uint64_t *place, uint64_t *last) {
    if (*last != 0 && *place != *last) {
        writer->lost++;
    }
    *place = ++*last;
    writer->written++;
}

static void *store(void *argument) {
    struct writer *writer = argument;
    uint64_t last = 0;
    atomic_fetch_add(&running, 1);
    while (!atomic_load_explicit(&end, memory_order_relaxed)) {
        for (int i = 0; i < 1000; i++) {
            write_number(writer, (uint64_t *)(writer->pages + writer->length) - 8, &last);
        }
        sched_yield();
    }
    return NULL;
}

static void *read_numbers(void *argument) {
    struct writer *writer = argument;
    volatile uint64_t *place = (uint64_t *)(writer->pages + writer->length) - 16;
    uint64_t numbers[512], last = 0;
    int file = memfd_create("numbers", MFD_CLOEXEC);
    for (uint64_t i = 0; i < 512; i++) {
        numbers[i] = i + 1;
    }
    CHECK(write(file, numbers, sizeof numbers) == sizeof numbers);
    atomic_fetch_add(&running, 1);
    for (unsigned i = 0; !atomic_load_explicit(&end, memory_order_relaxed); i++) {
        if (last != 0 && *place != last) {
            writer->lost++;
        }
        bool is_read = pread(file, (void *)place, sizeof *place, (off_t)(i % 512 * sizeof *place)) == sizeof *place;
        writer->failed += !is_read;
        last = is_read ? i % 512 + 1 : 0;
        writer->written++;
        sched_yield();
    }
    close(file);
    return NULL;
}

static void *store_on_stack(void *argument) {
    struct writer *writer = argument;
    uint8_t buffer[3 * PAGE_OCTETS];
    uint64_t last = 0;
    /* In the same page as this frame, whatever lies between. */
    volatile uint64_t near = 0;
    atomic_store(&stack_buffer, buffer);
    atomic_fetch_add(&running, 1);
    while (!atomic_load_explicit(&end, memory_order_relaxed)) {
        for (int i = 0; i < 1000; i++) {
            write_number(writer, &near, &last);
        }
        sched_yield();
    }
    return NULL;
}

/* A library's thread, for example, blocks all signals. */
static void *block_signals(void *argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    atomic_fetch_add(&running, 1);
    int *pipe_end = argument;
    char octet;
    CHECK(read(*pipe_end, &octet, 1) == 0);
    return NULL;
}

#define HANDLER_STACK ((size_t)64 << 10)

struct other_stack {
    uint8_t *stack;
    int end_of_wait;
};

/* As a thread does whose own stack has no room for a handler: it has another one for handlers. */
static void *wait_with_other_stack(void *argument) {
    const struct other_stack *other = argument;
    stack_t stack = {.ss_sp = other->stack, .ss_size = HANDLER_STACK}, before;
    CHECK(sigaltstack(&stack, &before) == 0);
    atomic_fetch_add(&running, 1);
    char octet;
    while (read(other->end_of_wait, &octet, 1) < 0) {
        CHECK(errno == EINTR);
    }
    CHECK(sigaltstack(&before, NULL) == 0);
    return NULL;
}

static void take_and_give(struct pair *pair, void *address, size_t length) {
    struct memory_registration *registration = register_range(pair, address, length);
    CHECK_ERRNO(0, deregister_memory(registration));
}

static pthread_t start(void *(*function)(void *), void *argument) {
    pthread_t thread;
    int before = atomic_load(&running);
    CHECK(pthread_create(&thread, NULL, function, argument) == 0);
    while (atomic_load(&running) == before) {
        sched_yield();
    }
    return thread;
}

static void check(const char *name, const struct writer *writer) {
    printf("%s: %lu written, %lu lost, %lu failed\n", name, writer->written, writer->lost, writer->failed);
    CHECK(writer->written > 0 && writer->lost == 0 && writer->failed == 0);
}

static void try_writers(struct pair *pair) {
    uint8_t *pages = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    struct writer by_store = {.pages = pages, .length = LARGE}, by_read = by_store, on_stack = by_store;
    pthread_t threads[] = {start(store, &by_store), start(read_numbers, &by_read), start(store_on_stack, &on_stack)};
    for (int i = 0; i < ROUNDS; i++) {
        take_and_give(pair, pages + LARGE - PAGE_OCTETS, 100);
        take_and_give(pair, atomic_load(&stack_buffer), 3 * PAGE_OCTETS);
        if (i % 10 == 0) {
            take_and_give(pair, pages, LARGE);
        }
    }
    atomic_store(&end, true);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        pthread_join(threads[i], NULL);
    }
    check("stores", &by_store);
    check("reads", &by_read);
    check("stores to a stack", &on_stack);
    munmap(pages, LARGE);
}

/* The handler that stops a thread uses the stack that the thread has for handlers. */
static void try_other_stack(struct pair *pair, uint8_t *memory, size_t length) {
    uint8_t *stack = aligned_alloc(64, HANDLER_STACK);
    CHECK(stack != NULL);
    memset(stack, 0xaa, HANDLER_STACK);
    int ends[2];
    CHECK(pipe(ends) == 0);
    struct other_stack other = {.stack = stack, .end_of_wait = ends[0]};
    pthread_t thread = start(wait_with_other_stack, &other);
    take_and_give(pair, memory, length);
    CHECK(!is_filled(stack, HANDLER_STACK, 0xaa));
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    free(stack);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    enum exchange_way way = strcmp(arguments[2], "protection") == 0 ? BY_PROTECTION
        : strcmp(arguments[2], "tracing") == 0                    ? BY_TRACING
        : strcmp(arguments[2], "signal") == 0                     ? BY_SIGNAL
                                                                  : AS_ALLOWED;
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    exchange_way = way;
    try_writers(&pair);

    uint8_t own[3 * PAGE_OCTETS];
    memset(own, 7, sizeof own);
    take_and_give(&pair, own, sizeof own);
    CHECK(is_filled(own, sizeof own, 7));
    if (way == BY_SIGNAL) {
        try_other_stack(&pair, own, sizeof own);
    }

    /* Private pages of a file cannot be protected. */
    struct memory_registration *registration;
    CHECK_ERRNO(way == BY_PROTECTION ? EAGAIN : 0,
        try_register(&pair, in_data, sizeof in_data, ALL_RIGHTS, &registration));
    int pipe_ends[2];
    CHECK(pipe(pipe_ends) == 0);
    pthread_t blocking = start(block_signals, &pipe_ends[0]);
    CHECK_ERRNO(way == BY_SIGNAL ? EAGAIN : 0, try_register(&pair, own, sizeof own, ALL_RIGHTS, &registration));
    if (way == BY_SIGNAL) {
        CHECK_TEXT("let no thread block signal");
    }
    close(pipe_ends[1]);
    pthread_join(blocking, NULL);
    close(pipe_ends[0]);

    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
