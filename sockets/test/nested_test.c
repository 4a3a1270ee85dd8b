/* Epoll instances within others and in poll, and threads that wait before there is anything of rddp's. */
#include <sys/syscall.h>

#include "ends.h"

/* A connection whose far end is in `inner`, which is in `outer`. */
struct nest {
    struct pair pair;
    int inner, outer;
};

static struct nest make_nest(uint32_t inner_events, uint32_t outer_events) {
    struct nest nest = {.inner = epoll_create1(EPOLL_CLOEXEC), .outer = epoll_create1(EPOLL_CLOEXEC)};
    add(nest.outer, nest.inner, outer_events);
    expect_nothing(nest.outer);
    nest.pair = connect_pair();
    add(nest.inner, nest.pair.far, inner_events);
    expect_nothing(nest.outer);
    return nest;
}

static void close_nest(const struct nest *nest) {
    close_pair(&nest->pair);
    CHECK(close(nest->inner) == 0 && close(nest->outer) == 0);
}

/* ---- Threads that wait ---- */

struct waiter {
    pthread_t thread;
    int epoll, polled;  /* one of them is -1 */
    _Atomic pid_t id;
    int reported;
};

static void *wait_once(void *argument) {
    struct waiter *waiter = argument;
    struct epoll_event event = {.data.fd = -1};
    struct pollfd polled = {.fd = waiter->polled, .events = POLLIN};
    waiter->id = (pid_t)syscall(SYS_gettid);
    if (waiter->epoll >= 0) {
        CHECK(epoll_wait(waiter->epoll, &event, 1, DEADLINE_MS) == 1);
        waiter->reported = event.data.fd;
    } else {
        CHECK(poll(&polled, 1, DEADLINE_MS) == 1 && polled.revents == POLLIN);
        waiter->reported = polled.fd;
    }
    return NULL;
}

static bool is_asleep(pid_t thread) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL && fclose(file) == 0);
    return strstr(line, ") S ") != NULL;
}

/* Starts a thread, and returns when it sleeps in its wait. */
static void begin_wait(struct waiter *waiter, int epoll, int polled) {
    *waiter = (struct waiter){.epoll = epoll, .polled = polled};
    CHECK(pthread_create(&waiter->thread, NULL, wait_once, waiter) == 0);
    while (waiter->id == 0 || !is_asleep(waiter->id)) {
        sched_yield();
    }
}

static void expect_report(struct waiter *waiter, int descriptor) {
    CHECK(pthread_join(waiter->thread, NULL) == 0);
    CHECK(waiter->reported == descriptor);
}

/* ---- Tests ---- */

static void should_report_a_level_of_an_inner_instance(void) {
    struct nest nest = make_nest(EPOLLIN, EPOLLIN);
    for (int i = 0; i < 2; i++) {
        send_text(nest.pair.near, "ab");
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        CHECK(next_event(nest.inner, nest.pair.far) == EPOLLIN);
        expect_text(nest.pair.far, "a");
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        expect_text(nest.pair.far, "b");
        expect_nothing(nest.outer);
    }
    struct epoll_event event = {.events = EPOLLOUT, .data.fd = nest.pair.far};
    CHECK(epoll_ctl(nest.inner, EPOLL_CTL_MOD, nest.pair.far, &event) == 0);
    CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
    CHECK(epoll_ctl(nest.inner, EPOLL_CTL_DEL, nest.pair.far, NULL) == 0);
    expect_nothing(nest.outer);
    close_nest(&nest);
}

static void should_report_what_was_ready_before_it_is_nested(void) {
    struct pair pair = connect_pair();
    int inner = epoll_create(1), outer = epoll_create(1);
    add(inner, pair.far, EPOLLIN | EPOLLET);
    send_text(pair.near, "x");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    add(outer, inner, EPOLLIN);
    CHECK(next_event(outer, inner) == EPOLLIN);
    CHECK(next_event(outer, inner) == EPOLLIN);
    CHECK(next_event(inner, pair.far) == EPOLLIN);  /* the looks at the outer one have not taken the edge */
    expect_nothing(outer);
    CHECK(epoll_ctl(outer, EPOLL_CTL_DEL, inner, NULL) == 0);
    send_text(pair.near, "x");
    CHECK(next_event(inner, pair.far) == EPOLLIN);
    expect_nothing(outer);
    close_pair(&pair);
    CHECK(close(inner) == 0 && close(outer) == 0);
}

static void should_report_an_edge_of_an_inner_instance_once(void) {
    struct nest nest = make_nest(EPOLLIN, EPOLLIN | EPOLLET);
    for (int i = 0; i < 2; i++) {
        send_text(nest.pair.near, "x");
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        expect_nothing(nest.outer);
        CHECK(next_event(nest.inner, nest.pair.far) == EPOLLIN);
    }
    close_nest(&nest);
}

static void should_report_an_inner_instance_until_it_is_armed_again(void) {
    struct nest nest = make_nest(EPOLLIN | EPOLLONESHOT, EPOLLIN | EPOLLONESHOT);
    struct epoll_event again = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = nest.inner};
    struct epoll_event far = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = nest.pair.far};
    for (int i = 0; i < 2; i++) {
        send_text(nest.pair.near, "x");
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        expect_nothing(nest.outer);
        CHECK(epoll_ctl(nest.outer, EPOLL_CTL_MOD, nest.inner, &again) == 0);
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        CHECK(next_event(nest.inner, nest.pair.far) == EPOLLIN);
        CHECK(epoll_ctl(nest.outer, EPOLL_CTL_MOD, nest.inner, &again) == 0);
        expect_nothing(nest.outer);
        expect_text(nest.pair.far, "x");
        CHECK(epoll_ctl(nest.inner, EPOLL_CTL_MOD, nest.pair.far, &far) == 0);
        expect_nothing(nest.outer);
    }
    close_nest(&nest);
}

static void should_report_rddps_and_the_kernels(void) {
    struct nest nest = make_nest(EPOLLIN, EPOLLIN);
    int pipe_ends[2];
    char octet;
    CHECK(pipe(pipe_ends) == 0);
    add(nest.inner, pipe_ends[0], EPOLLIN);
    for (int i = 0; i < 4; i++) {
        CHECK(write(pipe_ends[1], "p", 1) == 1);
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        CHECK(next_event(nest.inner, pipe_ends[0]) == EPOLLIN);
        CHECK(read(pipe_ends[0], &octet, 1) == 1);
        expect_nothing(nest.outer);
        send_text(nest.pair.near, "s");
        CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
        CHECK(next_event(nest.inner, nest.pair.far) == EPOLLIN);
        expect_text(nest.pair.far, "s");
        expect_nothing(nest.outer);
    }
    CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0);
    close_nest(&nest);
}

/* As the kernel: five deep, and no circle. */
static void should_nest_as_deep_as_the_kernel(void) {
    struct pair pair = connect_pair();
    int epolls[6];
    int deep = 0;
    for (epolls[0] = epoll_create1(0); deep < 5; deep++) {
        epolls[deep + 1] = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = epolls[deep]};
        if (epoll_ctl(epolls[deep + 1], EPOLL_CTL_ADD, epolls[deep], &event) != 0) {
            break;
        }
    }
    CHECK(deep == 4 && errno == ELOOP);
    struct epoll_event event = {.events = EPOLLIN};
    CHECK_ERRNO(ELOOP, epoll_ctl(epolls[0], EPOLL_CTL_ADD, epolls[deep], &event) == -1);
    CHECK_ERRNO(EINVAL, epoll_ctl(epolls[0], EPOLL_CTL_ADD, epolls[0], &event) == -1);
    CHECK_ERRNO(EEXIST, epoll_ctl(epolls[1], EPOLL_CTL_ADD, epolls[0], &event) == -1);
    struct waiter waiter;
    begin_wait(&waiter, epolls[deep], -1);
    add(epolls[0], pair.far, EPOLLIN);
    send_text(pair.near, "x");
    expect_report(&waiter, epolls[deep - 1]);
    for (int at = deep; at > 0; at--) {
        CHECK(next_event(epolls[at], epolls[at - 1]) == EPOLLIN);
    }
    CHECK(next_event(epolls[0], pair.far) == EPOLLIN);
    expect_text(pair.far, "x");
    expect_nothing(epolls[deep]);
    close_pair(&pair);
    for (int at = 0; at <= deep + 1; at++) {
        CHECK(close(epolls[at]) == 0);
    }
}

/* The kernel knows nothing of the stream: threads that sleep there have to leave it. */
static void should_wake_threads_that_wait_before_the_first_socket(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct waiter waiters[3];
    for (int i = 0; i < 3; i++) {
        begin_wait(&waiters[i], epoll, -1);
    }
    add(epoll, pair.far, EPOLLIN);
    send_text(pair.near, "x");
    for (int i = 0; i < 3; i++) {
        expect_report(&waiters[i], pair.far);
    }
    expect_text(pair.far, "x");
    expect_nothing(epoll);
    CHECK(look(epoll, POLLIN) == 0);  /* what has woken them is gone */
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_wake_nobody_for_a_thread_that_is_cancelled(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct waiter waiter;
    void *result;
    begin_wait(&waiter, epoll, -1);
    CHECK(pthread_cancel(waiter.thread) == 0);
    CHECK(pthread_join(waiter.thread, &result) == 0 && result == PTHREAD_CANCELED);
    add(epoll, pair.far, EPOLLIN);
    CHECK(look(epoll, POLLIN) == 0);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_wake_a_thread_that_waits_before_the_first_instance(void) {
    struct pair pair = connect_pair();
    int inner = epoll_create1(EPOLL_CLOEXEC), outer = epoll_create1(EPOLL_CLOEXEC);
    struct waiter waiter;
    begin_wait(&waiter, outer, -1);
    add(outer, inner, EPOLLIN | EPOLLONESHOT);
    add(inner, pair.far, EPOLLIN | EPOLLONESHOT);
    send_text(pair.near, "x");
    expect_report(&waiter, inner);
    CHECK(next_event(inner, pair.far) == EPOLLIN);
    close_pair(&pair);
    CHECK(close(inner) == 0 && close(outer) == 0);
}

static void should_wake_a_thread_by_a_connection(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    int inner = epoll_create1(EPOLL_CLOEXEC), outer = epoll_create1(EPOLL_CLOEXEC);
    struct waiter waiter;
    add(outer, inner, EPOLLIN);
    add(inner, listener, EPOLLIN);
    begin_wait(&waiter, outer, -1);
    int near = begin_connect(FAR_ADDRESS, port);
    expect_report(&waiter, inner);
    CHECK(next_event(inner, listener) == EPOLLIN);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    expect_nothing(outer);
    CHECK(close(far) == 0 && close(near) == 0 && close(listener) == 0 && close(inner) == 0 && close(outer) == 0);
}

static void should_poll_an_instance(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct waiter waiter;
    begin_wait(&waiter, -1, epoll);
    add(epoll, pair.far, EPOLLIN | EPOLLET);
    CHECK(look(epoll, POLLIN) == 0);
    send_text(pair.near, "x");
    expect_report(&waiter, epoll);
    CHECK(look(epoll, POLLIN | POLLOUT) == POLLIN);
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(epoll, &reads);
    CHECK(select(epoll + 1, &reads, NULL, NULL, NULL) == 1 && FD_ISSET(epoll, &reads));
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    CHECK(look(epoll, POLLIN) == 0);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_forget_an_instance_that_is_closed(void) {
    struct nest nest = make_nest(EPOLLIN, EPOLLIN);
    send_text(nest.pair.near, "x");
    CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
    CHECK(close(nest.inner) == 0);
    expect_nothing(nest.outer);
    /* One of the same number has nothing of it. */
    CHECK(epoll_create1(EPOLL_CLOEXEC) == nest.inner);
    expect_nothing(nest.inner);
    add(nest.outer, nest.inner, EPOLLIN);
    add(nest.inner, nest.pair.far, EPOLLIN);
    CHECK(next_event(nest.outer, nest.inner) == EPOLLIN);
    CHECK(close(nest.outer) == 0);
    CHECK(next_event(nest.inner, nest.pair.far) == EPOLLIN);
    CHECK(epoll_create1(EPOLL_CLOEXEC) == nest.outer);
    send_text(nest.pair.near, "x");
    expect_nothing(nest.outer);
    close_nest(&nest);
}

static void should_report_to_duplicates(void) {
    struct nest nest = make_nest(EPOLLIN, EPOLLIN);
    int inner = dup(nest.inner), outer = dup(nest.outer), unused = epoll_create1(EPOLL_CLOEXEC);
    CHECK(inner >= 0 && outer >= 0);
    send_text(nest.pair.near, "x");
    CHECK(next_event(outer, nest.inner) == EPOLLIN);
    CHECK(next_event(inner, nest.pair.far) == EPOLLIN);
    expect_text(nest.pair.far, "x");
    CHECK(close(nest.inner) == 0 && close(nest.outer) == 0);
    /* The instance is in the other one until its last descriptor is closed. */
    send_text(nest.pair.near, "x");
    CHECK(next_event(outer, nest.inner) == EPOLLIN);
    CHECK(next_event(inner, nest.pair.far) == EPOLLIN);
    CHECK(close(inner) == 0);
    expect_nothing(outer);
    /* The first socket comes by the one, and a thread waits at the other. */
    CHECK(dup2(unused, inner) == inner);
    struct waiter waiter;
    begin_wait(&waiter, unused, -1);
    add(inner, nest.pair.far, EPOLLIN);
    expect_report(&waiter, nest.pair.far);
    close_pair(&nest.pair);
    CHECK(close(unused) == 0 && close(inner) == 0 && close(outer) == 0);
}

int main(void) {
    RUN(should_report_a_level_of_an_inner_instance);
    RUN(should_report_what_was_ready_before_it_is_nested);
    RUN(should_report_an_edge_of_an_inner_instance_once);
    RUN(should_report_an_inner_instance_until_it_is_armed_again);
    RUN(should_report_rddps_and_the_kernels);
    RUN(should_nest_as_deep_as_the_kernel);
    RUN(should_wake_threads_that_wait_before_the_first_socket);
    RUN(should_wake_nobody_for_a_thread_that_is_cancelled);
    RUN(should_wake_a_thread_that_waits_before_the_first_instance);
    RUN(should_wake_a_thread_by_a_connection);
    RUN(should_poll_an_instance);
    RUN(should_forget_an_instance_that_is_closed);
    RUN(should_report_to_duplicates);
    puts("done");
    return 0;
}
