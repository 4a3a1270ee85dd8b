/* Calls on connected and listening sockets, as the manual pages say. */
#include "ends.h"

#define MUCH (20u << 20)

static void should_connect_and_tell_names(void) {
    struct pair pair = connect_pair();
    struct sockaddr_in near, far, seen;
    socklen_t length = sizeof near;
    CHECK(getsockname(pair.near, (struct sockaddr *)&near, &length) == 0 && length == sizeof near);
    CHECK(getpeername(pair.near, (struct sockaddr *)&far, &length) == 0);
    CHECK(getpeername(pair.far, (struct sockaddr *)&seen, &length) == 0);
    CHECK(seen.sin_addr.s_addr == near.sin_addr.s_addr && seen.sin_port == near.sin_port);
    CHECK(far.sin_addr.s_addr == inet_addr(FAR_ADDRESS) && ntohs(far.sin_port) == pair.port);
    int error = -1;
    length = sizeof error;
    CHECK(getsockopt(pair.near, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
    struct sockaddr_in to = address_of(FAR_ADDRESS, pair.port);
    CHECK(connect(pair.near, (struct sockaddr *)&to, sizeof to) == 0);  /* tells the outcome of the first call, once */
    CHECK_ERRNO(EISCONN, connect(pair.near, (struct sockaddr *)&to, sizeof to) == -1);
    close_pair(&pair);
}

static void should_answer_octets(void) {
    struct pair pair = connect_pair();
    char octets[16];
    int count = -1;
    for (int i = 0; i < 100; i++) {
        send_text(pair.near, "question");
        expect_text(pair.far, "question");
        send_text(pair.far, "answer");
        expect_text(pair.near, "answer");
    }
    struct iovec parts[] = {{"ab", 2}, {"", 0}, {"cde", 3}};
    CHECK(writev(pair.far, parts, 3) == 5);
    CHECK(await(pair.near, POLLIN) == POLLIN);
    CHECK(ioctl(pair.near, FIONREAD, &count) == 0 && count == 5);
    CHECK(recv(pair.near, octets, sizeof octets, MSG_PEEK) == 5 && memcmp(octets, "abcde", 5) == 0);
    struct iovec room[] = {{octets, 1}, {octets + 8, 8}};
    CHECK(readv(pair.near, room, 2) == 5 && octets[0] == 'a' && memcmp(octets + 8, "bcde", 4) == 0);
    CHECK_ERRNO(EAGAIN, recv(pair.near, octets, 1, MSG_DONTWAIT) == -1);
    close_pair(&pair);
}

static uint8_t *random_octets(void) {
    uint8_t *made = malloc(MUCH);
    CHECK(made != NULL);
    uint32_t state = 1;
    for (uint32_t i = 0; i < MUCH; i++) {
        state = state * 1664525u + 1013904223u;
        made[i] = (uint8_t)(state >> 24);
    }
    return made;
}

/* Sends everything back until the end comes, and then ends. */
static void *echo(void *argument) {
    int descriptor = *(int *)argument;
    char octets[50000];
    ssize_t got;
    while ((got = read(descriptor, octets, sizeof octets)) > 0) {
        CHECK(write(descriptor, octets, (size_t)got) == got);
    }
    CHECK(got == 0);
    CHECK(shutdown(descriptor, SHUT_WR) == 0);
    return NULL;
}

struct sending {
    int descriptor;
    const uint8_t *octets;
};

static void *send_much(void *argument) {
    const struct sending *sending = argument;
    size_t sent = 0, part = 1;
    while (sent < MUCH) {
        size_t count = MUCH - sent < part ? MUCH - sent : part;
        CHECK(write(sending->descriptor, sending->octets + sent, count) == (ssize_t)count);
        sent += count;
        part = part * 3 % 100003 + 1;
    }
    CHECK(shutdown(sending->descriptor, SHUT_WR) == 0);
    return NULL;
}

static void should_carry_much_both_ways_at_once(void) {
    struct pair pair = connect_pair();
    uint8_t *octets = random_octets(), *got = malloc(MUCH);
    CHECK(got != NULL);
    pthread_t echoes, sends;
    struct sending sending = {.descriptor = pair.near, .octets = octets};
    CHECK(pthread_create(&echoes, NULL, echo, &pair.far) == 0);
    CHECK(pthread_create(&sends, NULL, send_much, &sending) == 0);
    CHECK(recv(pair.near, got, MUCH, MSG_WAITALL) == (ssize_t)MUCH);
    expect_end(pair.near);
    CHECK(memcmp(octets, got, MUCH) == 0);
    CHECK(pthread_join(echoes, NULL) == 0 && pthread_join(sends, NULL) == 0);
    free(octets);
    free(got);
    close_pair(&pair);
}

static void should_stop_a_sender_that_nobody_reads(void) {
    struct pair pair = connect_pair();
    static char octets[100000], got[100000];
    set_nonblocking(pair.near, true);
    size_t sent = 0, received = 0;
    ssize_t count;
    while ((count = write(pair.near, octets, sizeof octets)) > 0) {
        sent += (size_t)count;
    }
    CHECK(count == -1 && errno == EAGAIN && sent > 0);
    CHECK(look(pair.near, POLLOUT) == 0);
    while (received < sent) {
        count = recv(pair.far, got, sizeof got, 0);
        CHECK(count > 0);
        received += (size_t)count;
    }
    CHECK(await(pair.near, POLLOUT) == POLLOUT);
    CHECK(write(pair.near, octets, 1) == 1);
    close_pair(&pair);
}

static void should_take_many_short_messages_before_it_stops_the_sender(void) {
    struct pair pair = connect_pair();
    char octet;
    for (int i = 0; i < 10; i++) {
        send_text(pair.near, "x");
    }
    for (int i = 0; i < 10; i++) {
        CHECK(read(pair.far, &octet, 1) == 1 && octet == 'x');
    }
    close_pair(&pair);
}

static void should_end_each_direction_by_itself(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "last");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    expect_text(pair.far, "last");
    expect_end(pair.far);
    CHECK((look(pair.far, POLLIN | POLLOUT | POLLRDHUP) & (POLLIN | POLLOUT | POLLRDHUP | POLLHUP)) == (POLLIN | POLLOUT | POLLRDHUP));
    CHECK_ERRNO(EPIPE, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    send_text(pair.far, "answer");
    CHECK(close(pair.far) == 0);
    expect_text(pair.near, "answer");
    expect_end(pair.near);
    CHECK((await(pair.near, POLLIN) & POLLHUP) != 0);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void should_deliver_what_was_sent_before_close(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "one");
    send_text(pair.near, "two");
    CHECK(close(pair.near) == 0);
    expect_text(pair.far, "onetwo");
    expect_end(pair.far);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

static volatile sig_atomic_t pipes;

static void on_pipe(int signal) {
    (void)signal;
    pipes++;
}

static void should_raise_a_signal_where_nobody_reads(void) {
    struct pair pair = connect_pair();
    struct sigaction action = {.sa_handler = on_pipe};
    CHECK(sigaction(SIGPIPE, &action, NULL) == 0);
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    CHECK_ERRNO(EPIPE, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    CHECK(pipes == 0);
    CHECK_ERRNO(EPIPE, write(pair.near, "x", 1) == -1);
    CHECK(pipes == 1);
    close_pair(&pair);
}

static int closed_by_handler;

static void close_on_pipe(int signal) {
    (void)signal;
    CHECK(close(closed_by_handler) == 0);
}

static void should_raise_a_signal_whose_handler_may_close(void) {
    struct pair pair = connect_pair();
    struct sigaction action = {.sa_handler = close_on_pipe};
    CHECK(sigaction(SIGPIPE, &action, NULL) == 0);
    closed_by_handler = pair.near;
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    CHECK_ERRNO(EPIPE, write(pair.near, "x", 1) == -1);
    CHECK_ERRNO(EBADF, close(pair.near) == -1);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

static void should_reset_with_linger_of_no_time(void) {
    struct pair pair = connect_pair();
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    CHECK(setsockopt(pair.near, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0);
    CHECK(close(pair.near) == 0);
    CHECK((await(pair.far, POLLIN) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    char octet;
    CHECK_ERRNO(ECONNRESET, read(pair.far, &octet, 1) == -1);
    CHECK(read(pair.far, &octet, 1) == 0);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

static void should_refuse_where_nobody_listens(void) {
    uint16_t port;
    CHECK(close(listen_at(FAR_ADDRESS, &port)) == 0);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM, 0), error = 0;
    CHECK_ERRNO(ECONNREFUSED, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(made) == 0);
    made = begin_connect(FAR_ADDRESS, port);
    CHECK((await(made, POLLOUT) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    socklen_t length = sizeof error;
    CHECK(getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == ECONNREFUSED);
    CHECK(close(made) == 0);
}

static void should_leave_others_to_the_kernel(void) {
    uint16_t port;
    int listener = listen_at("0.0.0.0", &port);
    for (int i = 0; i < 2; i++) {
        const char *address = i == 0 ? "127.0.0.1" : FAR_ADDRESS;
        int near = begin_connect(address, port), far = accept(listener, NULL, NULL);
        CHECK(far >= 0);
        CHECK(await(near, POLLOUT) == POLLOUT);
        send_text(near, address);
        expect_text(far, address);
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        CHECK(getpeername(near, (struct sockaddr *)&peer, &length) == 0);
        CHECK(peer.sin_addr.s_addr == inet_addr(address));
        CHECK(close(near) == 0 && close(far) == 0);
    }
    CHECK(close(listener) == 0);
}

static void should_not_wait_longer_than_its_timeout(void) {
    struct pair pair = connect_pair();
    struct timeval time = {.tv_usec = 1000};
    char octet;
    CHECK(setsockopt(pair.far, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    CHECK_ERRNO(EAGAIN, recv(pair.far, &octet, 1, 0) == -1);
    struct pollfd polled = {.fd = pair.far, .events = POLLIN};
    CHECK(poll(&polled, 1, 1) == 0);
    close_pair(&pair);
}

static void should_accept_without_waiting(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    set_nonblocking(listener, true);
    CHECK_ERRNO(EAGAIN, accept4(listener, NULL, NULL, SOCK_NONBLOCK) == -1);
    int near = begin_connect(FAR_ADDRESS, port);
    CHECK(await(listener, POLLIN) == POLLIN);
    int far = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    CHECK(far >= 0 && (fcntl(far, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(listener, F_GETFL) & O_NONBLOCK) != 0);
    char octet;
    CHECK_ERRNO(EAGAIN, read(far, &octet, 1) == -1);
    set_nonblocking(listener, false);
    CHECK((fcntl(listener, F_GETFL) & O_NONBLOCK) == 0);
    CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
}

static void should_take_what_came_while_the_backlog_was_full(void) {
    uint16_t port;
    int listener = listen_with_backlog(FAR_ADDRESS, &port, 1), near[2], far[2];
    near[0] = begin_connect(FAR_ADDRESS, port);
    CHECK(await(listener, POLLIN) == POLLIN);
    near[1] = begin_connect(FAR_ADDRESS, port);
    /* A later connection to another listener is there: so is the request of the second one. */
    struct pair later = connect_pair();
    for (int i = 0; i < 2; i++) {
        CHECK(await(listener, POLLIN) == POLLIN);
        far[i] = accept(listener, NULL, NULL);
        CHECK(far[i] >= 0);
        CHECK(await(near[i], POLLOUT) == POLLOUT);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(close(near[i]) == 0 && close(far[i]) == 0);
    }
    CHECK(close(listener) == 0);
    close_pair(&later);
}

static void should_live_until_its_last_descriptor_is_closed(void) {
    struct pair pair = connect_pair();
    int other = dup(pair.near), third = fcntl(pair.near, F_DUPFD_CLOEXEC, 50);
    CHECK(other >= 0 && third >= 50);
    CHECK(close(pair.near) == 0);
    send_text(other, "other");
    CHECK(dup2(third, other) == other);
    send_text(other, "again");
    expect_text(pair.far, "otheragain");
    CHECK(close(third) == 0);
    /* What stands at the number is closed. */
    int plain = open("/dev/null", O_RDWR);
    CHECK(plain >= 0 && dup2(plain, other) == other);
    expect_end(pair.far);
    CHECK(close(plain) == 0 && close(other) == 0 && close(pair.far) == 0 && close(pair.listener) == 0);
}

static void should_send_a_file(void) {
    struct pair pair = connect_pair();
    char name[] = "/tmp/rddp-sockets-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0);
    CHECK(write(file, "0123456789", 10) == 10);
    off_t offset = 2;
    ssize_t sendfile(int, int, off_t *, size_t);
    CHECK(sendfile(pair.near, file, &offset, 4) == 4 && offset == 6);
    CHECK(lseek(file, 7, SEEK_SET) == 7);
    CHECK(sendfile(pair.near, file, NULL, 100) == 3);
    expect_text(pair.far, "2345789");
    CHECK(close(file) == 0);
    close_pair(&pair);
}

static void *wait_for_octet(void *argument) {
    char octet;
    return (void *)(intptr_t)read(*(int *)argument, &octet, 1);
}

/* Under ThreadSanitizer a cancelled thread does not leave a function of libc that it does not know. */
#ifndef __SANITIZE_THREAD__
static void should_end_a_wait_when_its_thread_is_cancelled(void) {
    struct pair pair = connect_pair();
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, wait_for_octet, &pair.far) == 0);
    CHECK(pthread_cancel(thread) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    /* Nothing is left of the wait. */
    send_text(pair.near, "x");
    expect_text(pair.far, "x");
    close_pair(&pair);
}

#endif

static void should_wake_the_thread_that_waits(void) {
    struct pair pairs[4];
    pthread_t threads[4];
    void *result;
    for (int i = 0; i < 4; i++) {
        pairs[i] = connect_pair();
        CHECK(pthread_create(&threads[i], NULL, wait_for_octet, &pairs[i].far) == 0);
    }
    for (int i = 3; i >= 0; i--) {
        send_text(pairs[i].near, "x");
        CHECK(pthread_join(threads[i], &result) == 0 && (intptr_t)result == 1);
    }
    for (int i = 0; i < 4; i++) {
        close_pair(&pairs[i]);
    }
}

#define MANY 256

static void should_have_many_connections(void) {
    static int near[MANY], far[MANY];
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    for (int i = 0; i < MANY; i++) {
        near[i] = begin_connect(FAR_ADDRESS, port);
        far[i] = accept(listener, NULL, NULL);
        CHECK(far[i] >= 0);
        CHECK(await(near[i], POLLOUT) == POLLOUT);
        set_nonblocking(near[i], false);
    }
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j < 20; j++) {
            send_text(near[i], "question");
            expect_text(far[i], "question");
        }
        CHECK(close(near[i]) == 0 && close(far[i]) == 0);
    }
    CHECK(close(listener) == 0);
}

int main(void) {
    RUN(should_connect_and_tell_names);
    RUN(should_answer_octets);
    RUN(should_carry_much_both_ways_at_once);
    RUN(should_stop_a_sender_that_nobody_reads);
    RUN(should_take_many_short_messages_before_it_stops_the_sender);
    RUN(should_end_each_direction_by_itself);
    RUN(should_deliver_what_was_sent_before_close);
    RUN(should_raise_a_signal_where_nobody_reads);
    RUN(should_raise_a_signal_whose_handler_may_close);
    RUN(should_reset_with_linger_of_no_time);
    RUN(should_refuse_where_nobody_listens);
    RUN(should_leave_others_to_the_kernel);
    RUN(should_not_wait_longer_than_its_timeout);
    RUN(should_accept_without_waiting);
    RUN(should_take_what_came_while_the_backlog_was_full);
    RUN(should_live_until_its_last_descriptor_is_closed);
    RUN(should_send_a_file);
#ifndef __SANITIZE_THREAD__
    RUN(should_end_a_wait_when_its_thread_is_cancelled);
#endif
    RUN(should_wake_the_thread_that_waits);
    RUN(should_have_many_connections);
    puts("done");
    return 0;
}
