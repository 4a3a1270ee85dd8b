/* Queue pairs that find each other by numbers. The argument is the daemon's socket. */
#include "pair.h"

#define ADDRESS_ONE 0x0a000001u
#define PSN_ONE 0x111111u
#define PSN_TWO 0x222222u

static struct in6_addr mapped_address(uint32_t address) {
    struct in6_addr made = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = (uint8_t)(address >> 24),
                                [13] = (uint8_t)(address >> 16), [14] = (uint8_t)(address >> 8), [15] = (uint8_t)address}};
    return made;
}

static struct rddp_expectation two_as_peer(uint32_t own, uint32_t peer) {
    struct rddp_expectation made = {.number = own, .remote_number = peer, .local = mapped_address(ADDRESS_ONE),
        .remote = mapped_address(ADDRESS_TWO), .psn = PSN_ONE, .remote_psn = PSN_TWO};
    return made;
}

static struct rddp_expectation one_as_peer(uint32_t own, uint32_t peer) {
    struct rddp_expectation made = {.number = own, .remote_number = peer, .local = mapped_address(ADDRESS_TWO),
        .remote = mapped_address(ADDRESS_ONE), .psn = PSN_TWO, .remote_psn = PSN_ONE};
    return made;
}

static void expect(struct end *end, const struct rddp_expectation *expectation) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.held_octets = 4096;
    OK(rddp_expect(end->session, expectation, &options, &end->connection));
}

/* Requests wait until the peer is there. */
static void exchange(struct end *first, struct end *second) {
    memcpy(first->memory, "from the first one", 19);
    memcpy(second->memory, "from the second one", 20);
    post(second, 1, RDDP_RECEIVE, 100, 100, SIGNALLED);
    post(first, 1, RDDP_RECEIVE, 100, 100, SIGNALLED);
    post(first, 2, RDDP_SEND, 0, 19, SIGNALLED);
    post(second, 2, RDDP_SEND, 0, 20, SIGNALLED);
    struct end *ends[] = {first, second};
    for (int i = 0; i < 2; i++) {
        OK(rddp_await_established(ends[i]->connection, TIMEOUT_MS));
        for (int n = 0; n < 2; n++) {
            struct rddp_completion completion = next(ends[i]);
            CHECK(completion.status == RDDP_SUCCESS);
            CHECK(completion.octets == (completion.opcode == RDDP_RECEIVE ? (i == 0 ? 20 : 19) : (i == 0 ? 19 : 20)));
        }
    }
    CHECK(memcmp(first->memory + 100, "from the second one", 20) == 0);
    CHECK(memcmp(second->memory + 100, "from the first one", 19) == 0);
}

static void end_both(struct pair *pair) {
    OK(rddp_disconnect(pair->one.connection, true));
    OK(rddp_await_closed(pair->two.connection, TIMEOUT_MS));
    rddp_forget(pair->one.connection);
    rddp_forget(pair->two.connection);
}

static void should_connect_in_either_order(struct pair *pair, uint32_t one, uint32_t two) {
    struct rddp_expectation of_one = two_as_peer(one, two), of_two = one_as_peer(two, one);
    expect(&pair->one, &of_one);
    CHECK(rddp_connection_state(pair->one.connection) == RDDP_CONNECTING);
    expect(&pair->two, &of_two);
    exchange(&pair->one, &pair->two);
    struct rddp_connection_info info;
    rddp_connection_info(pair->two.connection, &info);
    CHECK(info.remote_address == ADDRESS_ONE && info.local_address == ADDRESS_TWO);
    OK(rddp_disconnect(pair->two.connection, true));
    end_both(pair);
    expect(&pair->two, &of_two);
    expect(&pair->one, &of_one);
    exchange(&pair->one, &pair->two);
    OK(rddp_disconnect(pair->two.connection, true));
    end_both(pair);
}

static void should_wait_for_a_psn(struct pair *pair, uint32_t one, uint32_t two) {
    struct rddp_expectation of_one = two_as_peer(one, two), of_two = one_as_peer(two, one);
    of_one.psn = of_two.psn = RDDP_UNKNOWN_PSN;
    expect(&pair->one, &of_one);
    expect(&pair->two, &of_two);
    OK(rddp_expect_psn(pair->one.connection, PSN_ONE, TIMEOUT_MS));
    exchange(&pair->one, &pair->two);
    OK(rddp_expect_psn(pair->two.connection, PSN_TWO, TIMEOUT_MS)); /* too late to mean anything */
    OK(rddp_disconnect(pair->two.connection, true));
    end_both(pair);
}

static void should_fail_in_time(struct pair *pair, uint32_t one) {
    struct rddp_expectation nobody = two_as_peer(one, 0xffffff);
    nobody.timeout_ms = 20;
    expect(&pair->one, &nobody);
    post(&pair->one, 7, RDDP_SEND, 0, 1, SIGNALLED);
    CHECK(next(&pair->one).status == RDDP_FLUSHED);
    CHECK_RESULT(RDDP_TIMEOUT, rddp_await_established(pair->one.connection, TIMEOUT_MS));
    CHECK_TEXT("queue pair 0xffffff of 10.0.0.2");
    rddp_forget(pair->one.connection);
}

static void should_refuse_what_cannot_be(struct pair *pair, uint32_t one, uint32_t two) {
    rddp_connection *connection;
    struct rddp_expectation expectation = two_as_peer(one, two);
    expectation.remote = (struct in6_addr){.s6_addr = {0x20, 0x01, 0x0d, 0xb8, [15] = 2}};
    CHECK_RESULT(RDDP_INVALID, rddp_expect(pair->one.session, &expectation, NULL, &connection));
    expectation = two_as_peer(two, one);
    CHECK_RESULT(RDDP_NOT_FOUND, rddp_expect(pair->one.session, &expectation, NULL, &connection));
    CHECK_RESULT(RDDP_NOT_FOUND, rddp_free_number(pair->one.session, two));
    expectation = two_as_peer(one, two);
    expect(&pair->one, &expectation);
    CHECK_RESULT(RDDP_STATE, rddp_expect(pair->one.session, &expectation, NULL, &connection));
    CHECK_RESULT(RDDP_STATE, rddp_free_number(pair->one.session, one));
    OK(rddp_disconnect(pair->one.connection, false));
    OK(rddp_await_closed(pair->one.connection, TIMEOUT_MS));
    rddp_forget(pair->one.connection);
    OK(rddp_free_number(pair->one.session, one));
    CHECK_RESULT(RDDP_NOT_FOUND, rddp_free_number(pair->one.session, one));
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    struct pair pair = {.accept = NULL};
    open_end(&pair.one, arguments[1], "one");
    open_end(&pair.two, arguments[1], "two");
    uint32_t one, two;
    OK(rddp_create_number(pair.one.session, &one));
    OK(rddp_create_number(pair.two.session, &two));
    CHECK(one > 1 && one < 1u << 24 && two > 1 && two < 1u << 24);
    should_connect_in_either_order(&pair, one, two);
    should_wait_for_a_psn(&pair, one, two);
    should_fail_in_time(&pair, one);
    should_refuse_what_cannot_be(&pair, one, two);
    rddp_close(pair.one.session);
    rddp_close(pair.two.session);
    puts("done");
    return 0;
}
