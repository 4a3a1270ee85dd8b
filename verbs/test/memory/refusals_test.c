/* What cannot be registered, and what the sentence says. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory_pair.h"

static void refuse(struct pair *pair, int error, void *address, size_t length, const char *why) {
    struct memory_registration *registration;
    CHECK_ERRNO(error, try_register(pair, address, length, ALL_RIGHTS, &registration));
    CHECK_TEXT(why);
}

static uint8_t *map(size_t pages, int protection, int flags) {
    uint8_t *mapped = mmap(NULL, pages * PAGE_OCTETS, protection, flags | MAP_ANONYMOUS, -1, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

static void refuse_what_is_not_there(struct pair *pair) {
    uint8_t *memory = map(3, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    memset(memory, 1, 3 * PAGE_OCTETS);
    CHECK(mprotect(memory + PAGE_OCTETS, PAGE_OCTETS, PROT_NONE) == 0);
    refuse(pair, EFAULT, memory, 3 * PAGE_OCTETS, "may not be read");
    CHECK(mprotect(memory + PAGE_OCTETS, PAGE_OCTETS, PROT_READ) == 0);
    refuse(pair, EFAULT, memory, 3 * PAGE_OCTETS, "may not be written");
    munmap(memory + PAGE_OCTETS, PAGE_OCTETS);
    refuse(pair, EFAULT, memory, 3 * PAGE_OCTETS, "no memory is mapped");
    /* Nothing has been taken of the pages before. */
    CHECK(is_filled(memory, PAGE_OCTETS, 1) && is_filled(memory + 2 * PAGE_OCTETS, PAGE_OCTETS, 1));
    munmap(memory, 3 * PAGE_OCTETS);
    refuse(pair, EINVAL, memory, 0, "1 octet at least");
    refuse(pair, EINVAL, memory, SIZE_MAX, "within the address space");
    refuse(pair, EFAULT, NULL, 10, "no memory is mapped");
}

static void refuse_kernel_memory(struct pair *pair) {
    struct memory_registration *registration;
    void *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
    CHECK_ERRNO(EOPNOTSUPP, try_register(pair, vdso, 100, RDDP_REMOTE_READ, &registration));
    CHECK_TEXT("memory of the kernel");
}

/* The kernel learns of a control block when the thread runs. */
static atomic_bool runs;

static void *await_end(void *argument) {
    char octet;
    atomic_store(&runs, true);
    CHECK(read(*(int *)argument, &octet, 1) == 0);
    return NULL;
}

static void refuse_control_blocks(struct pair *pair) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, await_end, &ends[0]) == 0);
    while (!atomic_load(&runs)) {
        sched_yield();
    }
    refuse(pair, EOPNOTSUPP, (void *)thread, 8, "control block");
    refuse(pair, EOPNOTSUPP, (void *)pthread_self(), 8, "control block");
    refuse(pair, EOPNOTSUPP, &errno, sizeof errno, "control block");
    close(ends[1]);
    CHECK(pthread_join(thread, NULL) == 0);
    close(ends[0]);
}

static void refuse_memory_of_another_session(struct pair *pair) {
    uint8_t *memory = map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    struct memory_request request = {.session = pair->one.session, .address = memory, .length = 100};
    struct memory_registration *registration;
    CHECK_ERRNO(0, register_memory(&request, &registration));
    refuse(pair, EBUSY, memory + 200, 100, "another session");
    CHECK_ERRNO(0, deregister_memory(registration));
    CHECK_ERRNO(0, deregister_memory(register_range(pair, memory, 100)));
    munmap(memory, PAGE_OCTETS);
}

static void refuse_wrong_rights(struct pair *pair) {
    uint8_t *memory = map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    struct memory_registration *registration;
    memset(memory, 1, PAGE_OCTETS);
    CHECK_ERRNO(EINVAL, try_register(pair, memory, 100, RDDP_REMOTE_WRITE, &registration));
    /* Its page has been given back. */
    CHECK(is_filled(memory, PAGE_OCTETS, 1));
    CHECK(madvise(memory, PAGE_OCTETS, MADV_DONTNEED) == 0);
    CHECK(memory[0] == 0);
    munmap(memory, PAGE_OCTETS);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    refuse_what_is_not_there(&pair);
    refuse_kernel_memory(&pair);
    refuse_control_blocks(&pair);
    refuse_memory_of_another_session(&pair);
    refuse_wrong_rights(&pair);
    release_memory(pair.one.session);
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
