/* Calls that a program makes by their numbers, with syscall(2). */
#include "both.h"

#include <netinet/tcp.h>
#include <sys/mman.h>

static struct pair pair_by_number(void) {
    struct pair pair;
    pair.listener = listen_at(FAR_ADDRESS, &pair.port);
    struct sockaddr_in to = address_of(FAR_ADDRESS, pair.port);
    pair.near = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(syscall(SYS_connect, pair.near, &to, sizeof to) == 0);
    struct pollfd polled = {.fd = pair.listener, .events = POLLIN};
    CHECK(syscall(SYS_poll, &polled, 1, DEADLINE_MS) == 1);
    pair.far = (int)syscall(SYS_accept4, pair.listener, NULL, NULL, SOCK_CLOEXEC);
    CHECK(pair.far >= 0);
    return pair;
}

static void close_by_number(const struct pair *pair) {
    CHECK(syscall(SYS_close, pair->near) == 0 && syscall(SYS_close, pair->far) == 0 && syscall(SYS_close, pair->listener) == 0);
}

static void should_send_and_receive(void) {
    struct pair pair = pair_by_number();
    struct iovec out = {.iov_base = "cd", .iov_len = 2};
    struct msghdr message = {.msg_iov = &out, .msg_iovlen = 1};
    CHECK(syscall(SYS_write, pair.near, "ab", 2L) == 2 && syscall(SYS_writev, pair.near, &out, 1L) == 2);
    CHECK(syscall(SYS_sendto, pair.near, "ef", 2L, 0L, NULL, 0L) == 2 && syscall(SYS_sendmsg, pair.near, &message, 0L) == 2);
    expect_text(pair.far, "abcdefcd");
    send_text(pair.far, "abcdefgh");
    char octets[8];
    CHECK(recv(pair.near, octets, 8, MSG_PEEK | MSG_WAITALL) == 8);
    struct iovec in = {.iov_base = octets + 2, .iov_len = 2}, last = {.iov_base = octets + 6, .iov_len = 2};
    message.msg_iov = &last;
    memset(octets, 0, sizeof octets);
    CHECK(syscall(SYS_read, pair.near, octets, 2L) == 2 && syscall(SYS_readv, pair.near, &in, 1L) == 2);
    CHECK(syscall(SYS_recvfrom, pair.near, octets + 4, 2L, 0L, NULL, NULL) == 2 && syscall(SYS_recvmsg, pair.near, &message, 0L) == 2);
    CHECK(memcmp(octets, "abcdefgh", 8) == 0);
    int file = memfd_create("sent", MFD_CLOEXEC);
    off_t from = 0;
    CHECK(file >= 0 && write(file, "of a file", 9) == 9 && syscall(SYS_sendfile, pair.near, file, &from, 9L) == 9);
    expect_text(pair.far, "of a file");
    CHECK(close(file) == 0);
    close_by_number(&pair);
}

static void should_duplicate_and_end(void) {
    struct pair pair = pair_by_number();
    int second = (int)syscall(SYS_fcntl, pair.near, F_DUPFD_CLOEXEC, 50L), third = (int)syscall(SYS_dup, pair.near);
    CHECK(second >= 50 && third >= 0 && syscall(SYS_dup2, pair.near, pair.near) == pair.near);
    send_text(second, "second");
    send_text(third, "third");
    expect_text(pair.far, "secondthird");
    CHECK(syscall(SYS_close, second) == 0 && syscall(SYS_close, third) == 0);
    CHECK(syscall(SYS_shutdown, pair.near, SHUT_WR) == 0);
    expect_end(pair.far);
    close_by_number(&pair);
}

static void should_tell_and_change_what_it_is(void) {
    struct pair pair = pair_by_number();
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    int on = 1;
    char octet;
    CHECK(syscall(SYS_getpeername, pair.near, &peer, &length) == 0 && peer.sin_family == AF_INET && ntohs(peer.sin_port) == pair.port);
    CHECK(syscall(SYS_setsockopt, pair.near, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    CHECK(syscall(SYS_fcntl, pair.near, F_SETFL, (long)O_NONBLOCK) == 0);
    CHECK_ERRNO(EAGAIN, recv(pair.near, &octet, 1, 0) == -1);
    close_by_number(&pair);
}

static void should_wait(void) {
    struct pair pair = pair_by_number();
    int epoll = (int)syscall(SYS_epoll_create1, (long)EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = pair.near};
    CHECK(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, pair.near, &event) == 0);
    send_text(pair.far, "x");
    CHECK(syscall(SYS_epoll_pwait, epoll, &event, 1L, -1L, NULL, 8L) == 1 && event.data.fd == pair.near);
    struct pollfd polled = {.fd = pair.near, .events = POLLIN};
    CHECK(syscall(SYS_ppoll, &polled, 1L, NULL, NULL, 8L) == 1 && polled.revents == POLLIN);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pair.near, &set);
    CHECK(syscall(SYS_pselect6, pair.near + 1, &set, NULL, NULL, NULL, NULL) == 1 && FD_ISSET(pair.near, &set));
    CHECK(close(epoll) == 0);
    close_by_number(&pair);
}

static void tests(void) {
    RUN(should_send_and_receive);
    RUN(should_duplicate_and_end);
    RUN(should_tell_and_change_what_it_is);
    RUN(should_wait);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, tests);
}
