/*
 * Registers each kind of memory: the peer sees what the program writes, the program what the peer writes. With the
 * argument "text" as on a kernel that lists mappings as text only.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "memory/mappings.h"
#include "memory_pair.h"

#define LARGE ((size_t)1 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static uint8_t in_bss[10000];
static uint8_t in_data[10000] = {1, 2, 3};

static void pattern(uint8_t *octets, size_t length) {
    for (size_t i = 0; i < length; i++) {
        octets[i] = (uint8_t)(i * 7 + length);
    }
}

static bool has_pattern(const uint8_t *octets, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (octets[i] != (uint8_t)(i * 7 + length)) {
            return false;
        }
    }
    return true;
}

static void check_peer_sees(struct pair *pair, const struct memory_registration *registration, const uint8_t *octets) {
    for (size_t at = 0; at < registration->length; at += MEMORY) {
        size_t length = registration->length - at < MEMORY ? registration->length - at : MEMORY;
        CHECK(memcmp(remote_read(pair, registration, at, length), octets + at, length) == 0);
    }
}

static void try_kind(struct pair *pair, const char *name, uint8_t *octets, size_t length) {
    pattern(octets, length);
    struct memory_registration *registration = register_range(pair, octets, length);
    CHECK(registration->address == octets && registration->length == length);
    CHECK(has_pattern(octets, length));
    check_peer_sees(pair, registration, octets);
    size_t part = length < MEMORY ? length : MEMORY;
    remote_fill(pair, registration, length - part, part, 0x5a);
    CHECK(is_filled(octets + length - part, part, 0x5a));
    octets[length / 2] = 0x77;
    CHECK(*remote_read(pair, registration, length / 2, 1) == 0x77);
    CHECK_ERRNO(0, deregister_memory(registration));
    CHECK(octets[length / 2] == 0x77 && octets[length - 1] == 0x5a);
    octets[0] = 1;
    printf("%s\n", name);
}

static uint8_t *map(size_t length, int flags, int descriptor) {
    uint8_t *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

static uint8_t *aligned(size_t length, size_t alignment) {
    uint8_t *memory = aligned_alloc(alignment, length);
    CHECK(memory != NULL);
    madvise(memory, length, MADV_HUGEPAGE);
    memset(memory, 1, length);
    return memory;
}

static void try_stack(struct pair *pair, const char *name) {
    uint8_t buffer[10000];
    try_kind(pair, name, buffer, sizeof buffer);
}

/* Deep enough that the thread's control block, above its stack, is in another page. */
static void *on_thread(void *argument) {
    volatile uint8_t above[2 * PAGE_OCTETS];
    above[0] = 1;
    try_stack(argument, "stack of another thread");
    CHECK(above[0] == 1);
    return NULL;
}

static void try_file(struct pair *pair) {
    char name[] = "/var/tmp/rddp-kinds.XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0 && ftruncate(file, (off_t)LARGE) == 0);
    uint8_t *mapped = map(LARGE, MAP_PRIVATE, file);
    try_kind(pair, "private mapping of a file", mapped, LARGE);
    munmap(mapped, LARGE);
    close(file);
}

static void try_read_only(struct pair *pair) {
    uint8_t *mapped = map(3 * PAGE_OCTETS, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(mapped, 8, 3 * PAGE_OCTETS);
    CHECK(mprotect(mapped + PAGE_OCTETS, PAGE_OCTETS, PROT_READ) == 0);
    struct memory_registration *registration;
    CHECK_ERRNO(EFAULT, try_register(pair, mapped, 3 * PAGE_OCTETS, RDDP_LOCAL_WRITE, &registration));
    CHECK_ERRNO(0, try_register(pair, mapped, 3 * PAGE_OCTETS, RDDP_REMOTE_READ, &registration));
    CHECK(is_filled(remote_read(pair, registration, 0, 3 * PAGE_OCTETS), 3 * PAGE_OCTETS, 8));
    struct mappings mappings;
    struct mapping_info found;
    CHECK(open_mappings(&mappings) == 0);
    CHECK(find_mapping(&mappings, (uintptr_t)mapped + PAGE_OCTETS, &found) && found.protection == PROT_READ);
    close_mappings(&mappings);
    CHECK_ERRNO(0, deregister_memory(registration));
    CHECK(open_mappings(&mappings) == 0);
    CHECK(find_mapping(&mappings, (uintptr_t)mapped + PAGE_OCTETS, &found) && found.protection == PROT_READ
        && found.from == (uintptr_t)mapped + PAGE_OCTETS && found.to == found.from + PAGE_OCTETS);
    close_mappings(&mappings);
    mapped[0] = mapped[2 * PAGE_OCTETS] = 1;
    munmap(mapped, 3 * PAGE_OCTETS);
}

/* Where the machine has huge pages: only whole ones can be registered. */
static void try_huge_pages(struct pair *pair) {
    uint8_t *mapped = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (mapped == MAP_FAILED) {
        puts("(the machine has no huge pages)");
        return;
    }
    memset(mapped, 1, 2 * HUGE_PAGE);
    struct memory_registration *registration;
    CHECK_ERRNO(EINVAL, try_register(pair, mapped + 5000, 100, ALL_RIGHTS, &registration));
    CHECK(is_filled(mapped, 2 * HUGE_PAGE, 1));
    try_kind(pair, "huge pages", mapped, 2 * HUGE_PAGE);
    munmap(mapped, 2 * HUGE_PAGE);
}

/* Attached, and removed at once. */
static void try_segment(struct pair *pair, const char *name, size_t length, int flags) {
    int segment = shmget(IPC_PRIVATE, length, IPC_CREAT | 0600 | flags);
    if (segment < 0) {
        printf("(none: %s)\n", name);
        return;
    }
    uint8_t *attached = shmat(segment, NULL, 0);
    CHECK(shmctl(segment, IPC_RMID, NULL) == 0 && attached != (void *)-1);
    /* In two steps: the first one divides the attachment. */
    try_kind(pair, name, attached + length / 2, length / 2);
    try_kind(pair, name, attached, length);
    munmap(attached, length);
}

int main(int count, char **arguments) {
    CHECK(count == 2 || count == 3);
    without_query = count == 3 && strcmp(arguments[2], "text") == 0;
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);

    uint8_t *small = malloc(100), *large = malloc(LARGE);
    CHECK(small != NULL && large != NULL);
    try_kind(&pair, "malloc of 100 octets", small, 100);
    try_kind(&pair, "malloc of 1 MiB", large, LARGE);
    try_kind(&pair, "bss", in_bss, sizeof in_bss);
    try_kind(&pair, "data", in_data, sizeof in_data);
    uint8_t *anonymous = map(LARGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    try_kind(&pair, "anonymous private mapping", anonymous, LARGE);
    uint8_t *shared = map(LARGE, MAP_SHARED | MAP_ANONYMOUS, -1);
    try_kind(&pair, "anonymous shared mapping", shared, LARGE);
    uint8_t *huge = aligned(2 * HUGE_PAGE, HUGE_PAGE);
    try_kind(&pair, "transparent huge pages", huge, 2 * HUGE_PAGE);
    uint8_t *part = aligned(HUGE_PAGE, HUGE_PAGE);
    try_kind(&pair, "100 octets within a transparent huge page", part + 5000, 100);
    CHECK(is_filled(part + 5100, HUGE_PAGE - 5100, 1));
    try_stack(&pair, "stack");
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, on_thread, &pair) == 0 && pthread_join(thread, NULL) == 0);
    try_file(&pair);
    try_read_only(&pair);
    try_huge_pages(&pair);
    try_segment(&pair, "System V's memory, removed", LARGE, 0);
    try_segment(&pair, "huge pages of System V, removed", 2 * HUGE_PAGE, SHM_HUGETLB);

    release_memory(pair.two.session);
    close_pair(&pair);
    free(small);
    free(large);
    free(huge);
    free(part);
    puts("done");
    return 0;
}
