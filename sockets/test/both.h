/*
 * Tests that run over the kernel first, at the loopback, whose behaviour is the measure, and then over rddp: with the same
 * expectations. With the argument "kernel" they need neither the library nor a daemon.
 */
#ifndef BOTH_H
#define BOTH_H

static const char *far_address;
#define FAR_ADDRESS far_address

#include "ends.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* A test that hangs ends its program after this time. */
#define MOST_SECONDS 100

static inline bool is_over_rddp(void) {
    return strcmp(far_address, "127.0.0.1") != 0;
}

static inline const char *near_address(void) {
    return is_over_rddp() ? "10.0.0.1" : "127.0.0.1";
}

static inline const char *far_ipv6(void) {
    return is_over_rddp() ? "2001:db8::2" : "::1";
}

/* Calls all tests, over the one and the other. */
static inline int run_over_both(int count, char **arguments, void (*tests)(void)) {
    bool kernel_alone = count > 1 && strcmp(arguments[1], "kernel") == 0;
    alarm(MOST_SECONDS);
    far_address = "127.0.0.1";
    tests();
    if (!kernel_alone) {
        puts("-- over rddp --");
        far_address = "10.0.0.2";
        tests();
    }
    puts("done");
    return 0;
}

/* ---- Children ---- */

/* A child that does not outlive its parent, nor the time of a test. */
static inline pid_t start(void) {
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
        alarm(MOST_SECONDS);
    }
    return child;
}

static inline void expect_success(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Runs a test in a child, whose descriptors and limits it may change. */
static inline void run_in_child(void (*test)(void)) {
    pid_t child = start();
    if (child == 0) {
        test();
        exit(0);
    }
    expect_success(child);
}

/* For an exec(2): the descriptor stays open. */
static inline void keep_over_exec(int descriptor) {
    CHECK(fcntl(descriptor, F_SETFD, 0) == 0);
}

/* ---- Turns of two processes ---- */

static inline void tell(const int pipe[2]) {
    CHECK(write(pipe[1], "t", 1) == 1);
}

static inline void await_turn(const int pipe[2]) {
    char octet;
    CHECK(read(pipe[0], &octet, 1) == 1);
}

static inline void close_pipe(const int pipe[2]) {
    CHECK(close(pipe[0]) == 0 && close(pipe[1]) == 0);
}

/* ---- Connections ---- */

/* A connection that blocks. */
static inline int connect_to(const char *address, uint16_t port) {
    struct sockaddr_in to = address_of(address, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(made >= 0);
    CHECK(connect(made, (struct sockaddr *)&to, sizeof to) == 0);
    return made;
}

static inline void await_established(int descriptor) {
    int error = -1;
    socklen_t length = sizeof error;
    CHECK(await(descriptor, POLLOUT) == POLLOUT);
    CHECK(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
}

/* Octets from a place on of what a sender sends. */
static inline void send_octets(int descriptor, size_t from, size_t count) {
    uint8_t octets[5000];
    size_t part = sizeof octets;
    for (size_t done = 0; done < count; done += part) {
        if (count - done < part) {
            part = count - done;
        }
        for (size_t i = 0; i < part; i++) {
            octets[i] = octet_at(from + done + i, 0);
        }
        CHECK(write(descriptor, octets, part) == (ssize_t)part);
    }
}

static inline void expect_octets(int descriptor, size_t from, size_t count) {
    uint8_t octets[7000];
    for (size_t done = 0; done < count;) {
        size_t part = count - done < sizeof octets ? count - done : sizeof octets;
        ssize_t got = read(descriptor, octets, part);
        CHECK(got > 0);
        for (size_t i = 0; i < (size_t)got; i++) {
            CHECK(octets[i] == octet_at(from + done + i, 0));
        }
        done += (size_t)got;
    }
}

#endif
