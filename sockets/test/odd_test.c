/* What programs seldom do with connections. */
#include "both.h"

#include <linux/sockios.h>
#include <stddef.h>

/* ---- Signals ---- */

static volatile sig_atomic_t handled;

static void note_signal(int signal) {
    handled = signal;
}

/* The masks of ppoll(2) and pselect(2) hold without a wait, too. */
static void should_handle_signals_that_a_mask_lets_through(void) {
    struct pair pair = connect_pair();
    struct sigaction action = {.sa_handler = note_signal}, before;
    sigset_t blocked, none;
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    CHECK(sigaction(SIGUSR2, &action, &before) == 0 && sigprocmask(SIG_BLOCK, &blocked, NULL) == 0);
    struct pollfd polled = {.fd = pair.near, .events = POLLIN};
    struct timespec at_once = {0};
    handled = 0;
    CHECK(raise(SIGUSR2) == 0 && handled == 0);
    CHECK_ERRNO(EINTR, ppoll(&polled, 1, &at_once, &none) == -1);
    CHECK(handled == SIGUSR2);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pair.near, &set);
    handled = 0;
    CHECK(raise(SIGUSR2) == 0 && handled == 0);
    CHECK_ERRNO(EINTR, pselect(pair.near + 1, &set, NULL, NULL, &at_once, &none) == -1);
    CHECK(handled == SIGUSR2);
    CHECK(sigprocmask(SIG_UNBLOCK, &blocked, NULL) == 0 && sigaction(SIGUSR2, &before, NULL) == 0);
    close_pair(&pair);
}

/* ---- Connecting ---- */

/* Not even by the kernel, which may have a route to another host of that address. */
static void should_not_connect_to_port_0(void) {
    struct sockaddr_in to = address_of(FAR_ADDRESS, 0);
    int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(near >= 0);
    CHECK_ERRNO(ECONNREFUSED, connect(near, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(near) == 0);
}

/* As it was before RFC 2553. */
static void should_connect_by_an_ipv6_address_without_a_scope(void) {
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    socklen_t length = sizeof at;
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), near = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0 && near >= 0 && inet_pton(AF_INET6, far_ipv6(), &at.sin6_addr) == 1);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
    CHECK(connect(near, (struct sockaddr *)&at, offsetof(struct sockaddr_in6, sin6_scope_id)) == 0);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    send_text(near, "by IPv6");
    expect_text(far, "by IPv6");
    CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
}

static void should_dissolve_a_connection(void) {
    struct pair pair = connect_pair();
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    struct sockaddr_in to = address_of(FAR_ADDRESS, pair.port);
    char octet;
    CHECK(connect(pair.near, &none, sizeof none) == 0);
    CHECK_ERRNO(ECONNRESET, recv(pair.far, &octet, 1, 0) == -1);
    CHECK(close(pair.far) == 0);
    CHECK(connect(pair.near, (struct sockaddr *)&to, sizeof to) == 0);
    pair.far = accept(pair.listener, NULL, NULL);
    CHECK(pair.far >= 0);
    send_text(pair.near, "anew");
    expect_text(pair.far, "anew");
    close_pair(&pair);
}

static void should_accept_with_flags_that_there_are_only(void) {
    struct pair pair = connect_pair();
    CHECK_ERRNO(EINVAL, accept4(pair.listener, NULL, NULL, 1) == -1);
    close_pair(&pair);
}

/* ---- Octets ---- */

static void should_wait_for_octets_of_which_it_takes_none(void) {
    struct pair pair = connect_pair();
    struct linger none = {.l_onoff = 1};
    char octet;
    CHECK_ERRNO(EAGAIN, recv(pair.near, &octet, 0, MSG_DONTWAIT) == -1);
    CHECK(read(pair.near, &octet, 0) == 0);
    struct iovec pieces[2] = {{.iov_base = &octet}, {.iov_base = &octet}};
    CHECK(readv(pair.near, pieces, 2) == 0 && readv(pair.near, pieces, 0) == 0);
    CHECK(shutdown(pair.near, SHUT_WR) == 0 && writev(pair.near, pieces, 2) == 0);
    send_text(pair.far, "x");
    CHECK(recv(pair.near, &octet, 0, 0) == 0);
    expect_text(pair.near, "x");
    CHECK(setsockopt(pair.far, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0 && close(pair.far) == 0);
    CHECK_ERRNO(ECONNRESET, recv(pair.near, &octet, 0, 0) == -1);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

/* select(2) does not wait for an end among the exceptions. */
static void should_select_no_end_as_an_exception(void) {
    struct pair pair = connect_pair();
    CHECK(shutdown(pair.near, SHUT_WR) == 0 && shutdown(pair.far, SHUT_WR) == 0);
    CHECK((await(pair.near, POLLHUP) & POLLHUP) == POLLHUP);
    fd_set reads, exceptions;
    FD_ZERO(&reads);
    FD_SET(pair.listener, &reads);
    FD_ZERO(&exceptions);
    FD_SET(pair.near, &exceptions);
    struct timeval time = {.tv_usec = 1000};
    CHECK(select(FD_SETSIZE, &reads, NULL, &exceptions, &time) == 0 && time.tv_sec == 0 && time.tv_usec == 0);
    FD_SET(pair.listener, &reads);
    FD_SET(pair.near, &exceptions);
    int near = begin_connect(FAR_ADDRESS, pair.port);
    CHECK(select(FD_SETSIZE, &reads, NULL, &exceptions, NULL) == 1);
    CHECK(FD_ISSET(pair.listener, &reads) && !FD_ISSET(pair.near, &exceptions));
    CHECK(close(near) == 0);
    close_pair(&pair);
}

static void should_have_nothing_out_of_band(void) {
    struct pair pair = connect_pair();
    int octets = 9;
    CHECK(sockatmark(pair.near) == 0);
    CHECK(ioctl(pair.near, SIOCOUTQNSD, &octets) == 0 && octets == 0);
    close_pair(&pair);
}

static void tests(void) {
    RUN(should_handle_signals_that_a_mask_lets_through);
    RUN(should_not_connect_to_port_0);
    RUN(should_connect_by_an_ipv6_address_without_a_scope);
    RUN(should_dissolve_a_connection);
    RUN(should_accept_with_flags_that_there_are_only);
    RUN(should_wait_for_octets_of_which_it_takes_none);
    RUN(should_select_no_end_as_an_exception);
    RUN(should_have_nothing_out_of_band);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, tests);
}
