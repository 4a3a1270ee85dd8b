/* Threads that wait while another one ends a direction of their connection. */
#include "both.h"

#include "threads.h"

struct waiting {
    int descriptor;
    short events;  /* POLLIN: it receives; POLLOUT: it sends */
    void (*wait)(int descriptor, short events);  /* NULL: the call itself waits */
};

static void by_poll(int descriptor, short events) {
    CHECK((await(descriptor, events) & events) != 0);
}

static void by_epoll(int descriptor, uint32_t events) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll >= 0);
    add(epoll, descriptor, events);
    CHECK((next_event(epoll, descriptor) & events & (EPOLLIN | EPOLLOUT)) != 0);
    CHECK(close(epoll) == 0);
}

static void by_level(int descriptor, short events) {
    by_epoll(descriptor, (uint32_t)events);
}

static void by_edge(int descriptor, short events) {
    by_epoll(descriptor, (uint32_t)events | EPOLLET);
}

static ssize_t transfer(const struct waiting *waiting, int flags) {
    static char octets[1 << 16];
    return waiting->events == POLLIN ? recv(waiting->descriptor, octets, sizeof octets, flags)
                                     : send(waiting->descriptor, octets, sizeof octets, flags | MSG_NOSIGNAL);
}

static void *transfer_to_the_end(void *argument) {
    const struct waiting *waiting = argument;
    ssize_t done;
    while ((done = transfer(waiting, waiting->wait == NULL ? 0 : MSG_DONTWAIT)) > 0 || (done < 0 && errno == EAGAIN)) {
        if (done < 0) {
            waiting->wait(waiting->descriptor, waiting->events);
        }
    }
    CHECK(waiting->events == POLLIN ? done == 0 : done == -1 && errno == EPIPE);
    return NULL;
}

static void expect_to_wake(struct waiting *waiting, int how) {
    struct pair pair = connect_pair();
    pthread_t thread;
    waiting->descriptor = pair.near;
    CHECK(pthread_create(&thread, NULL, transfer_to_the_end, waiting) == 0);
    await_threads(getpid(), 'S');
    CHECK(shutdown(pair.near, how) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    close_pair(&pair);
}

static void should_wake_who_waits_for_what_is_ended(void) {
    static void (*const waits[])(int, short) = {NULL, by_poll, by_level, by_edge};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        struct waiting reader = {.events = POLLIN, .wait = waits[i]}, writer = {.events = POLLOUT, .wait = waits[i]};
        expect_to_wake(&reader, SHUT_RD);
        expect_to_wake(&reader, SHUT_RDWR);
        expect_to_wake(&writer, SHUT_WR);
        expect_to_wake(&writer, SHUT_RDWR);
    }
}

/* ---- Of both ends ---- */

static void poll_for_nothing(int descriptor) {
    struct pollfd polled = {.fd = descriptor};
    CHECK(poll(&polled, 1, -1) == 1 && polled.revents == POLLHUP);
}

static void wait_for_nothing(int descriptor) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    add(epoll, descriptor, 0);
    CHECK(epoll_wait(epoll, &event, 1, -1) == 1 && event.events == EPOLLHUP);
    CHECK(close(epoll) == 0);
}

static void wait_within_another_one(int descriptor) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    struct pollfd polled = {.fd = epoll, .events = POLLIN};
    add(epoll, descriptor, 0);
    do {
        CHECK(poll(&polled, 1, -1) == 1);
    } while (epoll_wait(epoll, &event, 1, 0) == 0);
    CHECK(event.events == EPOLLHUP && close(epoll) == 0);
}

static struct {
    int descriptor;
    void (*wait)(int descriptor);
} awaited;

static void *await_both_ends(void *argument) {
    (void)argument;
    awaited.wait(awaited.descriptor);
    return NULL;
}

static void should_wake_who_asks_for_nothing(void) {
    static void (*const waits[])(int) = {poll_for_nothing, wait_for_nothing, wait_within_another_one};
    for (size_t i = 0; i < 2 * (sizeof waits / sizeof waits[0]); i++) {
        struct pair pair = connect_pair();
        int first = i % 2 == 0 ? pair.near : pair.far, second = i % 2 == 0 ? pair.far : pair.near;
        pthread_t thread;
        awaited.descriptor = pair.near;
        awaited.wait = waits[i / 2];
        CHECK(pthread_create(&thread, NULL, await_both_ends, NULL) == 0);
        await_threads(getpid(), 'S');
        send_text(pair.far, "not asked for");
        CHECK(shutdown(first, SHUT_WR) == 0);
        await_threads(getpid(), 'S');
        CHECK(shutdown(second, SHUT_WR) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        close_pair(&pair);
    }
}

static void tests(void) {
    RUN(should_wake_who_waits_for_what_is_ended);
    RUN(should_wake_who_asks_for_nothing);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, tests);
}
