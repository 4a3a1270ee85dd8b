/* The memory of connections that have ended is used again, unless a child may use it still. */
#include "ends.h"

#include <sched.h>
#include <sys/syscall.h>

#define MEMORIES 4096

static unsigned long seen[MEMORIES];
static size_t count;

static void note(unsigned long number) {
    size_t at = 0;
    while (at < count && seen[at] != number) {
        at++;
    }
    CHECK(at < MEMORIES);
    seen[at] = number;
    count += at == count;
}

/* Notes the memories of streams that a process has mapped. */
static void look_at_memories_of(const char *process) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%s/maps", process);
    FILE *maps = fopen(path, "re");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long number;
        if (strstr(line, "memfd:rddp-stream") != NULL && sscanf(line, "%*s %*s %*s %*s %lu", &number) == 1) {
            note(number);
        }
    }
    CHECK(fclose(maps) == 0);
}

static void look_at_memories(void) {
    look_at_memories_of("self");
}

static void pass(const struct pair *pair) {
    send_text(pair->near, "there");
    expect_text(pair->far, "there");
    send_text(pair->far, "back");
    expect_text(pair->near, "back");
}

/* Each of them has two memories while it lasts. */
static void use(int connections, bool forks) {
    for (int i = 0; i < connections; i++) {
        struct pair pair = connect_pair();
        pass(&pair);
        look_at_memories();
        pid_t child = forks ? fork() : 0;
        CHECK(child >= 0);
        if (forks && child == 0) {
            pass(&pair);
            _exit(0);
        }
        int status = 0;
        CHECK(!forks || (waitpid(child, &status, 0) == child && status == 0));
        close_pair(&pair);
    }
}

static void expect_success(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* As a program does that says what it likes: the library does not see it. */
static long send_behind_its_back(int descriptor, const char *text) {
    long result;
    register long flags __asm__("r10") = 0, address __asm__("r8") = 0, length __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_sendto), "D"((long)descriptor), "S"(text), "d"(strlen(text)), "r"(flags), "r"(address), "r"(length)
                     : "rcx", "r11", "memory");
    return result;
}

/* A child has its parent's mapping of a connection. If it had given up rights, it must not see what comes later. */
static void believe_no_child_with_fewer_rights(void) {
    pid_t child = fork();  /* Afterwards no mapping of an ended connection is kept. */
    CHECK(child >= 0);
    if (child == 0) {
        _exit(0);
    }
    expect_success(child);
    count = 0;
    struct pair pair = connect_pair();
    pass(&pair);
    look_at_memories();
    CHECK(count == 2);
    const unsigned long before[] = {seen[0], seen[1]};
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
        CHECK(send_behind_its_back(pair.near, "given back") == 10 && send_behind_its_back(pair.far, "given back") == 10);
        _exit(0);
    }
    expect_success(child);
    close_pair(&pair);
    for (int i = 0; i < 50; i++) {
        count = 0;
        pair = connect_pair();
        pass(&pair);
        look_at_memories();
        for (size_t j = 0; j < count; j++) {
            CHECK(seen[j] != before[0] && seen[j] != before[1]);
        }
        close_pair(&pair);
    }
}

/* A child may have given up rights of its parent's: what connections leave before it is made is not in it when later ones have it. */
static void fork_between_connections(pid_t (*make_child)(void)) {
    use(1, false);
    pid_t child = make_child();
    CHECK(child >= 0);
    if (child == 0) {
        pause();
    }
    struct pair pair = connect_pair();
    pass(&pair);
    char process[16];
    snprintf(process, sizeof process, "%d", (int)child);
    count = 0;
    look_at_memories_of(process);
    size_t of_child = count;
    look_at_memories();
    CHECK(count >= of_child + 2);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    close_pair(&pair);
}

static int wait_for_end(void *nothing) {
    (void)nothing;
    return pause();
}

static pid_t clone_process(void) {
    static _Alignas(16) uint8_t stack[1 << 16];
    return clone(wait_for_end, stack + sizeof stack, SIGCHLD, NULL);
}

/* What the engine has at hand must not let it answer for a listener whose end the daemon has not noticed yet. */
static void connect_where_nobody_listens_any_more(void) {
    for (int i = 0; i < 200; i++) {
        uint16_t port;
        CHECK(close(listen_at(FAR_ADDRESS, &port)) == 0);
        struct sockaddr_in to = address_of(FAR_ADDRESS, port);
        int made = socket(AF_INET, SOCK_STREAM, 0);
        CHECK_ERRNO(ECONNREFUSED, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
        CHECK(close(made) == 0);
    }
}

int main(void) {
    alarm(100);
    use(20, true);
    CHECK(count >= 40);
    /* Others than root have no immutable memory, which alone can be used again. */
    count = 0;
    for (size_t i = 1; geteuid() == 0 && (i == 1 || count >= 2 * (i - 1)); i++) {
        use(1, false);
    }
    if (geteuid() == 0) {
        believe_no_child_with_fewer_rights();
    }
    fork_between_connections(fork);
    fork_between_connections(_Fork);
    fork_between_connections(clone_process);
    connect_where_nobody_listens_any_more();
    puts("done");
    return 0;
}
