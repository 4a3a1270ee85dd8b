/*
 * Which way connect(2) goes: rddp's or the kernel's. Each case runs in a process of its own, since the rules are read once, and in a
 * network namespace in which the kernel serves at rddp's addresses, too: its service must have a connection only where a rule says so.
 */
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/syscall.h>

#include "ends.h"

#define NETWORKS "one 10.0.0.1/24;two 10.0.0.2/24"
#define SILENT_ADDRESS "10.0.0.3"
#define SERVED_BY_KERNEL 7001

/* All of 10.0.0.0/8 is the kernel's then. */
static void enter_namespace(void) {
    CHECK(unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0);
    int control = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo"};
    struct sockaddr_in own = address_of("10.0.0.9", 0);
    memcpy(&request.ifr_addr, &own, sizeof own);
    CHECK(ioctl(control, SIOCSIFADDR, &request) == 0);
    request.ifr_flags = IFF_UP;
    CHECK(ioctl(control, SIOCSIFFLAGS, &request) == 0);
    CHECK(close(control) == 0);
}

/* By an instruction of its own. */
static long listen_unseen(int descriptor, long backlog) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_listen), "D"((long)descriptor), "S"(backlog) : "rcx", "r11", "memory");
    return result;
}

/* A service that the library does not see. */
static int serve_by_kernel(void) {
    struct sockaddr_in at = address_of("0.0.0.0", SERVED_BY_KERNEL);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen_unseen(listener, 8) == 0);
    return listener;
}

/* Whether it has one, which has sent the text and nothing else. */
static bool has_client(int listener, const char *text) {
    char octets[64];
    size_t length = 0;
    int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ssize_t got;
    while (accepted >= 0 && (got = read(accepted, octets + length, sizeof octets - length)) > 0) {
        length += (size_t)got;
    }
    CHECK(accepted < 0 || (length == strlen(text) && memcmp(octets, text, length) == 0));
    return accepted >= 0 && close(accepted) == 0;
}

/* Nobody waits for minutes. */
static void limit(int made) {
    unsigned ms = 1000;
    CHECK(setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms) == 0);
}

static int connect_to(int made, const char *address, uint16_t port) {
    struct sockaddr_in to = address_of(address, port);
    limit(made);
    return connect(made, (struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
}

static int outcome_of_nonblocking(const char *address) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = connect_to(made, address, SERVED_BY_KERNEL);
    socklen_t length = sizeof error;
    if (error == EINPROGRESS) {
        CHECK((await(made, POLLOUT) & POLLOUT) != 0);
        CHECK(getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) == 0);
    }
    CHECK(close(made) == 0);
    return error;
}

static int outcome_of_blocking(const char *address) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), error = connect_to(made, address, SERVED_BY_KERNEL);
    CHECK(close(made) == 0);
    return error;
}

static int outcome_of_sending(const char *address) {
    struct sockaddr_in to = address_of(address, SERVED_BY_KERNEL);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    limit(made);
    int error = sendto(made, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to) == 1 ? 0 : errno;
    CHECK(close(made) == 0);
    return error;
}

/* A socket that the kernel could not connect elsewhere. */
static int outcome_of_another_try(const char *address) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(connect_to(made, "127.0.0.1", 1) == ECONNREFUSED);
    int error = connect_to(made, address, SERVED_BY_KERNEL);
    CHECK(close(made) == 0);
    return error;
}

/* One that the library has not made, such as an inherited one. */
static int outcome_of_strange(const char *address) {
    int made = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), error = connect_to(made, address, SERVED_BY_KERNEL);
    CHECK(close(made) == 0);
    return error;
}

static void expect(const char *address, int first, int second) {
    static int (*const outcomes[])(const char *) = {
        outcome_of_blocking, outcome_of_nonblocking, outcome_of_sending, outcome_of_another_try, outcome_of_strange};
    enter_namespace();
    int listener = serve_by_kernel();
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        int error = outcomes[i](address);
        if (error != first && error != second) {
            fprintf(stderr, "%zu: %s\n", i, strerror(error));
            CHECK(false);
        }
        CHECK(has_client(listener, outcomes[i] == outcome_of_sending ? "x" : "") == (first == 0));
    }
    CHECK(close(listener) == 0);
}

static const struct way_case {
    const char *name, *rules, *networks, *address;
    int error, other;  /* 0: by the kernel */
    bool daemon;
    const char *line;  /* on standard error */
} CASES[] = {
    {"no rule", NULL, NETWORKS, FAR_ADDRESS, ECONNREFUSED, ECONNREFUSED, true, NULL},
    {"no rule, other start", NULL, NULL, FAR_ADDRESS, ECONNREFUSED, ECONNREFUSED, true, NULL},
    {"rddp", "* rddp", NETWORKS, FAR_ADDRESS, ECONNREFUSED, ECONNREFUSED, true, NULL},
    {"kernel", "10.0.0.2 kernel", NETWORKS, FAR_ADDRESS, 0, 0, true, NULL},
    {"refusal, or kernel", "* rddp-or-kernel", NETWORKS, FAR_ADDRESS, 0, 0, true, NULL},
    {"silence, or kernel", "* rddp-or-kernel", NETWORKS ";two " SILENT_ADDRESS "/24", SILENT_ADDRESS, ETIMEDOUT, EHOSTUNREACH, true,
        "no connection to " SILENT_ADDRESS " port 7001"},
    {"no daemon, or kernel", "* rddp-or-kernel", NETWORKS, FAR_ADDRESS, ENETDOWN, ENETDOWN, false, "there is no daemon"},
    {"no daemon", NULL, NETWORKS, FAR_ADDRESS, ENETDOWN, ENETDOWN, false, "there is no daemon"},
    {"no interface, or kernel", "* rddp-or-kernel", "three 10.3.0.1/24", "10.3.0.1", ENETUNREACH, ENETUNREACH, true, "no interface"},
    {"encrypted, or kernel", "* rddp-or-kernel", "one 10.0.0.1/24 encrypted;two 10.0.0.2/24 encrypted", FAR_ADDRESS, ECONNREFUSED,
        ECONNREFUSED, true, NULL},
    {"encrypted, kernel", "10.0.0.2 kernel", "one 10.0.0.1/24 encrypted;two 10.0.0.2/24 encrypted", FAR_ADDRESS, ECONNREFUSED,
        ECONNREFUSED, true, NULL},
    {"networks of the daemon, or kernel", "* rddp-or-kernel", NULL, FAR_ADDRESS, 0, 0, true, NULL},
    {"wrong rules", "* kernal", NETWORKS, FAR_ADDRESS, EACCES, EACCES, true, "there is no such action"},
    /* Where the daemon's second interface answers as a host without rddp. */
    {"stranger", NULL, NETWORKS, FAR_ADDRESS, EHOSTDOWN, EHOSTDOWN, true, "does not speak rddp"},
    {"stranger, or kernel", "* rddp-or-kernel", NETWORKS, FAR_ADDRESS, 0, 0, true, NULL},
};

#define ALL (sizeof CASES / sizeof CASES[0])
#define STRANGE 2  /* the last ones */

static void set(const char *name, const char *value) {
    CHECK(value == NULL ? unsetenv(name) == 0 : setenv(name, value, 1) == 0);
}

static void run_case(const struct way_case *each, size_t number, const char *self) {
    int said[2];
    CHECK(pipe(said) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char text[8];
        (void)snprintf(text, sizeof text, "%zu", number);
        set("RDDP_SOCKETS_OPTIONS", each->rules);
        set("RDDP_SOCKETS_NETWORKS", each->networks);
        set("RDDP_SOCKETS_LOG", NULL);
        if (!each->daemon) {
            set("RDDP_SOCKET", "/nonexistent/rddpd.sock");
        }
        CHECK(dup2(said[1], STDERR_FILENO) == STDERR_FILENO && close(said[0]) == 0);
        execl("/proc/self/exe", self, text, (char *)NULL);
        _exit(1);
    }
    CHECK(close(said[1]) == 0);
    char text[8192] = "";
    size_t length = 0;
    ssize_t octets;
    while (length < sizeof text - 1 && (octets = read(said[0], text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)octets;
    }
    CHECK(close(said[0]) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    bool right = status == 0 && (each->line == NULL ? length == 0 : strstr(text, each->line) != NULL);
    if (!right) {
        fprintf(stderr, "%s: status %d, and it says: %s\n", each->name, status, text);
        exit(1);
    }
}

int main(int count, char **arguments) {
    bool strange = count == 2 && strcmp(arguments[1], "strange") == 0;
    if (count == 2 && !strange) {
        const struct way_case *each = &CASES[strtoul(arguments[1], NULL, 10)];
        expect(each->address, each->error, each->other);
        return 0;
    }
    set("RDDP_SOCKETS_FILE", "/dev/null");
    set("RDDP_INTERFACE", strange ? "one" : NULL);
    for (size_t i = strange ? ALL - STRANGE : 0; i < (strange ? ALL : ALL - STRANGE); i++) {
        run_case(&CASES[i], i, arguments[0]);
    }
    puts("done");
    return 0;
}
