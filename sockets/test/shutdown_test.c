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

static void tests(void) {
    RUN(should_wake_who_waits_for_what_is_ended);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, tests);
}
