/* Interfaces without an address of IPv4. The argument is the daemon's socket. */
#include "pair.h"

static void should_list_interfaces_without_ipv4(const char *path) {
    struct rddp_interface interfaces[2];
    unsigned count;
    OK(rddp_list_interfaces(path, interfaces, 2, &count));
    CHECK(count == 2);
    for (unsigned i = 0; i < count; i++) {
        CHECK(interfaces[i].address == 0 && interfaces[i].prefix == 0 && interfaces[i].gateway == 0);
        CHECK(interfaces[i].ipv6_count == 2 && interfaces[i].ipv6_prefix[0] == 64);
        CHECK(IN6_IS_ADDR_LINKLOCAL(&interfaces[i].ipv6[1]));
    }
}

static void should_say_that_ipv4_is_missing(struct pair *pair) {
    rddp_connection *connection;
    rddp_listener *listener;
    CHECK(rddp_interface_address(pair->one.session) == 0);
    CHECK_RESULT(RDDP_NO_INTERFACE, rddp_listen(pair->two.session, 0, 8, NULL, &listener));
    CHECK_TEXT("the interface two has no IPv4 address");
    CHECK_RESULT(RDDP_UNREACHABLE,
        rddp_connect(pair->one.session, ADDRESS_TWO, 7, NULL, 0, TIMEOUT_MS, NULL, &connection, NULL));
    CHECK_TEXT("10.0.0.2 is IPv4, and the interface has no IPv4 address");
}

static void should_connect(struct pair *pair) {
    struct in6_addr two = {.s6_addr = {0x20, 0x01, 0x0d, 0xb8, [15] = 2}};
    struct rddp_connection_info info;
    pthread_t thread;
    OK(rddp_listen_ipv6(pair->two.session, &in6addr_any, 0, 8, NULL, &pair->listener));
    CHECK(pthread_create(&thread, NULL, accept_one, pair) == 0);
    OK(rddp_connect_ipv6(pair->one.session, &two, rddp_listener_port(pair->listener), "request", 7, TIMEOUT_MS, NULL,
        &pair->one.connection, &info));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(IN6_ARE_ADDR_EQUAL(&info.remote_ipv6, &two));
    CHECK(info.private_length == 5 && memcmp(info.private_data, "reply", 5) == 0);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    struct pair pair = {.accept = NULL};
    should_list_interfaces_without_ipv4(arguments[1]);
    open_end(&pair.one, arguments[1], "one");
    open_end(&pair.two, arguments[1], "two");
    should_say_that_ipv4_is_missing(&pair);
    should_connect(&pair);
    close_pair(&pair);
    puts("done");
    return 0;
}
