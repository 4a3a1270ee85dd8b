/* Both ends of connections over rddp, in one process: the interface "one" connects to "two". */
#ifndef ENDS_H
#define ENDS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_errno.h"

#ifndef FAR_ADDRESS
#define FAR_ADDRESS "10.0.0.2"
#endif
#define DEADLINE_MS 20000

/* The octet at a place of what a sender sends. */
static inline uint8_t octet_at(size_t place, unsigned sender) {
    return (uint8_t)(((place + sender) * 2654435761u) >> 13);
}

static inline struct sockaddr_in address_of(const char *address, uint16_t port) {
    struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(port)};
    CHECK(inet_pton(AF_INET, address, &made.sin_addr) == 1);
    return made;
}

/* Listens at a free port, which is stored. */
static inline int listen_with_backlog(const char *address, uint16_t *port, int backlog) {
    struct sockaddr_in at = address_of(address, 0);
    socklen_t length = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0);
    CHECK(listen(listener, backlog) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
    *port = ntohs(at.sin_port);
    return listener;
}

static inline int listen_at(const char *address, uint16_t *port) {
    return listen_with_backlog(address, port, 8);
}

/* Begins to connect, without waiting. */
static inline int begin_connect(const char *address, uint16_t port) {
    struct sockaddr_in to = address_of(address, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    CHECK(made >= 0);
    CHECK_ERRNO(EINPROGRESS, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    return made;
}

/* The events of one descriptor, of those wanted, for which it waits. */
static inline short await(int descriptor, short events) {
    struct pollfd polled = {.fd = descriptor, .events = events};
    CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
    return polled.revents;
}

static inline short look(int descriptor, short events) {
    struct pollfd polled = {.fd = descriptor, .events = events};
    CHECK(poll(&polled, 1, 0) >= 0);
    return polled.revents;
}

static inline void set_nonblocking(int descriptor, bool nonblocking) {
    int flags = fcntl(descriptor, F_GETFL);
    CHECK(flags >= 0);
    CHECK(fcntl(descriptor, F_SETFL, nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) == 0);
}

static inline void add(int epoll, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

/* Waits for one event, of a descriptor. */
static inline uint32_t next_event(int epoll, int descriptor) {
    struct epoll_event event;
    CHECK(epoll_wait(epoll, &event, 1, DEADLINE_MS) == 1);
    CHECK(event.data.fd == descriptor);
    return event.events;
}

static inline void expect_nothing(int epoll) {
    struct epoll_event event;
    CHECK(epoll_wait(epoll, &event, 1, 0) == 0);
}

/* A connection: both ends block. */
struct pair {
    int listener, near, far;
    uint16_t port;
};

static inline struct pair connect_pair(void) {
    struct pair pair;
    pair.listener = listen_at(FAR_ADDRESS, &pair.port);
    pair.near = begin_connect(FAR_ADDRESS, pair.port);
    pair.far = accept(pair.listener, NULL, NULL);
    CHECK(pair.far >= 0);
    CHECK(await(pair.near, POLLOUT) == POLLOUT);
    set_nonblocking(pair.near, false);
    return pair;
}

static inline void close_pair(const struct pair *pair) {
    CHECK(close(pair->near) == 0);
    CHECK(close(pair->far) == 0);
    CHECK(close(pair->listener) == 0);
}

static inline void send_text(int descriptor, const char *text) {
    CHECK(send(descriptor, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static inline void expect_text(int descriptor, const char *text) {
    char got[64];
    size_t length = strlen(text);
    CHECK(recv(descriptor, got, length, MSG_WAITALL) == (ssize_t)length);
    CHECK(memcmp(got, text, length) == 0);
}

static inline void expect_end(int descriptor) {
    char octet;
    CHECK(recv(descriptor, &octet, 1, 0) == 0);
}

#endif
