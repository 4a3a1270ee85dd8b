/* The DSCP of connections: CodepointsTest looks at the packets. */
#include "both.h"

#define DSCP(codepoint) ((codepoint) << 2)

static int level;
static int name;

static void choose(int descriptor, int value) {
    int told = -1;
    socklen_t length = sizeof told;
    CHECK(setsockopt(descriptor, level, name, &value, sizeof value) == 0);
    CHECK(getsockopt(descriptor, level, name, &told, &length) == 0 && told == value);
}

static void exchange(int from, int to) {
    send_text(from, "there");
    expect_text(to, "there");
}

/* A listener and a connection: their DSCPs are chosen before, and after. */
static void connect_and_choose(const struct sockaddr *from, const struct sockaddr *at, socklen_t length) {
    struct sockaddr_storage bound;
    socklen_t octets = sizeof bound;
    int listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), near = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0 && near >= 0);
    choose(listener, DSCP(8));
    choose(near, DSCP(10));
    CHECK(bind(listener, at, length) == 0 && listen(listener, 1) == 0 && bind(near, from, length) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&bound, &octets) == 0);
    CHECK(connect(near, (struct sockaddr *)&bound, octets) == 0);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    exchange(near, far);
    exchange(far, near);
    choose(near, DSCP(46));
    exchange(near, far);
    choose(near, 0);
    exchange(near, far);
    CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
}

static void should_have_a_type_of_service(void) {
    level = IPPROTO_IP;
    name = IP_TOS;
    struct sockaddr_in from = address_of(near_address(), 0), at = address_of(FAR_ADDRESS, 0);
    connect_and_choose((struct sockaddr *)&from, (struct sockaddr *)&at, sizeof at);
}

static void should_have_a_traffic_class(void) {
    level = IPPROTO_IPV6;
    name = IPV6_TCLASS;
    struct sockaddr_in6 from = {.sin6_family = AF_INET6}, at = from;
    CHECK(inet_pton(AF_INET6, is_over_rddp() ? "2001:db8::1" : "::1", &from.sin6_addr) == 1);
    CHECK(inet_pton(AF_INET6, far_ipv6(), &at.sin6_addr) == 1);
    connect_and_choose((struct sockaddr *)&from, (struct sockaddr *)&at, sizeof at);
}

static void run_all(void) {
    RUN(should_have_a_type_of_service);
    RUN(should_have_a_traffic_class);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
