/* epoll, poll and select, with rddp's sockets among other descriptors. */
#include "ends.h"

static void should_report_a_level_again_and_again(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, pair.far, EPOLLIN);
    expect_nothing(epoll);
    send_text(pair.near, "ab");
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    expect_text(pair.far, "a");
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    expect_text(pair.far, "b");
    expect_nothing(epoll);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.fd = pair.far};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, pair.far, &event) == 0);
    CHECK(next_event(epoll, pair.far) == EPOLLOUT);
    CHECK(next_event(epoll, pair.far) == EPOLLOUT);
    CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, pair.far, NULL) == 0);
    CHECK_ERRNO(ENOENT, epoll_ctl(epoll, EPOLL_CTL_MOD, pair.far, &event) == -1);
    CHECK_ERRNO(EINVAL, epoll_ctl(pair.near, EPOLL_CTL_ADD, pair.far, &event) == -1);
    CHECK_ERRNO(EBADF, epoll_ctl(-1, EPOLL_CTL_ADD, pair.far, &event) == -1);
    expect_nothing(epoll);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_report_an_edge_once(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, pair.far, EPOLLIN | EPOLLOUT | EPOLLET);
    CHECK(next_event(epoll, pair.far) == EPOLLOUT);
    expect_nothing(epoll);
    send_text(pair.near, "a");
    CHECK(next_event(epoll, pair.far) == (EPOLLIN | EPOLLOUT));
    expect_nothing(epoll);
    send_text(pair.near, "b");
    CHECK(next_event(epoll, pair.far) == (EPOLLIN | EPOLLOUT));
    expect_text(pair.far, "ab");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    CHECK((next_event(epoll, pair.far) & EPOLLIN) != 0);
    expect_nothing(epoll);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_report_room_after_it_has_reported_octets(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    static const uint8_t octets[1 << 16];
    static uint8_t read_there[1 << 16];
    add(epoll, pair.near, EPOLLIN | EPOLLOUT | EPOLLET);
    CHECK(next_event(epoll, pair.near) == EPOLLOUT);
    size_t left = 0;
    uint32_t events = EPOLLOUT;
    while ((events & EPOLLOUT) != 0) {
        for (ssize_t sent = 1; sent > 0; left += sent > 0 ? (size_t)sent : 0) {
            sent = send(pair.near, octets, sizeof octets, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
        send_text(pair.far, "a");
        events = next_event(epoll, pair.near);
        expect_text(pair.near, "a");
    }
    CHECK(events == EPOLLIN);
    while (left > 0) {
        ssize_t got = recv(pair.far, read_there, sizeof read_there, 0);
        CHECK(got > 0);
        left -= (size_t)got;
    }
    CHECK(next_event(epoll, pair.near) == EPOLLOUT);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_report_a_oneshot_until_it_is_armed_again(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, pair.far, EPOLLIN | EPOLLONESHOT);
    send_text(pair.near, "a");
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    send_text(pair.near, "b");
    expect_nothing(epoll);
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = pair.far};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, pair.far, &event) == 0);
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_report_sockets_that_connect_after_they_are_added(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port), epoll = epoll_create1(EPOLL_CLOEXEC);
    int near = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    CHECK(epoll >= 0 && near >= 0);
    add(epoll, near, EPOLLOUT | EPOLLET);
    struct epoll_event event;
    CHECK(epoll_wait(epoll, &event, 1, DEADLINE_MS) == 1);  /* a socket without connection has hung up */
    CHECK_ERRNO(EINPROGRESS, connect(near, (struct sockaddr *)&to, sizeof to) == -1);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    CHECK(next_event(epoll, near) == EPOLLOUT);
    CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0 && close(epoll) == 0);
}

static void should_report_listeners(void) {
    uint16_t port;
    int listener = listen_at("0.0.0.0", &port), epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, listener, EPOLLIN);
    expect_nothing(epoll);
    for (int i = 0; i < 2; i++) {
        int near = begin_connect(i == 0 ? FAR_ADDRESS : "127.0.0.1", port);
        CHECK(next_event(epoll, listener) == EPOLLIN);
        int far = accept(listener, NULL, NULL);
        CHECK(far >= 0 && close(far) == 0 && close(near) == 0);
    }
    CHECK(close(listener) == 0 && close(epoll) == 0);
}

static void should_forget_what_is_closed(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, pair.far, EPOLLIN);
    send_text(pair.near, "x");
    CHECK(next_event(epoll, pair.far) == EPOLLIN);
    close_pair(&pair);
    expect_nothing(epoll);
    CHECK(close(epoll) == 0);
}

static void should_report_what_has_been_quiet_for_long(void) {
    struct pair pair = connect_pair();
    int pipe_ends[2], epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[2];
    CHECK(pipe(pipe_ends) == 0 && write(pipe_ends[1], "p", 1) == 1);
    add(epoll, pair.far, EPOLLIN);
    add(epoll, pipe_ends[0], EPOLLIN);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 600; i++) {
            CHECK(epoll_wait(epoll, events, 2, -1) == 1 && events[0].data.fd == pipe_ends[0]);
        }
        send_text(pair.near, "x");
        while (epoll_wait(epoll, events, 2, -1) != 2) {
        }
        expect_text(pair.far, "x");
    }
    close_pair(&pair);
    CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0 && close(epoll) == 0);
}

static void should_report_what_is_removed_and_added_again(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    add(epoll, pair.far, EPOLLOUT);
    for (int i = 0; i < 20; i++) {
        CHECK(next_event(epoll, pair.far) == EPOLLOUT);
        CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, pair.far, NULL) == 0);
        CHECK_ERRNO(ENOENT, epoll_ctl(epoll, EPOLL_CTL_DEL, pair.far, NULL) == -1);
        CHECK_ERRNO(ENOENT, epoll_ctl(epoll, EPOLL_CTL_MOD, pair.far, &event) == -1);
        send_text(pair.near, "x");
        expect_nothing(epoll);
        add(epoll, pair.far, EPOLLIN);
        event.data.fd = pair.far;
        CHECK_ERRNO(EEXIST, epoll_ctl(epoll, EPOLL_CTL_ADD, pair.far, &event) == -1);
        CHECK(next_event(epoll, pair.far) == EPOLLIN);
        expect_text(pair.far, "x");
        CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, pair.far, NULL) == 0);
        add(epoll, pair.far, EPOLLOUT);
    }
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_wait_for_pipes_too(void) {
    struct pair pair = connect_pair();
    int pipe_ends[2], epoll = epoll_create1(EPOLL_CLOEXEC);
    char octet;
    CHECK(pipe(pipe_ends) == 0);
    add(epoll, pair.far, EPOLLIN);
    add(epoll, pipe_ends[0], EPOLLIN);
    fd_set reads;
    for (int i = 0; i < 20; i++) {
        CHECK(write(pipe_ends[1], "p", 1) == 1);
        CHECK(next_event(epoll, pipe_ends[0]) == EPOLLIN);
        struct pollfd polled[] = {{.fd = pair.far, .events = POLLIN}, {.fd = -1}, {.fd = pipe_ends[0], .events = POLLIN}};
        CHECK(poll(polled, 3, DEADLINE_MS) == 1 && polled[0].revents == 0 && polled[2].revents == POLLIN);
        CHECK(read(pipe_ends[0], &octet, 1) == 1);
        send_text(pair.near, "s");
        CHECK(next_event(epoll, pair.far) == EPOLLIN);
        CHECK(poll(polled, 3, DEADLINE_MS) == 1 && polled[0].revents == POLLIN && polled[2].revents == 0);
        FD_ZERO(&reads);
        FD_SET(pair.far, &reads);
        FD_SET(pipe_ends[0], &reads);
        int most = pair.far > pipe_ends[0] ? pair.far : pipe_ends[0];
        CHECK(select(most + 1, &reads, NULL, NULL, NULL) == 1);
        CHECK(FD_ISSET(pair.far, &reads) && !FD_ISSET(pipe_ends[0], &reads));
        expect_text(pair.far, "s");
    }
    /* Both at once. */
    send_text(pair.near, "s");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    CHECK(write(pipe_ends[1], "p", 1) == 1);
    struct epoll_event events[2];
    CHECK(epoll_wait(epoll, events, 2, 0) == 2);
    struct pollfd polled[] = {{.fd = pair.far, .events = POLLIN}, {.fd = pipe_ends[0], .events = POLLIN}};
    CHECK(poll(polled, 2, 0) == 2);
    close_pair(&pair);
    CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0 && close(epoll) == 0);
}

/* With room for one event, while both have some. */
static void should_take_turns_with_pipes(void) {
    struct pair pair = connect_pair();
    int pipe_ends[2], epoll = epoll_create1(EPOLL_CLOEXEC), of_pipe = 0, of_stream = 0;
    static const int timeouts[] = {0, DEADLINE_MS};
    CHECK(pipe(pipe_ends) == 0 && write(pipe_ends[1], "p", 1) == 1);
    add(epoll, pipe_ends[0], EPOLLIN);
    add(epoll, pair.far, EPOLLIN);
    send_text(pair.near, "s");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    for (size_t t = 0; t < 2; t++) {
        for (int i = 0; i < 40; i++) {
            struct epoll_event event;
            CHECK(epoll_wait(epoll, &event, 1, timeouts[t]) == 1);
            of_pipe += event.data.fd == pipe_ends[0];
            of_stream += event.data.fd == pair.far;
        }
        CHECK(of_pipe >= 10 && of_stream >= 10);
        of_pipe = of_stream = 0;
    }
    close_pair(&pair);
    CHECK(close(pipe_ends[0]) == 0 && close(pipe_ends[1]) == 0 && close(epoll) == 0);
}

static void *wait_once(void *argument) {
    struct epoll_event event;
    return (void *)(intptr_t)epoll_wait(*(int *)argument, &event, 1, DEADLINE_MS);
}

static void should_wake_a_thread_by_what_another_one_adds(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    pthread_t thread;
    void *result;
    add(epoll, pair.far, EPOLLIN);
    CHECK(pthread_create(&thread, NULL, wait_once, &epoll) == 0);
    struct epoll_event event = {.events = EPOLLOUT};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, pair.near, &event) == 0);
    CHECK(pthread_join(thread, &result) == 0 && (intptr_t)result == 1);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

static void should_wait_for_nanoseconds(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    const struct timespec none = {0}, some = {.tv_nsec = 1000}, long_time = {.tv_sec = DEADLINE_MS / 1000};
    CHECK(epoll_pwait2(epoll, &event, 1, &none, NULL) == 0);  /* the kernel's */
    add(epoll, pair.far, EPOLLIN);
    CHECK(epoll_pwait2(epoll, &event, 1, &none, NULL) == 0);
    CHECK(epoll_pwait2(epoll, &event, 1, &some, NULL) == 0);
    send_text(pair.near, "x");
    CHECK(epoll_pwait2(epoll, &event, 1, &long_time, NULL) == 1 && event.data.fd == pair.far && event.events == EPOLLIN);
    CHECK(epoll_pwait2(epoll, &event, 1, NULL, NULL) == 1);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

/* The kernel has been watching it for octets when room is asked for, too, as redis does with a replica that it sends a file. */
static void should_report_room_that_is_asked_for_later(void) {
    static const uint8_t octets[1 << 14];
    static uint8_t read_there[1 << 16];
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.fd = pair.near}, got;
    add(epoll, pair.near, EPOLLIN);
    for (int i = 0; i < 16; i++) {
        CHECK(epoll_wait(epoll, &got, 1, 1) == 0);
    }
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, pair.near, &event) == 0);
    size_t left = 0;
    while (epoll_wait(epoll, &got, 1, 20) == 1) {
        ssize_t sent = send(pair.near, octets, sizeof octets, MSG_DONTWAIT);
        CHECK(sent > 0);
        left += (size_t)sent;
    }
    while (left > 0) {
        ssize_t got_there = recv(pair.far, read_there, sizeof read_there, 0);
        CHECK(got_there > 0);
        left -= (size_t)got_there;
    }
    CHECK(next_event(epoll, pair.near) == EPOLLOUT);
    close_pair(&pair);
    CHECK(close(epoll) == 0);
}

int main(void) {
    RUN(should_report_a_level_again_and_again);
    RUN(should_report_an_edge_once);
    RUN(should_report_room_after_it_has_reported_octets);
    RUN(should_report_room_that_is_asked_for_later);
    RUN(should_report_a_oneshot_until_it_is_armed_again);
    RUN(should_report_sockets_that_connect_after_they_are_added);
    RUN(should_report_listeners);
    RUN(should_forget_what_is_closed);
    RUN(should_report_what_has_been_quiet_for_long);
    RUN(should_report_what_is_removed_and_added_again);
    RUN(should_wait_for_pipes_too);
    RUN(should_take_turns_with_pipes);
    RUN(should_wait_for_nanoseconds);
    RUN(should_wake_a_thread_by_what_another_one_adds);
    puts("done");
    return 0;
}
