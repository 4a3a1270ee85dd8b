/*
 * The daemon ends, and another one takes its place. Prints "ready" when it may end, reads a line when it has ended; prints
 * "lost", and reads a line when the next one is there.
 */
#include "ends.h"

#define OCTETS 1000

static void say(const char *what) {
    puts(what);
    fflush(stdout);
    char answer[16];
    CHECK(fgets(answer, sizeof answer, stdin) != NULL);
}

static struct pair end_unread(void) {
    static const char octets[OCTETS];
    struct pair pair = connect_pair();
    CHECK(write(pair.near, octets, OCTETS) == OCTETS);
    CHECK(close(pair.near) == 0);
    CHECK((await(pair.far, POLLRDHUP) & POLLRDHUP) != 0);
    return pair;
}

/* ---- Threads that wait when it ends ---- */

static struct pair waited[3];
static int waiting_listener;

static void *receive_in_vain(void *argument) {
    char octet;
    (void)argument;
    CHECK_ERRNO(ECONNRESET, recv(waited[0].near, &octet, 1, 0) == -1);
    return NULL;
}

static void *poll_in_vain(void *argument) {
    (void)argument;
    CHECK((await(waited[1].near, POLLIN) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    return NULL;
}

static void *wait_in_vain(void *argument) {
    (void)argument;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, waited[2].near, EPOLLIN | EPOLLET);
    CHECK((next_event(epoll, waited[2].near) & (EPOLLERR | EPOLLHUP)) == (EPOLLERR | EPOLLHUP));
    CHECK(close(epoll) == 0);
    return NULL;
}

/* Goes on with the kernel's clients. */
static void *accept_one(void *argument) {
    (void)argument;
    int far = accept(waiting_listener, NULL, NULL);
    CHECK(far >= 0 && close(far) == 0);
    return NULL;
}

static void *(*const THREADS[])(void *) = {receive_in_vain, poll_in_vain, wait_in_vain, accept_one};
#define THREAD_COUNT (sizeof THREADS / sizeof THREADS[0])

static uint16_t begin_to_wait(pthread_t threads[THREAD_COUNT]) {
    uint16_t port;
    for (size_t i = 0; i < sizeof waited / sizeof waited[0]; i++) {
        waited[i] = connect_pair();
    }
    waiting_listener = listen_at("0.0.0.0", &port);
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        CHECK(pthread_create(&threads[i], NULL, THREADS[i], NULL) == 0);
    }
    return port;
}

static void end_waiting(const pthread_t threads[THREAD_COUNT], uint16_t port) {
    struct sockaddr_in to = address_of("127.0.0.1", port);
    int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(connect(near, (struct sockaddr *)&to, sizeof to) == 0);
    for (size_t i = 0; i < THREAD_COUNT; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    for (size_t i = 0; i < sizeof waited / sizeof waited[0]; i++) {
        close_pair(&waited[i]);
    }
    CHECK(close(near) == 0 && close(waiting_listener) == 0);
}

int main(void) {
    struct pair read_later = end_unread(), closed_later = end_unread(), open = connect_pair(), bridged = connect_pair();
    pthread_t threads[THREAD_COUNT];
    char octets[OCTETS];
    uint16_t port, waiting_port = begin_to_wait(threads);
    int polled_listener = listen_at(FAR_ADDRESS, &port), listener = listen_at(FAR_ADDRESS, &port);
    set_nonblocking(listener, true);
    CHECK(dprintf(bridged.near, "x") == 1);
    expect_text(bridged.far, "x");
    say("ready");
    end_waiting(threads, waiting_port);
    CHECK_ERRNO(ECONNRESET, read(bridged.near, octets, OCTETS) == -1);
    expect_end(bridged.near);
    close_pair(&bridged);
    CHECK_ERRNO(ECONNRESET, read(open.far, octets, OCTETS) == -1);
    CHECK((await(open.near, POLLIN) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    /* What has come stays. */
    CHECK(recv(read_later.far, octets, OCTETS, MSG_WAITALL) == OCTETS);
    expect_end(read_later.far);
    CHECK(close(closed_later.far) == 0 && close(closed_later.listener) == 0);
    CHECK(close(read_later.far) == 0 && close(read_later.listener) == 0);
    close_pair(&open);
    /* The kernel's listener goes on, at which nobody waits. */
    struct pollfd polled = {.fd = polled_listener, .events = POLLIN};
    CHECK(poll(&polled, 1, 0) == 0 && close(polled_listener) == 0);
    CHECK_ERRNO(EAGAIN, accept(listener, NULL, NULL) == -1);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_ERRNO(ENETDOWN, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(made) == 0);
    say("lost");
    struct pair pairs[5];
    for (int i = 0; i < 5; i++) {
        pairs[i] = connect_pair();
        CHECK(write(pairs[i].near, octets, OCTETS) == OCTETS);
        CHECK(recv(pairs[i].far, octets, OCTETS, MSG_WAITALL) == OCTETS);
    }
    for (int i = 0; i < 5; i++) {
        close_pair(&pairs[i]);
    }
    CHECK(close(listener) == 0);
    puts("done");
    return 0;
}
