/* Processes: children that inherit connections and listeners, and ends that are killed. */
#include "ends.h"

static void expect_success(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static pid_t start(void) {
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

static void should_give_a_child_what_its_parent_closes(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        CHECK(getpeername(pair.far, (struct sockaddr *)&peer, &length) == 0 && peer.sin_family == AF_INET);
        expect_text(pair.far, "question");
        send_text(pair.far, "answer");
        expect_end(pair.far);
        send_text(pair.far, "end");
        exit(0);
    }
    CHECK(close(pair.far) == 0);
    send_text(pair.near, "question");
    expect_text(pair.near, "answer");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    expect_text(pair.near, "end");
    expect_end(pair.near);
    expect_success(child);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void should_go_on_when_a_child_ends(void) {
    struct pair pair = connect_pair();
    for (int i = 0; i < 3; i++) {
        pid_t child = start();
        if (child == 0) {
            _exit(0);
        }
        expect_success(child);
        send_text(pair.near, "question");
        expect_text(pair.far, "question");
        send_text(pair.far, "answer");
        expect_text(pair.near, "answer");
    }
    pid_t child = start();
    if (child == 0) {
        send_text(pair.far, "from the child");
        exit(0);
    }
    expect_success(child);
    expect_text(pair.near, "from the child");
    send_text(pair.far, "from the parent");
    expect_text(pair.near, "from the parent");
    close_pair(&pair);
}

/* The child waits at the listener, and the parent does not. */
static void should_give_a_child_the_port(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port), ready[2];
    CHECK(pipe(ready) == 0);
    pid_t child = start();
    if (child == 0) {
        struct pollfd polled = {.fd = listener, .events = POLLIN};
        CHECK(poll(&polled, 1, 0) == 0);  /* it listens from now on */
        CHECK(write(ready[1], "r", 1) == 1);
        int far = accept(listener, NULL, NULL);
        CHECK(far >= 0);
        expect_text(far, "to the child");
        CHECK(close(far) == 0);
        exit(0);
    }
    char octet;
    CHECK(read(ready[0], &octet, 1) == 1);
    int near = begin_connect(FAR_ADDRESS, port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    send_text(near, "to the child");
    set_nonblocking(near, false);
    expect_end(near);
    expect_success(child);
    CHECK(close(near) == 0 && close(listener) == 0 && close(ready[0]) == 0 && close(ready[1]) == 0);
}

static void should_share_instances_with_its_parent(void) {
    struct pair pair = connect_pair();
    int inner = epoll_create1(0), outer = epoll_create1(0);
    add(outer, inner, EPOLLIN);
    add(inner, pair.far, EPOLLIN);
    pid_t child = start();
    if (child == 0) {
        CHECK(next_event(outer, inner) == EPOLLIN);
        CHECK(next_event(inner, pair.far) == EPOLLIN);
        expect_text(pair.far, "to the child");
        expect_nothing(inner);
        exit(0);
    }
    send_text(pair.near, "to the child");
    expect_success(child);
    expect_nothing(outer);
    send_text(pair.near, "to the parent");
    CHECK(next_event(outer, inner) == EPOLLIN);
    CHECK(next_event(inner, pair.far) == EPOLLIN);
    expect_text(pair.far, "to the parent");
    close_pair(&pair);
    CHECK(close(inner) == 0 && close(outer) == 0);
}

static void should_send_everything_before_the_process_ends(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    static char octets[100000];
    pid_t child = start();
    if (child == 0) {
        CHECK(close(listener) == 0);
        int near = begin_connect(FAR_ADDRESS, port);
        CHECK(await(near, POLLOUT) == POLLOUT);
        set_nonblocking(near, false);
        CHECK(write(near, octets, sizeof octets) == (ssize_t)sizeof octets);
        _exit(0);
    }
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    CHECK(recv(far, octets, sizeof octets, MSG_WAITALL) == (ssize_t)sizeof octets);
    expect_end(far);
    expect_success(child);
    CHECK(close(far) == 0 && close(listener) == 0);
}

/* In a child of the listener's process. */
static int connect_and_send(int listener, uint16_t port, const char *text) {
    CHECK(close(listener) == 0);
    int near = begin_connect(FAR_ADDRESS, port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    send_text(near, text);
    return near;
}

static void should_accept_a_connection_that_has_ended(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    pid_t child = start();
    if (child == 0) {
        (void)connect_and_send(listener, port, "last words");
        exit(0);
    }
    expect_success(child);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    expect_text(far, "last words");
    expect_end(far);
    CHECK(close(far) == 0 && close(listener) == 0);
}

/* As the kernel ends what a killed process has open: what it has not read resets the connection. */
static void should_notice_that_the_peer_is_killed(void) {
    for (int unread = 0; unread < 2; unread++) {
        uint16_t port;
        int listener = listen_at(FAR_ADDRESS, &port), has_come[2];
        CHECK(pipe(has_come) == 0);
        pid_t child = start();
        if (child == 0) {
            int near = connect_and_send(listener, port, "x");
            CHECK(await(near, POLLIN) == POLLIN && write(has_come[1], "u", 1) == 1);
            pause();
        }
        int far = accept(listener, NULL, NULL), status;
        CHECK(far >= 0);
        expect_text(far, "x");
        char octet;
        if (unread != 0) {
            send_text(far, "unread");
            CHECK(read(has_come[0], &octet, 1) == 1);
        }
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
        if (unread != 0) {
            CHECK_ERRNO(ECONNRESET, read(far, &octet, 1) == -1);
            CHECK_ERRNO(EPIPE, send(far, "x", 1, MSG_NOSIGNAL) == -1);
        } else {
            expect_end(far);
        }
        CHECK(close(far) == 0 && close(listener) == 0 && close(has_come[0]) == 0 && close(has_come[1]) == 0);
    }
}

int main(void) {
    RUN(should_give_a_child_what_its_parent_closes);
    RUN(should_go_on_when_a_child_ends);
    RUN(should_give_a_child_the_port);
    RUN(should_share_instances_with_its_parent);
    RUN(should_send_everything_before_the_process_ends);
    RUN(should_accept_a_connection_that_has_ended);
    RUN(should_notice_that_the_peer_is_killed);
    puts("done");
    return 0;
}
