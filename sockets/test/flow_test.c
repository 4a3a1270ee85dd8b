/* Octets: many small ones, those of both ends before any is read, of servers that are busy or speak first, and flags of calls. */
#include "both.h"

#include <netinet/tcp.h>
#include <sched.h>
#include <sys/sendfile.h>

/* ---- Small ones ---- */

static void should_take_100000_octets_one_by_one(void) {
    struct pair pair = connect_pair();
    for (size_t i = 0; i < 100000; i++) {
        uint8_t octet = octet_at(i, 0);
        CHECK(send(pair.near, &octet, 1, MSG_NOSIGNAL) == 1);
    }
    expect_octets(pair.far, 0, 100000);
    char octet;
    CHECK_ERRNO(EAGAIN, recv(pair.far, &octet, 1, MSG_DONTWAIT) == -1);
    close_pair(&pair);
}

static void should_take_what_both_ends_write_before_they_read(void) {
    struct pair pair = connect_pair();
    for (size_t i = 0; i < 20; i++) {
        send_octets(pair.near, i, 1);
        send_octets(pair.far, i, 1);
    }
    send_octets(pair.near, 20, 60000);
    send_octets(pair.far, 20, 60000);
    expect_octets(pair.near, 0, 60020);
    expect_octets(pair.far, 0, 60020);
    close_pair(&pair);
}

/* ---- Servers ---- */

#define CLIENTS 40

/* The program does not accept until its clients have been there and gone. */
static void should_take_clients_while_the_server_computes(void) {
    uint16_t port;
    int listener = listen_with_backlog(FAR_ADDRESS, &port, CLIENTS), far;
    for (int i = 0; i < CLIENTS; i++) {
        int near = connect_to(FAR_ADDRESS, port);
        send_octets(near, 0, 1000);
        if (i % 2 == 0) {
            CHECK(shutdown(near, SHUT_WR) == 0);
        }
        CHECK(close(near) == 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        CHECK((far = accept(listener, NULL, NULL)) >= 0);
        expect_octets(far, 0, 1000);
        expect_end(far);
        CHECK(close(far) == 0);
    }
    CHECK(close(listener) == 0);
}

static void *speak_first(void *argument) {
    int listener = *(int *)argument;
    for (int i = 0; i < CLIENTS; i++) {
        int far = accept(listener, NULL, NULL);
        CHECK(far >= 0);
        send_octets(far, 0, 122 + (size_t)i * 100);
        CHECK(close(far) == 0);
    }
    return NULL;
}

static void should_hear_a_server_that_speaks_first(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    pthread_t server;
    CHECK(pthread_create(&server, NULL, speak_first, &listener) == 0);
    for (int i = 0; i < CLIENTS; i++) {
        int near = connect_to(FAR_ADDRESS, port);
        expect_octets(near, 0, 122 + (size_t)i * 100);
        expect_end(near);
        CHECK(close(near) == 0);
    }
    CHECK(pthread_join(server, NULL) == 0 && close(listener) == 0);
}

/* ---- Flags ---- */

static void should_discard_octets(void) {
    struct pair pair = connect_pair();
    char octets[16];
    send_text(pair.near, "0123456789");
    CHECK(recv(pair.far, NULL, 4, MSG_TRUNC) == 4);
    CHECK(recv(pair.far, octets, sizeof octets, 0) == 6 && memcmp(octets, "456789", 6) == 0);
    send_text(pair.near, "0123456789");
    CHECK(recv(pair.far, NULL, 10, MSG_TRUNC | MSG_WAITALL) == 10);
    CHECK_ERRNO(EAGAIN, recv(pair.far, octets, 1, MSG_DONTWAIT) == -1);
    close_pair(&pair);
}

static void should_have_no_messages_about_errors(void) {
    struct pair pair = connect_pair();
    char octets[16];
    struct iovec piece = {.iov_base = octets, .iov_len = sizeof octets};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    send_text(pair.near, "x");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    CHECK_ERRNO(EAGAIN, recvmsg(pair.far, &message, MSG_ERRQUEUE) == -1);
    expect_text(pair.far, "x");
    close_pair(&pair);
}

struct receiving {
    int descriptor, flags;
    char octets[10];
    ssize_t got;
};

static void *receive_in_pieces(void *argument) {
    struct receiving *receiving = argument;
    struct iovec pieces[] = {{.iov_base = receiving->octets, .iov_len = 5}, {.iov_base = receiving->octets + 5, .iov_len = 5}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    receiving->got = recvmsg(receiving->descriptor, &message, receiving->flags);
    return NULL;
}

static void should_wait_for_all_octets(void) {
    struct pair pair = connect_pair();
    static const int flags[] = {MSG_WAITALL, MSG_WAITALL | MSG_PEEK};
    for (size_t i = 0; i < 2; i++) {
        struct receiving receiving = {.descriptor = pair.far, .flags = flags[i]};
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, receive_in_pieces, &receiving) == 0);
        send_text(pair.near, "01234");
        send_text(pair.near, "56789");
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(receiving.got == 10 && memcmp(receiving.octets, "0123456789", 10) == 0);
    }
    expect_text(pair.far, "0123456789");
    send_text(pair.near, "01234567");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    char octets[10];
    CHECK(recv(pair.far, octets, 10, MSG_WAITALL) == 8);
    close_pair(&pair);
}

#define MUCH 100000

static void *send_much(void *argument) {
    send_octets(*(const int *)argument, 0, MUCH);
    return NULL;
}

static void should_peek_at_much_behind_what_has_been_read(void) {
    struct pair pair = connect_pair();
    static uint8_t octets[MUCH];
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, send_much, &pair.near) == 0);
    CHECK(recv(pair.far, octets, 10000, MSG_WAITALL) == 10000);
    CHECK(recv(pair.far, octets, 60000, MSG_PEEK | MSG_WAITALL) == 60000);
    CHECK(octets[0] == octet_at(10000, 0) && octets[59999] == octet_at(69999, 0));
    CHECK(recv(pair.far, octets, MUCH - 10000, MSG_WAITALL) == MUCH - 10000);
    CHECK(pthread_join(thread, NULL) == 0);
    close_pair(&pair);
}

static void should_be_readable_from_the_low_mark_on(void) {
    struct pair pair = connect_pair();
    int low = 100;
    socklen_t length = sizeof low;
    char octets[200];
    CHECK(setsockopt(pair.far, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low) == 0);
    low = 0;
    CHECK(getsockopt(pair.far, SOL_SOCKET, SO_RCVLOWAT, &low, &length) == 0 && low == 100);
    send_octets(pair.near, 0, 99);
    int count = 0;
    while (count < 99) {
        CHECK(ioctl(pair.far, FIONREAD, &count) == 0);
    }
    CHECK(look(pair.far, POLLIN) == 0);
    send_octets(pair.near, 99, 1);
    CHECK(await(pair.far, POLLIN) == POLLIN);
    send_octets(pair.near, 100, 50);
    CHECK(recv(pair.far, octets, sizeof octets, 0) >= 100);
    close_pair(&pair);
}

/* liburing's: the library stands in for them. */
int io_uring_setup(unsigned entries, void *parameters);
int io_uring_queue_init(unsigned entries, void *rings, unsigned flags);
int io_uring_queue_init_params(unsigned entries, void *rings, void *parameters);
int io_uring_queue_init_mem(unsigned entries, void *rings, void *parameters, void *memory, size_t octets);
void *io_uring_get_probe(void);

/* Threads that look are moved away from the engine's processor. */
static void should_leave_a_thread_its_processors(void) {
    struct pair pair = connect_pair();
    cpu_set_t all, one, now;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (size_t i = 0; i < 1000; i++) {
        send_octets(pair.near, i, 1);
        expect_octets(pair.far, i, 1);
    }
    CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all));
    for (size_t each = 0; each < CPU_SETSIZE; each++) {
        if (CPU_ISSET(each, &all)) {
            CPU_ZERO(&one);
            CPU_SET(each, &one);
            CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
            for (size_t i = 0; i < 100; i++) {
                send_octets(pair.far, i, 1);
                expect_octets(pair.near, i, 1);
            }
            CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &one));
        }
    }
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    close_pair(&pair);
}

/* What comes out of band is not taken over rddp. */
static void should_say_what_it_does_not_do(void) {
    if (!is_over_rddp()) {
        return;
    }
    struct pair pair = connect_pair();
    char octet;
    CHECK_ERRNO(EOPNOTSUPP, send(pair.near, "x", 1, MSG_OOB) == -1);
    CHECK_ERRNO(EINVAL, recv(pair.far, &octet, 1, MSG_OOB) == -1);
    int on = 1;
    CHECK_ERRNO(EOPNOTSUPP, setsockopt(pair.near, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) == -1);
    CHECK_ERRNO(EOPNOTSUPP, setsockopt(pair.near, SOL_SOCKET, SO_PEEK_OFF, &on, sizeof on) == -1);
    CHECK_ERRNO(EOPNOTSUPP, setsockopt(pair.near, SOL_SOCKET, SO_ATTACH_FILTER, &on, sizeof on) == -1);
    CHECK_ERRNO(EOPNOTSUPP, setsockopt(pair.near, IPPROTO_TCP, TCP_MD5SIG, &on, sizeof on) == -1);
    CHECK_ERRNO(ENOSYS, syscall(SYS_io_uring_setup, 1, NULL) == -1);
    CHECK(io_uring_setup(1, NULL) == -ENOSYS && io_uring_queue_init(1, NULL, 0) == -ENOSYS);
    CHECK(io_uring_queue_init_params(1, NULL, NULL) == -ENOSYS && io_uring_queue_init_mem(1, NULL, NULL, NULL, 0) == -ENOSYS);
    CHECK(io_uring_get_probe() == NULL);
    send_text(pair.near, "in band");
    expect_text(pair.far, "in band");
    close_pair(&pair);
}

static void should_not_wait_longer_than_its_timeout_for_room(void) {
    struct pair pair = connect_pair();
    struct timeval time = {.tv_usec = 1000};
    static char octets[1 << 20];
    CHECK(setsockopt(pair.near, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0);
    ssize_t sent;
    while ((sent = send(pair.near, octets, sizeof octets, 0)) > 0) {
    }
    CHECK(sent == -1 && errno == EAGAIN);
    close_pair(&pair);
}

/* It holds for the whole call, however often octets come, or room, meanwhile. */
static void set_timeout(int descriptor, int option) {
    struct timeval time = {.tv_usec = 100000};
    CHECK(setsockopt(descriptor, SOL_SOCKET, option, &time, sizeof time) == 0);
}

#define SLOW_OCTETS 1000

/* Until there is an answer. */
static void *send_slowly(void *argument) {
    int descriptor = *(const int *)argument;
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    for (int sent = 1; sent < SLOW_OCTETS && poll(&polled, 1, 10) == 0; sent++) {
        CHECK(send(descriptor, "x", 1, MSG_NOSIGNAL) == 1);
    }
    return NULL;
}

static void should_not_wait_longer_than_its_timeout_for_octets(void) {
    static const int flags[] = {MSG_WAITALL, MSG_WAITALL | MSG_PEEK};
    for (size_t i = 0; i < 2; i++) {
        struct pair pair = connect_pair();
        char octets[SLOW_OCTETS];
        pthread_t thread;
        set_timeout(pair.far, SO_RCVTIMEO);
        send_text(pair.near, "x");
        CHECK(await(pair.far, POLLIN) == POLLIN);
        CHECK(pthread_create(&thread, NULL, send_slowly, &pair.near) == 0);
        ssize_t got = recv(pair.far, octets, sizeof octets, flags[i]);
        CHECK(got > 0 && got < SLOW_OCTETS);
        send_text(pair.far, "enough");
        CHECK(pthread_join(thread, NULL) == 0);
        close_pair(&pair);
    }
}

#define SLOW_SENDING (16 << 20)

static void *receive_slowly(void *argument) {
    int descriptor = *(const int *)argument;
    static char octets[1 << 15];
    while (recv(descriptor, octets, sizeof octets, 0) > 0) {
        CHECK(poll(NULL, 0, 10) == 0);
    }
    return NULL;
}

static void should_not_wait_longer_than_its_timeout_for_room_again_and_again(void) {
    struct pair pair = connect_pair();
    static const char octets[SLOW_SENDING];
    pthread_t thread;
    set_timeout(pair.near, SO_SNDTIMEO);
    CHECK(pthread_create(&thread, NULL, receive_slowly, &pair.far) == 0);
    ssize_t sent = send(pair.near, octets, sizeof octets, 0);
    CHECK(sent > 0 && sent < SLOW_SENDING);
    CHECK(shutdown(pair.far, SHUT_RD) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    close_pair(&pair);
}

static void should_carry_several_messages_by_one_call(void) {
    struct pair pair = connect_pair();
    char octets[2][8];
    struct iovec out[] = {{.iov_base = "one", .iov_len = 3}, {.iov_base = "two", .iov_len = 3}};
    struct iovec in[] = {{.iov_base = octets[0], .iov_len = 2}, {.iov_base = octets[1], .iov_len = 4}};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &out[0], .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = &out[1], .msg_iovlen = 1}}};
    CHECK(sendmmsg(pair.near, messages, 2, 0) == 2 && messages[0].msg_len == 3 && messages[1].msg_len == 3);
    int count = 0;
    while (count < 6) {
        CHECK(ioctl(pair.far, FIONREAD, &count) == 0);
    }
    messages[0].msg_hdr.msg_iov = &in[0];
    messages[1].msg_hdr.msg_iov = &in[1];
    CHECK(recvmmsg(pair.far, messages, 2, 0, NULL) == 2 && messages[0].msg_len == 2 && messages[1].msg_len == 4);
    CHECK(memcmp(octets[0], "on", 2) == 0 && memcmp(octets[1], "etwo", 4) == 0);
    close_pair(&pair);
}

static void should_splice_between_pipes_and_connections(void) {
    struct pair pair = connect_pair();
    int ends[2];
    char octets[16];
    CHECK(pipe(ends) == 0);
    send_text(pair.near, "before ");
    CHECK(write(ends[1], "spliced", 7) == 7);
    CHECK(splice(ends[0], NULL, pair.near, NULL, 7, 0) == 7);
    send_text(pair.near, " after");
    expect_text(pair.far, "before spliced after");
    send_text(pair.near, "back");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    CHECK(splice(pair.far, NULL, ends[1], NULL, 4, 0) == 4);
    CHECK(read(ends[0], octets, sizeof octets) == 4 && memcmp(octets, "back", 4) == 0);
    close_pipe(ends);
    close_pair(&pair);
}

static void check_congestion(int socket, const char *expected) {
    char name[16] = "";
    socklen_t length = sizeof name;
    CHECK(getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0 && length == sizeof name);
    CHECK(strcmp(name, expected) == 0);
}

static void should_choose_congestion_control(const struct pair *pair) {
    CHECK(setsockopt(pair->near, IPPROTO_TCP, TCP_CONGESTION, "reno", 4) == 0);
    check_congestion(pair->near, "reno");
    CHECK(setsockopt(pair->near, IPPROTO_TCP, TCP_CONGESTION, "cubic\0else", 10) == 0);
    check_congestion(pair->near, "cubic");
    CHECK_ERRNO(ENOENT, setsockopt(pair->near, IPPROTO_TCP, TCP_CONGESTION, "slower", 6) == -1);
    CHECK_ERRNO(EINVAL, setsockopt(pair->near, IPPROTO_TCP, TCP_CONGESTION, "cubic", 0) == -1);
    check_congestion(pair->near, "cubic");
    if (is_over_rddp()) {
        check_congestion(pair->far, "cubic");
        CHECK(setsockopt(pair->near, IPPROTO_TCP, TCP_CONGESTION, "dctcp", 5) == 0);
        check_congestion(pair->near, "dctcp");
        send_text(pair->near, "marked");
        char octets[6];
        CHECK(recv(pair->far, octets, sizeof octets, MSG_WAITALL) == sizeof octets);
    }
}

static void should_tell_of_the_connection(void) {
    struct pair pair = connect_pair();
    struct tcp_info info;
    socklen_t length = sizeof info;
    int value = 0, on = 1;
    CHECK(getsockopt(pair.near, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_ESTABLISHED);
    static const struct {
        int level, name;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY}, {SOL_SOCKET, SO_KEEPALIVE}, {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_USER_TIMEOUT}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        CHECK(setsockopt(pair.near, options[i].level, options[i].name, &on, sizeof on) == 0);
        length = sizeof value;
        CHECK(getsockopt(pair.near, options[i].level, options[i].name, &value, &length) == 0 && value == 1);
    }
    should_choose_congestion_control(&pair);
    close_pair(&pair);
}

/* ---- Behind the peer's end ---- */

static void should_take_the_first_write_after_the_peer_has_closed(void) {
    struct pair pair = connect_pair();
    CHECK(close(pair.far) == 0);
    CHECK((await(pair.near, POLLRDHUP) & POLLRDHUP) != 0);
    send_text(pair.near, "first");
    ssize_t sent;
    while ((sent = send(pair.near, "x", 1, MSG_NOSIGNAL)) == 1) {
    }
    CHECK(sent == -1 && errno == EPIPE);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void reset(int descriptor) {
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    CHECK(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0 && close(descriptor) == 0);
}

static void should_have_no_peer_after_a_reset(void) {
    struct pair pair = connect_pair();
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    char octet;
    reset(pair.far);
    CHECK_ERRNO(ECONNRESET, read(pair.near, &octet, 1) == -1);
    CHECK_ERRNO(ENOTCONN, getpeername(pair.near, (struct sockaddr *)&name, &length) == -1);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

/* A call that has octets returns them, and the next one tells what went wrong. */
static void should_tell_of_a_reset_after_octets_that_were_received(void) {
    struct pair pair = connect_pair();
    struct receiving receiving = {.descriptor = pair.far, .flags = MSG_WAITALL};
    pthread_t thread;
    int left = 5;
    char octet;
    send_text(pair.near, "01234");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    CHECK(pthread_create(&thread, NULL, receive_in_pieces, &receiving) == 0);
    while (left > 0) {
        CHECK(poll(NULL, 0, 1) == 0 && ioctl(pair.far, FIONREAD, &left) == 0);
    }
    reset(pair.near);
    CHECK(pthread_join(thread, NULL) == 0 && receiving.got == 5);
    CHECK_ERRNO(ECONNRESET, recv(pair.far, &octet, 1, 0) == -1);
    expect_end(pair.far);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

#define MORE_THAN_THERE_IS_ROOM_FOR (64u << 20)

static void *send_in_vain(void *argument) {
    static const char octets[MORE_THAN_THERE_IS_ROOM_FOR];
    return (void *)(intptr_t)send(*(const int *)argument, octets, sizeof octets, MSG_NOSIGNAL);
}

static void should_tell_of_a_reset_after_octets_that_were_sent(void) {
    struct pair pair = connect_pair();
    pthread_t thread;
    void *sent;
    CHECK(pthread_create(&thread, NULL, send_in_vain, &pair.near) == 0);
    CHECK(await(pair.far, POLLIN) == POLLIN);
    reset(pair.far);
    CHECK(pthread_join(thread, &sent) == 0 && (intptr_t)sent > 0 && (intptr_t)sent < (intptr_t)MORE_THAN_THERE_IS_ROOM_FOR);
    CHECK_ERRNO(ECONNRESET, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    CHECK_ERRNO(EPIPE, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void run_all(void) {
    RUN(should_take_100000_octets_one_by_one);
    RUN(should_take_what_both_ends_write_before_they_read);
    RUN(should_take_clients_while_the_server_computes);
    RUN(should_hear_a_server_that_speaks_first);
    RUN(should_discard_octets);
    RUN(should_have_no_messages_about_errors);
    RUN(should_wait_for_all_octets);
    RUN(should_peek_at_much_behind_what_has_been_read);
    RUN(should_be_readable_from_the_low_mark_on);
    RUN(should_leave_a_thread_its_processors);
    RUN(should_say_what_it_does_not_do);
    RUN(should_not_wait_longer_than_its_timeout_for_room);
    RUN(should_not_wait_longer_than_its_timeout_for_octets);
    RUN(should_not_wait_longer_than_its_timeout_for_room_again_and_again);
    RUN(should_carry_several_messages_by_one_call);
    RUN(should_splice_between_pipes_and_connections);
    RUN(should_tell_of_the_connection);
    RUN(should_take_the_first_write_after_the_peer_has_closed);
    RUN(should_have_no_peer_after_a_reset);
    RUN(should_tell_of_a_reset_after_octets_that_were_received);
    RUN(should_tell_of_a_reset_after_octets_that_were_sent);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
