/*
 * Registers memory that the program shares (MAP_SHARED): its other mappings and other processes see what arrives. With the
 * argument "text" as on a kernel that lists mappings as text only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/mappings.h"
#include "memory_pair.h"

#define PAGES ((size_t)8)
#define OCTETS (PAGES * PAGE_OCTETS)
#define HUGE_PAGE ((size_t)2 << 20)

static uint8_t *map(size_t octets, int protection, int flags, int descriptor) {
    uint8_t *mapped = mmap(NULL, octets, protection, MAP_SHARED | flags, descriptor, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

static uint8_t *map_anonymous(size_t octets) {
    return map(octets, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
}

static int make_memfd(unsigned flags, off_t octets) {
    int descriptor = memfd_create("test", MFD_CLOEXEC | flags);
    CHECK(descriptor >= 0 && ftruncate(descriptor, octets) == 0);
    return descriptor;
}

static void deregister(struct memory_registration *registration) {
    CHECK_ERRNO(0, deregister_memory(registration));
}

static void refuse(struct pair *pair, int error, void *address, size_t length, unsigned access, const char *why) {
    struct memory_registration *registration;
    CHECK_ERRNO(error, try_register(pair, address, length, access, &registration));
    CHECK_TEXT(why);
}

static void await_success(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Descriptors of memfds that the process has open. */
static unsigned count_memfds(void) {
    DIR *all = opendir("/proc/self/fd");
    CHECK(all != NULL);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        char name[16] = "";
        count += readlinkat(dirfd(all), entry->d_name, name, sizeof name - 1) > 0 && strncmp(name, "/memfd:", 7) == 0;
    }
    closedir(all);
    return count;
}

/* ---- Other processes and mappings ---- */

static const char *socket_path;

/*
 * A process that does what it is told: 'c' and an octet: compare all of the memory; 's': store it at the end; 'e': end; 'r':
 * register the memory with a session of its own; 'f': let a peer of its own write the octet.
 */
struct other {
    pid_t process;
    int to, from;
};

static void obey(uint8_t *memory, int orders, int answers) {
    struct pair own;
    struct memory_registration *registration = NULL;
    char order[2];
    while (read(orders, order, sizeof order) == sizeof order && order[0] != 'e') {
        char answer = 1;
        if (order[0] == 'c') {
            answer = (char)is_filled(memory, OCTETS - 1, order[1]);
        } else if (order[0] == 's') {
            memory[OCTETS - 1] = (uint8_t)order[1];
        } else if (order[0] == 'r') {
            open_pair(&own, socket_path, NULL);
            registration = register_range(&own, memory, OCTETS);
        } else {
            remote_fill(&own, registration, 0, OCTETS - 1, order[1]);
        }
        if (write(answers, &answer, 1) != 1) {
            _exit(1);
        }
    }
    _exit(0);
}

static struct other start_other(uint8_t *memory) {
    int orders[2], answers[2];
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    struct other other = {.process = fork(), .to = orders[1], .from = answers[0]};
    CHECK(other.process >= 0);
    if (other.process == 0) {
        close(orders[1]);
        close(answers[0]);
        obey(memory, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return other;
}

static void order(const struct other *other, char what, char octet) {
    const char both[] = {what, octet};
    char answer = 0;
    CHECK(write(other->to, both, sizeof both) == sizeof both);
    CHECK(read(other->from, &answer, 1) == 1 && answer == 1);
}

static void end_other(const struct other *other) {
    /* Others have inherited this end of the pipe. */
    CHECK(write(other->to, "e", 2) == 2);
    close(other->to);
    close(other->from);
    await_success(other->process);
}

/* What the peer writes is seen in another process, and what that stores is what the peer reads. */
static void pass_octets(
    struct pair *pair, struct memory_registration *registration, const struct other *other, int octet) {
    remote_fill(pair, registration, 0, OCTETS - 1, octet);
    order(other, 'c', (char)octet);
    order(other, 's', (char)(octet + 1));
    CHECK(*remote_read(pair, registration, OCTETS - 1, 1) == octet + 1);
}

static void share_between_processes(struct pair *pair, uint8_t *memory) {
    struct other before = start_other(memory);
    struct memory_registration *registration = register_range(pair, memory, OCTETS);
    struct other after = start_other(memory);
    pass_octets(pair, registration, &before, 10);
    pass_octets(pair, registration, &after, 20);
    CHECK(memory[0] == 20 && memory[OCTETS - 1] == 21);
    deregister(registration);
    order(&before, 's', 33);
    CHECK(memory[OCTETS - 1] == 33);
    /* Registered again, whole and in part. */
    registration = register_range(pair, memory, OCTETS);
    struct memory_registration *part = register_range(pair, memory + 100, PAGE_OCTETS);
    pass_octets(pair, registration, &before, 40);
    remote_fill(pair, part, 0, PAGE_OCTETS, 50);
    CHECK(memory[99] == 40 && memory[100] == 50 && memory[99 + PAGE_OCTETS] == 50 && memory[100 + PAGE_OCTETS] == 40);
    deregister(registration);
    remote_fill(pair, part, 0, 1, 51);
    CHECK(memory[100] == 51);
    deregister(part);
    end_other(&before);
    end_other(&after);
}

static void share_anonymous_memory(struct pair *pair) {
    unsigned before = count_memfds();
    uint8_t *memory = map_anonymous(OCTETS);
    CHECK(count_memfds() == before + 1);
    share_between_processes(pair, memory);
    CHECK(munmap(memory, OCTETS) == 0);
    CHECK(count_memfds() == before);
}

/* Each process registers the memory, with a session of its own; this one with two. */
static void share_between_sessions(struct pair *pair, uint8_t *memory, const struct other *other) {
    struct memory_registration *registration = register_range(pair, memory, OCTETS);
    order(other, 'r', 0);
    pass_octets(pair, registration, other, 10);
    order(other, 'f', 20);
    CHECK(is_filled(memory, OCTETS - 1, 20));
    struct memory_request request = {.session = pair->one.session, .address = memory, .length = OCTETS};
    struct memory_registration *second;
    CHECK_ERRNO(0, register_memory(&request, &second));
    deregister(registration);
    release_memory(pair->two.session);
    release_memory(pair->one.session);
    /* It is the other process's still, and so can be registered again. */
    order(other, 'f', 30);
    CHECK(is_filled(memory, OCTETS - 1, 30));
    registration = register_range(pair, memory, OCTETS);
    pass_octets(pair, registration, other, 40);
    deregister(registration);
    munmap(memory, OCTETS);
    end_other(other);
}

static void share_memfd(struct pair *pair, unsigned flags) {
    int descriptor = make_memfd(flags, (off_t)OCTETS);
    uint8_t *memory = map(OCTETS, PROT_READ | PROT_WRITE, 0, descriptor);
    uint8_t *second = map(OCTETS, PROT_READ | PROT_WRITE, 0, descriptor);
    const uint8_t *readable = map(OCTETS, PROT_READ, 0, descriptor);
    share_between_processes(pair, memory);
    CHECK(memcmp(memory, second, OCTETS) == 0 && memcmp(memory, readable, OCTETS) == 0);
    /* Each mapping can be registered; it is one memory. */
    struct memory_registration *registration = register_range(pair, second + PAGE_OCTETS, PAGE_OCTETS);
    remote_fill(pair, registration, 0, 1, 60);
    CHECK(memory[PAGE_OCTETS] == 60 && readable[PAGE_OCTETS] == 60);
    deregister(registration);
    /* What the seals forbid from now on. */
    CHECK(ftruncate(descriptor, 0) == -1 && errno == EPERM);
    CHECK(madvise(memory, PAGE_OCTETS, MADV_REMOVE) == -1 && errno == EPERM);
    CHECK(mmap(NULL, OCTETS, PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED && errno == EPERM);
    close(descriptor);
    munmap(memory, OCTETS);
    munmap(second, OCTETS);
    munmap((void *)(uintptr_t)readable, OCTETS);
}

static void share_huge_pages(struct pair *pair) {
    uint8_t *memory = mmap(NULL, 2 * HUGE_PAGE - 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (memory == MAP_FAILED) {
        puts("(the machine has no huge pages)");
        return;
    }
    share_between_processes(pair, memory + HUGE_PAGE - OCTETS / 2);
    CHECK(madvise(memory, HUGE_PAGE, MADV_REMOVE) == -1 && errno == EPERM);
    CHECK(munmap(memory, 2 * HUGE_PAGE) == 0);
}

/* ---- Parts ---- */

static void unmap_in_part(struct pair *pair) {
    unsigned before = count_memfds();
    uint8_t *memory = map_anonymous(OCTETS);
    struct other other = start_other(memory);
    struct memory_registration *registration = register_range(pair, memory, OCTETS);
    CHECK(munmap(memory + 2 * PAGE_OCTETS, 2 * PAGE_OCTETS) == 0);
    /* The pages are the other process's, too. */
    pass_octets(pair, registration, &other, 10);
    refuse(pair, EFAULT, memory, OCTETS, ALL_RIGHTS, "no memory is mapped");
    deregister(registration);
    registration = register_range(pair, memory + 4 * PAGE_OCTETS, 4 * PAGE_OCTETS);
    remote_fill(pair, registration, 0, 4 * PAGE_OCTETS - 1, 11);
    CHECK(memory[4 * PAGE_OCTETS] == 11 && memory[2 * PAGE_OCTETS - 1] == 10);
    deregister(registration);
    CHECK(count_memfds() == before + 1);
    /* By another mapping in their place. */
    CHECK(mmap(memory, OCTETS, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory);
    CHECK(count_memfds() == before);
    munmap(memory, OCTETS);
    end_other(&other);
}

/* Private, shared and private pages side by side. */
static void register_mixed_range(struct pair *pair) {
    uint8_t *memory = mmap(NULL, OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    uint8_t *middle = memory + 3 * PAGE_OCTETS;
    CHECK(mmap(middle, 2 * PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == middle);
    memset(memory, 1, OCTETS);
    struct memory_registration *registration = register_range(pair, memory + 100, OCTETS - 200);
    remote_fill(pair, registration, 0, OCTETS - 200, 2);
    CHECK(is_filled(memory + 100, OCTETS - 200, 2) && memory[99] == 1 && memory[OCTETS - 100] == 1);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        memset(memory, 3, OCTETS);
        _exit(0);
    }
    await_success(child);
    CHECK(*remote_read(pair, registration, 0, 1) == 2);
    CHECK(*remote_read(pair, registration, 3 * PAGE_OCTETS, 1) == 3);
    deregister(registration);
    CHECK(is_filled(middle, 2 * PAGE_OCTETS, 3) && memory[100] == 2 && memory[OCTETS - 101] == 2);
    munmap(memory, OCTETS);
}

static void move_memory(struct pair *pair) {
    uint8_t *memory = map_anonymous(OCTETS);
    uint8_t *moved = map(OCTETS, PROT_NONE, MAP_ANONYMOUS, -1);
    CHECK(mremap(memory, OCTETS, OCTETS, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == moved);
    struct other other = start_other(moved);
    struct memory_registration *registration = register_range(pair, moved, OCTETS);
    pass_octets(pair, registration, &other, 10);
    deregister(registration);
    end_other(&other);
    munmap(moved, OCTETS);
}

/* A shared range goes on where the file ends. */
static void register_beyond_the_end(struct pair *pair) {
    int descriptor = make_memfd(0, 5000);
    uint8_t *memory = map(OCTETS, PROT_READ | PROT_WRITE, 0, descriptor);
    refuse(pair, EFAULT, memory, OCTETS, ALL_RIGHTS, "beyond the end of its file");
    struct memory_registration *registration = register_range(pair, memory, 5000);
    remote_fill(pair, registration, 0, 5000, 7);
    CHECK(is_filled(memory, 5000, 7));
    deregister(registration);
    munmap(memory, OCTETS);
    close(descriptor);
}

/* ---- Rights ---- */

static void keep_to_the_rights(struct pair *pair) {
    const unsigned reading = RDDP_REMOTE_READ;
    int descriptor = make_memfd(0, (off_t)OCTETS);
    uint8_t *readable = map(OCTETS, PROT_READ, 0, descriptor);
    refuse(pair, EFAULT, readable, OCTETS, ALL_RIGHTS, "may not be written");
    refuse(pair, EFAULT, readable, OCTETS, RDDP_LOCAL_WRITE, "may not be written");
    uint8_t octet = 5;
    CHECK(pwrite(descriptor, &octet, 1, 100) == 1);
    struct memory_registration *registration;
    CHECK_ERRNO(0, try_register(pair, readable, OCTETS, reading, &registration));
    CHECK(*remote_read(pair, registration, 100, 1) == 5);
    deregister(registration);
    munmap(readable, OCTETS);
    close(descriptor);

    /* Somebody else's memory, of which the program has a descriptor for reading only. */
    int whole = make_memfd(MFD_ALLOW_SEALING, (off_t)OCTETS);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", whole);
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(descriptor >= 0 && close(whole) == 0);
    readable = map(OCTETS, PROT_READ, 0, descriptor);
    refuse(pair, EOPNOTSUPP, readable, OCTETS, reading, "descriptor for writing");
    CHECK(fcntl(descriptor, F_GET_SEALS) == 0);
    munmap(readable, OCTETS);
    close(descriptor);
}

static void refuse_what_cannot_be_sealed(struct pair *pair) {
    int descriptor = make_memfd(MFD_ALLOW_SEALING, (off_t)OCTETS);
    CHECK(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
    uint8_t *memory = map(OCTETS, PROT_READ | PROT_WRITE, 0, descriptor);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "F_SEAL_SEAL");
    munmap(memory, OCTETS);
    close(descriptor);

    char name[] = "/dev/shm/rddp-shares.XXXXXX";
    descriptor = mkstemp(name);
    CHECK(descriptor >= 0 && unlink(name) == 0 && ftruncate(descriptor, (off_t)OCTETS) == 0);
    memory = map(OCTETS, PROT_READ | PROT_WRITE, 0, descriptor);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "MAP_SHARED");
    munmap(memory, OCTETS);
    close(descriptor);

    /* Past the library. */
    memory = (uint8_t *)syscall(SYS_mmap, NULL, OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "MAP_SHARED");
    munmap(memory, OCTETS);
}

/* System V's memory can only be registered where it is private: nobody else would see what arrives. */
static void refuse_segments_of_others(struct pair *pair) {
    int segment = shmget(IPC_PRIVATE, OCTETS, IPC_CREAT | 0600);
    uint8_t *memory = shmat(segment, NULL, 0);
    CHECK(segment >= 0 && memory != (void *)-1);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "IPC_RMID");
    uint8_t *second = shmat(segment, NULL, 0);
    CHECK(second != (void *)-1 && shmctl(segment, IPC_RMID, NULL) == 0);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "IPC_RMID");
    CHECK(shmdt(second) == 0);
    struct other other = start_other(memory);
    refuse(pair, EOPNOTSUPP, memory, OCTETS, ALL_RIGHTS, "IPC_RMID");
    order(&other, 's', 44);
    CHECK(memory[OCTETS - 1] == 44);
    end_other(&other);
    deregister(register_range(pair, memory, OCTETS));
    CHECK(memory[OCTETS - 1] == 44);
    munmap(memory, OCTETS);
}

/* ---- Descriptors ---- */

/* Finds the number of the only memfd that is open besides those below. */
static int last_memfd(void) {
    for (int number = 1023; number > 2; number--) {
        char path[64], name[16] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", number);
        if (readlink(path, name, sizeof name - 1) > 0 && strncmp(name, "/memfd:", 7) == 0) {
            return number;
        }
    }
    return -1;
}

/* As programs do that become daemons: they close what they do not know, and open other files. */
static void lose_descriptors(struct pair *pair) {
    uint8_t *memory = map_anonymous(OCTETS);
    int kept = last_memfd(), other = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(kept >= 0 && other >= 0 && dup2(other, kept) == kept);
    struct memory_registration *registration;
    int error = try_register(pair, memory, OCTETS, ALL_RIGHTS, &registration);
    /* Root may open the mapping itself. */
    CHECK(error == 0 || error == EOPNOTSUPP);
    if (error == 0) {
        deregister(registration);
    }
    munmap(memory, OCTETS);
    CHECK(fcntl(kept, F_GETFD) >= 0);
    close(kept);
    close(other);
}

/* Without descriptors there is shared memory all the same. */
static void run_out_of_descriptors(void) {
    struct rlimit before, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = 3;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    errno = 0;
    uint8_t *memory = map_anonymous(OCTETS);
    CHECK(errno == 0 && setrlimit(RLIMIT_NOFILE, &before) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        memory[0] = 9;
        _exit(0);
    }
    await_success(child);
    CHECK(memory[0] == 9);
    munmap(memory, OCTETS);
    CHECK(mmap(NULL, 0, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(NULL, SIZE_MAX, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
}

int main(int count, char **arguments) {
    CHECK(count == 2 || count == 3);
    without_query = count == 3 && strcmp(arguments[2], "text") == 0;
    socket_path = arguments[1];
    uint8_t *memory = map_anonymous(OCTETS);
    /* Before there are threads, since it begins some. */
    struct other other = start_other(memory);
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    share_between_sessions(&pair, memory, &other);
    share_anonymous_memory(&pair);
    share_memfd(&pair, 0);
    share_memfd(&pair, MFD_ALLOW_SEALING);
    share_huge_pages(&pair);
    unmap_in_part(&pair);
    register_mixed_range(&pair);
    move_memory(&pair);
    register_beyond_the_end(&pair);
    keep_to_the_rights(&pair);
    refuse_what_cannot_be_sealed(&pair);
    refuse_segments_of_others(&pair);
    lose_descriptors(&pair);
    run_out_of_descriptors();
    release_memory(pair.two.session);
    close_pair(&pair);
    puts("done");
    return 0;
}
