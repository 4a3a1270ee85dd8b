/* Connections that begin without waiting, are interrupted, have ports and interfaces of the program's choice, or two families. */
#include "both.h"

#include <net/if.h>

static void on_signal(int signal) {
    (void)signal;
}

/* The signal comes again and again until the timer is deleted. */
static timer_t start_signals(int number) {
    struct sigaction action = {.sa_handler = on_signal};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct itimerspec time = {.it_interval.tv_nsec = 5000000, .it_value.tv_nsec = 5000000};
    timer_t timer;
    CHECK(sigaction(number, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &time, NULL) == 0);
    return timer;
}

static void expect_works(int near, int far) {
    send_text(near, "question");
    expect_text(far, "question");
    send_text(far, "answer");
    expect_text(near, "answer");
}

/* ---- Without waiting ---- */

static void should_be_connected_when_it_says_so(void) {
    for (int blocks = 0; blocks < 2; blocks++) {
        uint16_t port;
        int listener = listen_at(FAR_ADDRESS, &port), near = begin_connect(FAR_ADDRESS, port);
        set_nonblocking(near, blocks == 0);
        await_established(near);
        int far = accept(listener, NULL, NULL);
        CHECK(far >= 0);
        set_nonblocking(near, false);
        expect_works(near, far);
        CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
    }
}

/* With a full backlog connect(2) waits, until a signal comes; the connection goes on all the same. */
static void should_go_on_connecting_after_a_signal(void) {
    for (int again = 0; again < 2; again++) {
        uint16_t port;
        int listener = listen_with_backlog(FAR_ADDRESS, &port, 1), others[3], far;
        for (int i = 0; i < 3; i++) {
            others[i] = begin_connect(FAR_ADDRESS, port);
        }
        await_established(others[0]);
        struct sockaddr_in to = address_of(FAR_ADDRESS, port);
        int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        timer_t timer = start_signals(SIGUSR1);
        CHECK_ERRNO(EINTR, connect(near, (struct sockaddr *)&to, sizeof to) == -1);
        CHECK(timer_delete(timer) == 0);
        CHECK(look(near, POLLOUT) == 0);
        for (int i = 0; i < 4; i++) {
            CHECK((far = accept(listener, NULL, NULL)) >= 0);
            CHECK(close(far) == 0);
        }
        if (again != 0) {
            CHECK(connect(near, (struct sockaddr *)&to, sizeof to) == 0);
        }
        await_established(near);
        expect_end(near);
        for (int i = 0; i < 3; i++) {
            CHECK(close(others[i]) == 0);
        }
        CHECK(close(near) == 0 && close(listener) == 0);
    }
}

static struct sockaddr_in of_full_backlog;

static void *connect_in_vain(void *argument) {
    CHECK(connect(*(const int *)argument, (struct sockaddr *)&of_full_backlog, sizeof of_full_backlog) == -1);
    CHECK(errno == ECONNRESET || errno == EPIPE);  /* that since Linux 6.7 */
    return NULL;
}

static void should_stop_connecting_at_a_shutdown(void) {
    for (int how = SHUT_RD; how <= SHUT_RDWR; how++) {
        uint16_t port;
        int listener = listen_with_backlog(FAR_ADDRESS, &port, 1), others[3], far;
        int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        pthread_t thread;
        for (int i = 0; i < 3; i++) {
            others[i] = begin_connect(FAR_ADDRESS, port);
        }
        await_established(others[0]);
        of_full_backlog = address_of(FAR_ADDRESS, port);
        CHECK(pthread_create(&thread, NULL, connect_in_vain, &near) == 0);
        while (shutdown(near, how) != 0) {
            CHECK(errno == ENOTCONN && poll(NULL, 0, 1) == 0);
        }
        CHECK(pthread_join(thread, NULL) == 0);
        for (int i = 0; i < 3; i++) {
            CHECK((far = accept(listener, NULL, NULL)) >= 0);
            CHECK(close(far) == 0 && close(others[i]) == 0);
        }
        CHECK(connect(near, (struct sockaddr *)&of_full_backlog, sizeof of_full_backlog) == 0);
        CHECK((far = accept(listener, NULL, NULL)) >= 0);
        expect_works(near, far);
        CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
    }
}

static void should_refuse_again_and_again(void) {
    uint16_t port;
    CHECK(close(listen_at(FAR_ADDRESS, &port)) == 0);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_ERRNO(ECONNREFUSED, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    }
    CHECK(close(made) == 0);
}

/* ---- Ports and interfaces ---- */

static int bind_at(const char *address, uint16_t port) {
    struct sockaddr_in from = address_of(address, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    CHECK(made >= 0 && setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    CHECK(bind(made, (struct sockaddr *)&from, sizeof from) == 0);
    return made;
}

static uint16_t port_of(int descriptor) {
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    CHECK(getsockname(descriptor, (struct sockaddr *)&name, &length) == 0);
    return ntohs(name.sin_port);
}

static void should_connect_from_the_port_that_it_has_bound(void) {
    for (int i = 0; i < 2; i++) {
        uint16_t port;
        int listener = listen_at(FAR_ADDRESS, &port);
        int near = bind_at(i == 0 ? near_address() : "0.0.0.0", 0);
        uint16_t own = port_of(near);
        struct sockaddr_in to = address_of(FAR_ADDRESS, port), seen;
        socklen_t length = sizeof seen;
        CHECK(own != 0 && connect(near, (struct sockaddr *)&to, sizeof to) == 0);
        int far = accept(listener, (struct sockaddr *)&seen, &length);
        CHECK(far >= 0);
        CHECK(ntohs(seen.sin_port) == own && port_of(near) == own);
        CHECK(i == 1 || seen.sin_addr.s_addr == inet_addr(near_address()));
        CHECK(getpeername(far, (struct sockaddr *)&seen, &length) == 0 && ntohs(seen.sin_port) == own);
        int second = bind_at(i == 0 ? near_address() : "0.0.0.0", own);
        CHECK_ERRNO(EADDRNOTAVAIL, connect(second, (struct sockaddr *)&to, sizeof to) == -1);
        expect_works(near, far);
        CHECK(close(near) == 0 && close(second) == 0 && close(far) == 0 && close(listener) == 0);
    }
}

/* IP_LOCAL_PORT_RANGE, Linux 6.3; older kernels choose such a port by chance only. */
#define LOCAL_PORT_RANGE 51

/* The kernel does not know that a connection has the port that it chooses. */
static void should_have_another_port_where_the_kernel_chose_one_that_is_taken(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port), near = bind_at(near_address(), 0);
    uint16_t own = port_of(near);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port), from = address_of(near_address(), 0);
    CHECK(connect(near, (struct sockaddr *)&to, sizeof to) == 0);
    int far = accept(listener, NULL, NULL), second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint32_t range = (uint32_t)own << 16 | own;
    bool chosen = is_over_rddp() && setsockopt(second, IPPROTO_IP, LOCAL_PORT_RANGE, &range, sizeof range) == 0;
    CHECK(bind(second, (struct sockaddr *)&from, sizeof from) == 0 && (!chosen || port_of(second) == own));
    CHECK(connect(second, (struct sockaddr *)&to, sizeof to) == 0 && port_of(second) != own && port_of(second) != 0);
    int other = accept(listener, NULL, NULL);
    expect_works(near, far);
    expect_works(second, other);
    CHECK(close(near) == 0 && close(second) == 0 && close(far) == 0 && close(other) == 0 && close(listener) == 0);
}

/* Another device of the kernel's than rddp's interface. */
static void should_not_leave_the_device_that_it_is_bound_to(void) {
    static const char device[] = "lo";
    uint16_t port;
    struct sockaddr_in at = address_of(FAR_ADDRESS, 0);
    socklen_t length = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(setsockopt(listener, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof device) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
    int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (is_over_rddp()) {
        CHECK_ERRNO(ECONNREFUSED, connect(near, (struct sockaddr *)&at, sizeof at) == -1);
    } else {
        CHECK(connect(near, (struct sockaddr *)&at, sizeof at) == 0);
    }
    CHECK(close(near) == 0 && close(listener) == 0);
    listener = listen_at(FAR_ADDRESS, &port);
    at = address_of(FAR_ADDRESS, port);
    near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(setsockopt(near, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof device) == 0);
    if (is_over_rddp()) {
        CHECK_ERRNO(ENETUNREACH, connect(near, (struct sockaddr *)&at, sizeof at) == -1);
    } else {
        CHECK(connect(near, (struct sockaddr *)&at, sizeof at) == 0);
    }
    CHECK(close(near) == 0 && close(listener) == 0);
}

/* ---- Two families ---- */

static int listen_at_any(bool only, uint16_t *port) {
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    socklen_t length = sizeof at;
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), on = only;
    CHECK(listener >= 0 && setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
    *port = ntohs(at.sin6_port);
    return listener;
}

static struct sockaddr_in6 ipv6_address(const char *address, uint16_t port) {
    struct sockaddr_in6 made = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    CHECK(inet_pton(AF_INET6, address, &made.sin6_addr) == 1);
    return made;
}

static void should_have_no_ipv4_where_only_ipv6_listens(void) {
    uint16_t port;
    int listener = listen_at_any(true, &port);
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    struct sockaddr_in6 to6 = ipv6_address(far_ipv6(), port);
    int near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), near6 = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_ERRNO(ECONNREFUSED, connect(near, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(connect(near6, (struct sockaddr *)&to6, sizeof to6) == 0);
    /* The port is free for IPv4. */
    int second = bind_at(FAR_ADDRESS, port);
    CHECK(listen(second, 8) == 0);
    int near4 = connect_to(FAR_ADDRESS, port), far4 = accept(second, NULL, NULL), far6 = accept(listener, NULL, NULL);
    CHECK(far4 >= 0 && far6 >= 0);
    expect_works(near4, far4);
    expect_works(near6, far6);
    int all[] = {near, near4, near6, far4, far6, second, listener};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        CHECK(close(all[i]) == 0);
    }
}

static void should_connect_by_a_mapped_address(void) {
    uint16_t port;
    int listener = listen_at_any(false, &port);
    char mapped[64];
    (void)snprintf(mapped, sizeof mapped, "::ffff:%s", FAR_ADDRESS);
    struct sockaddr_in6 to = ipv6_address(mapped, port), name;
    socklen_t length = sizeof name;
    int near = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(connect(near, (struct sockaddr *)&to, sizeof to) == 0);
    int far = accept(listener, (struct sockaddr *)&name, &length);
    CHECK(far >= 0 && length == sizeof name && name.sin6_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&name.sin6_addr));
    CHECK(getpeername(near, (struct sockaddr *)&name, &length) == 0 && length == sizeof name);
    CHECK(memcmp(&name.sin6_addr, &to.sin6_addr, sizeof name.sin6_addr) == 0 && name.sin6_port == to.sin6_port);
    CHECK(getsockname(near, (struct sockaddr *)&name, &length) == 0 && IN6_IS_ADDR_V4MAPPED(&name.sin6_addr));
    expect_works(near, far);
    CHECK(close(near) == 0 && close(far) == 0);
    int only = 1;
    near = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(setsockopt(near, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) == 0);
    CHECK_ERRNO(ENETUNREACH, connect(near, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(near) == 0 && close(listener) == 0);
}

static void run_all(void) {
    RUN(should_be_connected_when_it_says_so);
    RUN(should_go_on_connecting_after_a_signal);
    RUN(should_stop_connecting_at_a_shutdown);
    RUN(should_refuse_again_and_again);
    RUN(should_connect_from_the_port_that_it_has_bound);
    RUN(should_have_another_port_where_the_kernel_chose_one_that_is_taken);
    RUN(should_not_leave_the_device_that_it_is_bound_to);
    RUN(should_have_no_ipv4_where_only_ipv6_listens);
    RUN(should_connect_by_a_mapped_address);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
