/* What programs do to memory while it is registered, and afterwards. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_pair.h"

extern char **environ;

static uint8_t *map_at(void *address, size_t pages) {
    uint8_t *mapped = mmap(address, pages * PAGE_OCTETS, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | (address == NULL ? 0 : MAP_FIXED), -1, 0);
    CHECK(mapped != MAP_FAILED);
    memset(mapped, 1, pages * PAGE_OCTETS);
    return mapped;
}

static uint8_t *map(size_t pages) {
    return map_at(NULL, pages);
}

static void deregister(struct memory_registration *registration) {
    CHECK_ERRNO(0, deregister_memory(registration));
}

/* ---- Memfds ---- */

#define NOEXEC_SEAL 8u

static bool is_older_kernel;
static unsigned flags_of_memfd;

/* Stands in for the library's own. */
int memfd_create(const char *name, unsigned flags) {
    flags_of_memfd = flags;
    if (is_older_kernel && (flags & NOEXEC_SEAL) != 0) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

static void make_memfd(void) {
    void *memory = mmap(NULL, PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && munmap(memory, PAGE_OCTETS) == 0);
}

static void make_memfds_that_cannot_be_executed(void) {
    make_memfd();
    CHECK((flags_of_memfd & NOEXEC_SEAL) != 0);
    is_older_kernel = true;
    make_memfd();
    CHECK((flags_of_memfd & NOEXEC_SEAL) == 0);
    is_older_kernel = false;
}

/* ---- Locked pages ---- */

static unsigned long locked_kib(void) {
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(status != NULL);
    char line[256];
    unsigned long kib = 0;
    bool found = false;
    while (!found && fgets(line, sizeof line, status) != NULL) {
        found = sscanf(line, "VmLck: %lu", &kib) == 1;
    }
    fclose(status);
    CHECK(found);
    return kib;
}

static void keep_pages_locked(struct pair *pair) {
    uint8_t *memory = map(6);
    unsigned long before = locked_kib();
    /* Sanitizers make mlock() do nothing. */
    CHECK(syscall(SYS_mlock, memory + PAGE_OCTETS, 4 * PAGE_OCTETS) == 0);
    CHECK(locked_kib() == before + 16);
    struct memory_registration *registration = register_range(pair, memory, 6 * PAGE_OCTETS);
    CHECK(locked_kib() == before + 16);
    deregister(registration);
    CHECK(locked_kib() == before + 16);
    CHECK(syscall(SYS_munlock, memory, 6 * PAGE_OCTETS) == 0);
    CHECK(locked_kib() == before);
    munmap(memory, 6 * PAGE_OCTETS);
}

/* ---- fork ---- */

static void fork_with_registered_memory(struct pair *pair) {
    uint8_t *memory = map(4);
    struct memory_registration *registration = register_range(pair, memory, 4 * PAGE_OCTETS);
    int to_child[2];
    char octet = 0;
    CHECK(pipe(to_child) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        memory[0] = 42;
        /* Its parent writes first. */
        bool is_own = read(to_child[0], &octet, 1) == 1 && memory[PAGE_OCTETS] == 1 && memory[0] == 42;
        _exit(is_own && deregister_memory(registration) == EINVAL ? 0 : 1);
    }
    memory[PAGE_OCTETS] = 7;
    CHECK(write(to_child[1], &octet, 1) == 1);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(memory[0] == 1);
    memory[0] = 5;
    CHECK(*remote_read(pair, registration, 0, 1) == 5);
    CHECK(*remote_read(pair, registration, PAGE_OCTETS, 1) == 7);

    char *const arguments[] = {(char *)"true", NULL};
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    remote_fill(pair, registration, 0, 100, 9);
    CHECK(memory[99] == 9);
    close(to_child[0]);
    close(to_child[1]);
    deregister(registration);
    munmap(memory, 4 * PAGE_OCTETS);
}

/* ---- Unmapping and moving ---- */

static void unmap_registered_memory(struct pair *pair) {
    uint8_t *memory = map(4);
    struct memory_registration *old = register_range(pair, memory, 4 * PAGE_OCTETS);
    memset(memory, 3, 4 * PAGE_OCTETS);
    munmap(memory, 4 * PAGE_OCTETS);
    CHECK(*remote_read(pair, old, 0, 1) == 3);
    /* Something else comes to lie there. */
    CHECK(map_at(memory, 4) == memory);
    memory[0] = 9;
    CHECK(*remote_read(pair, old, 0, 1) == 3);
    struct memory_registration *new = register_range(pair, memory, PAGE_OCTETS);
    CHECK(*remote_read(pair, new, 0, 1) == 9);
    deregister(old);
    CHECK(memory[0] == 9 && memory[PAGE_OCTETS] == 1);
    remote_fill(pair, new, 0, 1, 10);
    CHECK(memory[0] == 10);
    deregister(new);
    CHECK(memory[0] == 10);
    munmap(memory, 4 * PAGE_OCTETS);
}

static void move_registered_memory(struct pair *pair) {
    uint8_t *memory = map(4), *room = map(4);
    struct memory_registration *registration = register_range(pair, memory, 4 * PAGE_OCTETS);
    uint8_t *moved = mremap(memory, 4 * PAGE_OCTETS, 4 * PAGE_OCTETS, MREMAP_MAYMOVE | MREMAP_FIXED, room);
    CHECK(moved == room);
    moved[0] = 11;
    CHECK(*remote_read(pair, registration, 0, 1) == 11);
    struct memory_registration *again = register_range(pair, moved, PAGE_OCTETS);
    CHECK(*remote_read(pair, again, 0, 1) == 11);
    deregister(registration);
    remote_fill(pair, again, 1, 1, 12);
    CHECK(moved[0] == 11 && moved[1] == 12);
    deregister(again);
    /* Given back where it is now: what is registered next in the same pages of the pool is not seen. */
    uint8_t *other = map(4);
    registration = register_range(pair, other, 4 * PAGE_OCTETS);
    remote_fill(pair, registration, 0, 4 * PAGE_OCTETS, 13);
    CHECK(moved[0] == 11 && moved[1] == 12 && is_filled(moved + 2, 4 * PAGE_OCTETS - 2, 1));
    deregister(registration);
    munmap(moved, 4 * PAGE_OCTETS);
    munmap(other, 4 * PAGE_OCTETS);
}

static void shrink_heap(struct pair *pair) {
    uint8_t *heap = sbrk((intptr_t)(8 * PAGE_OCTETS));
    CHECK(heap != (void *)-1);
    memset(heap, 1, 8 * PAGE_OCTETS);
    struct memory_registration *registration = register_range(pair, heap + PAGE_OCTETS, 4 * PAGE_OCTETS);
    CHECK(sbrk(-(intptr_t)(8 * PAGE_OCTETS)) != (void *)-1);
    CHECK(*remote_read(pair, registration, 0, 1) == 1);
    CHECK(sbrk((intptr_t)(8 * PAGE_OCTETS)) == heap);
    CHECK(is_filled(heap + PAGE_OCTETS, 6 * PAGE_OCTETS, 0));
    memset(heap, 2, 8 * PAGE_OCTETS);
    deregister(registration);
    CHECK(is_filled(heap, 8 * PAGE_OCTETS, 2));
    CHECK(sbrk(-(intptr_t)(8 * PAGE_OCTETS)) != (void *)-1);
}

/* ---- What is given back ---- */

static void purge_memory(struct pair *pair) {
    uint8_t *memory = map(4);
    struct memory_registration *registration = register_range(pair, memory, 4 * PAGE_OCTETS);
    memset(memory, 5, 4 * PAGE_OCTETS);
    deregister(registration);
    CHECK(is_filled(memory, 4 * PAGE_OCTETS, 5));
    CHECK(madvise(memory, 4 * PAGE_OCTETS, MADV_DONTNEED) == 0);
    CHECK(is_filled(memory, 4 * PAGE_OCTETS, 0));
    munmap(memory, 4 * PAGE_OCTETS);
}

static void share_pages(struct pair *pair) {
    /* As rping does: fields of one structure, several of which lie in a page. */
    uint8_t *memory = map(3);
    struct memory_registration *first = register_range(pair, memory + 100, 100);
    struct memory_registration *second = register_range(pair, memory + 200, 100);
    struct memory_registration *third = register_range(pair, memory + 300, 2 * PAGE_OCTETS);
    CHECK(first->stag != second->stag);
    deregister(first);
    remote_fill(pair, second, 0, 100, 2);
    remote_fill(pair, third, 0, 2 * PAGE_OCTETS, 3);
    CHECK(is_filled(memory + 200, 100, 2) && is_filled(memory + 300, 2 * PAGE_OCTETS, 3));
    deregister(third);
    memory[299] = 4;
    CHECK(*remote_read(pair, second, 99, 1) == 4);
    deregister(second);
    CHECK(memory[299] == 4 && memory[99] == 1 && memory[300 + 2 * PAGE_OCTETS] == 1);
    munmap(memory, 3 * PAGE_OCTETS);
}

/* Pages that other registrations have taken already, with gaps between, become one registration. */
static void overlap(struct pair *pair) {
    enum { PAGES = 12 };
    uint8_t *memory = map(PAGES);
    struct memory_registration *before[PAGES / 2];
    for (size_t i = 0; i < PAGES / 2; i++) {
        before[i] = register_range(pair, memory + (PAGES - 2 - 2 * i) * PAGE_OCTETS + 50, 100);
    }
    for (size_t i = 0; i < PAGES * PAGE_OCTETS; i++) {
        memory[i] = (uint8_t)(i / 100);
    }
    size_t length = (PAGES - 2) * PAGE_OCTETS;
    struct memory_registration *all = register_range(pair, memory + 1000, length);
    CHECK(memcmp(remote_read(pair, all, 0, length), memory + 1000, length) == 0);
    for (size_t i = 0; i < PAGES / 2; i++) {
        deregister(before[i]);
    }
    remote_fill(pair, all, 0, length, 4);
    CHECK(is_filled(memory + 1000, length, 4) && memory[999] == 999 / 100);
    memory[1000 + PAGE_OCTETS] = 5;
    CHECK(*remote_read(pair, all, PAGE_OCTETS, 1) == 5);
    deregister(all);
    CHECK(memory[1000] == 4 && memory[1000 + PAGE_OCTETS] == 5 && memory[999] == 999 / 100);
    munmap(memory, PAGES * PAGE_OCTETS);
}

/* ---- Limits ---- */

static void exceed_limits(struct pair *pair) {
    /* The daemon's memory is no file of this process's. */
    struct rlimit before, low = {.rlim_cur = 1 << 20};
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    low.rlim_max = before.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &low) == 0);
    uint8_t *memory = map(1024);
    struct memory_registration *registration = register_range(pair, memory, 1024 * PAGE_OCTETS);
    deregister(registration);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);

    /* The daemon has a limit of regions. */
    struct rddp_limits limits;
    rddp_session_limits(pair->two.session, &limits);
    uint8_t *many = map(2 * ((size_t)limits.regions + 1));
    struct memory_registration **list = calloc(limits.regions + 1, sizeof(void *));
    CHECK(list != NULL);
    size_t count = 0;
    int error = 0;
    while (error == 0 && count <= limits.regions) {
        error = try_register(pair, many + 2 * PAGE_OCTETS * count, 1, ALL_RIGHTS, &list[count]);
        count += error == 0;
    }
    CHECK(error == ENOMEM && count > limits.regions / 2);
    CHECK(is_filled(many, 2 * PAGE_OCTETS * limits.regions, 1));
    while (count > 0) {
        deregister(list[--count]);
    }
    CHECK(is_filled(many, 2 * PAGE_OCTETS * limits.regions, 1));
    free(list);
    munmap(many, 2 * PAGE_OCTETS * (limits.regions + 1));
    munmap(memory, 1024 * PAGE_OCTETS);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    fork_with_registered_memory(&pair);
    unmap_registered_memory(&pair);
    move_registered_memory(&pair);
    shrink_heap(&pair);
    purge_memory(&pair);
    share_pages(&pair);
    overlap(&pair);
    make_memfds_that_cannot_be_executed();
    keep_pages_locked(&pair);
    exceed_limits(&pair);
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
