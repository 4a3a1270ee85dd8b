/*
 * The loops of `rddp bench sockets` that no program of others has. An ordinary program with sockets: LD_PRELOAD says which way it goes.
 *
 *   loops-sockets serve ADDRESS PORT           returns what it gets, to any number of clients
 *   loops-sockets ping ADDRESS PORT COUNT      one octet there and back: nanoseconds
 *   loops-sockets connect ADDRESS PORT COUNT   that many connections one after the other, with such an octet: a second
 *   loops-sockets wait ADDRESS PORT COUNT      epoll_wait() over connections and pipes of which one is ready: nanoseconds
 *   loops-sockets memory ADDRESS PORT COUNT    that many connections: octets of the machine's memory for each, both ends
 *
 * Prints figures, NAME VALUE, a line each.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s: %s\n", __FILE__, __LINE__, #condition, strerror(errno));               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define WAITED 8  /* connections and pipes */

static double nanos(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct sockaddr_in address_of(char **arguments) {
    struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    CHECK(inet_pton(AF_INET, arguments[0], &made.sin_addr) == 1);
    return made;
}

static void without_delay(int descriptor) {
    int on = 1;
    CHECK(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
}

static int connected(char **arguments) {
    struct sockaddr_in to = address_of(arguments);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(descriptor >= 0 && connect(descriptor, (struct sockaddr *)&to, sizeof to) == 0);
    without_delay(descriptor);
    return descriptor;
}

static void ping(int descriptor) {
    char octet = 'x';
    CHECK(send(descriptor, &octet, 1, 0) == 1 && recv(descriptor, &octet, 1, 0) == 1);
}

__attribute__((noreturn)) static void serve(char **arguments) {
    struct sockaddr_in at = address_of(arguments);
    int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), on = 1;
    CHECK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1024) == 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[64];
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
    puts("ready");
    fflush(stdout);
    for (;;) {
        int found = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < found; i++) {
            char octets[4096];
            if (events[i].data.fd == listener) {
                event.data.fd = accept(listener, NULL, NULL);
                CHECK(event.data.fd >= 0);
                without_delay(event.data.fd);
                CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event) == 0);
                continue;
            }
            ssize_t count = recv(events[i].data.fd, octets, sizeof octets, 0);
            if (count <= 0) {
                close(events[i].data.fd);
            } else {
                CHECK(send(events[i].data.fd, octets, (size_t)count, 0) == count);
            }
        }
    }
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void measure_ping(char **arguments, size_t count) {
    int descriptor = connected(arguments);
    double *times = calloc(count, sizeof *times);
    CHECK(times != NULL);
    for (size_t i = 0; i < count / 10; i++) {
        ping(descriptor);
    }
    double start = nanos(), before = start;
    for (size_t i = 0; i < count; i++) {
        ping(descriptor);
        double now = nanos();
        times[i] = now - before;
        before = now;
    }
    qsort(times, count, sizeof *times, ascending);
    printf("mean %.1f\np50 %.1f\np99 %.1f\nmax %.1f\n", (before - start) / (double)count, times[count / 2], times[count * 99 / 100],
        times[count - 1]);
}

static void measure_connect(char **arguments, size_t count) {
    double start = nanos();
    for (size_t i = 0; i < count; i++) {
        int descriptor = connected(arguments);
        ping(descriptor);
        CHECK(close(descriptor) == 0);
    }
    printf("rate %.1f\n", (double)count / (nanos() - start) * 1e9);
}

static void measure_wait(char **arguments, size_t count) {
    int epoll = epoll_create1(0);
    for (int i = 0; i < WAITED; i++) {
        int ends[2];
        struct epoll_event event = {.events = EPOLLIN, .data.fd = connected(arguments)};
        ping(event.data.fd);
        CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event) == 0 && pipe(ends) == 0);
        event.data.fd = ends[0];
        CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0 && (i != 0 || write(ends[1], "x", 1) == 1));
    }
    double best = 0;
    /* The quickest of several: what others do on the machine is not meant. */
    for (int round = 0; round < 10; round++) {
        double start = nanos();
        for (size_t i = 0; i < count; i++) {
            struct epoll_event events[WAITED];
            CHECK(epoll_wait(epoll, events, WAITED, -1) == 1);
        }
        double each = (nanos() - start) / (double)count;
        best = best == 0 || each < best ? each : best;
    }
    printf("wait %.1f\n", best);
}

/* Octets that the lines of a file say: of each line, a format takes a number of units of so many octets, or a number and its unit. */
static double sum(const char *path, const char *format, double unit) {
    FILE *file = fopen(path, "r");
    char line[512];
    double octets = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        double number = 0, size = unit;
        octets += sscanf(line, format, &number, &size) > 0 ? number * size : 0;
    }
    fclose(file);
    CHECK(octets > 0);
    return octets;
}

/* What is in use. Free memory would not tell: the kernel keeps the memory of objects that it has freed for the next ones. */
static double used(void) {
    return sum("/proc/meminfo", "AnonPages: %lf", 1024) + sum("/proc/meminfo", "Shmem: %lf", 1024)
        + sum("/proc/meminfo", "PageTables: %lf", 1024) + sum("/proc/slabinfo", "%*s %lf %*u %lf", 1);
}

static void measure_memory(char **arguments, size_t count) {
    ping(connected(arguments));
    double before = used();
    for (size_t i = 0; i < count; i++) {
        ping(connected(arguments));
    }
    printf("octets %.0f\n", (used() - before) / (double)count);
}

int main(int count, char **arguments) {
    struct rlimit files;
    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0);
    files.rlim_cur = files.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
    if (count == 4 && strcmp(arguments[1], "serve") == 0) {
        serve(arguments + 2);
    }
    CHECK(count == 5 && atol(arguments[4]) > 0);
    size_t times = (size_t)atol(arguments[4]);
    if (strcmp(arguments[1], "ping") == 0) {
        measure_ping(arguments + 2, times);
    } else if (strcmp(arguments[1], "connect") == 0) {
        measure_connect(arguments + 2, times);
    } else if (strcmp(arguments[1], "wait") == 0) {
        measure_wait(arguments + 2, times);
    } else {
        CHECK(strcmp(arguments[1], "memory") == 0);
        measure_memory(arguments + 2, times);
    }
    return 0;
}
