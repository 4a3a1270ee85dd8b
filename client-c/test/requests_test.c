/*
 * Connection requests that end before the program takes them leave nothing. Arguments: the daemon's socket, how many there
 * are.
 */
#include "internal.h"
#include "pair.h"

/* A function of both sanitizers; GCC installs no header for it. */
size_t __sanitizer_get_current_allocated_bytes(void);

/* Fewer octets than one connection takes for each request. */
#define MOST_LEFT(requests) ((size_t)(requests) * sizeof(rddp_connection) / 10)

static rddp_session *peer, *listening;
static rddp_listener *listener;

static rddp_connection *ask(void) {
    rddp_connection *connection;
    OK(rddp_start_connect(
        peer, ADDRESS_TWO, rddp_listener_port(listener), NULL, 0, TIMEOUT_MS, NULL, &connection));
    return connection;
}

static unsigned count_waiting(void) {
    unsigned count = 0;
    for (const rddp_connection *each = listener->first; each != NULL; each = each->next_request) {
        CHECK(each->next_request != NULL || listener->last == each);
        count++;
    }
    CHECK((count == 0) == (listener->last == NULL));
    return count;
}

static void await_waiting(unsigned count) {
    uint64_t deadline = deadline_after(TIMEOUT_MS * 1000000ull);
    pthread_mutex_lock(&listening->lock);
    while (count_waiting() != count) {
        CHECK(wait_changed(listening, deadline));
    }
    pthread_mutex_unlock(&listening->lock);
}

static void count_object(void *object, void *argument) {
    (void)object;
    ++*(unsigned *)argument;
}

static unsigned count_connections(void) {
    unsigned count = 0;
    pthread_mutex_lock(&listening->lock);
    for_each_object(&listening->connections, count_object, &count);
    pthread_mutex_unlock(&listening->lock);
    return count;
}

static void ask_and_reset(void) {
    rddp_connection *connection = ask();
    await_waiting(1);
    rddp_forget(connection);
    await_waiting(0);
}

static void should_leave_nothing_of_requests_that_have_ended(int requests) {
    ask_and_reset();  /* what is allocated once */
    size_t before = __sanitizer_get_current_allocated_bytes();
    for (int i = 0; i < requests; i++) {
        ask_and_reset();
    }
    CHECK(count_connections() == 0);
    CHECK(__sanitizer_get_current_allocated_bytes() <= before + MOST_LEFT(requests));
    rddp_connection *none;
    CHECK_RESULT(RDDP_TIMEOUT, rddp_next_request(listener, 0, &none));
}

/* The one that ends is the first, the last, or between others. */
static void should_keep_the_others_in_their_order(void) {
    for (unsigned ended = 0; ended < 3; ended++) {
        rddp_connection *asked[3], *taken[2];
        struct rddp_connection_info info, of_peer;
        for (unsigned i = 0; i < 3; i++) {
            asked[i] = ask();
            await_waiting(i + 1);
        }
        rddp_forget(asked[ended]);
        await_waiting(2);
        for (unsigned i = 0; i < 2; i++) {
            OK(rddp_next_request(listener, TIMEOUT_MS, &taken[i]));
            rddp_connection *expected = asked[i < ended ? i : i + 1];
            OK(rddp_accept(taken[i], NULL, 0, NULL));
            OK(rddp_await_established(expected, TIMEOUT_MS));
            rddp_connection_info(taken[i], &info);
            rddp_connection_info(expected, &of_peer);
            CHECK(info.remote_port == of_peer.local_port);
        }
        CHECK(count_connections() == 2);
        for (unsigned i = 0; i < 2; i++) {
            rddp_forget(taken[i]);
            rddp_forget(asked[i < ended ? i : i + 1]);
        }
        CHECK(count_connections() == 0);
    }
}

static void should_tell_the_end_of_a_request_that_was_taken(void) {
    rddp_connection *asked = ask(), *taken;
    OK(rddp_next_request(listener, TIMEOUT_MS, &taken));
    rddp_forget(asked);
    OK(rddp_await_closed(taken, TIMEOUT_MS));
    CHECK(rddp_accept(taken, NULL, 0, NULL) != RDDP_OK);
    rddp_forget(taken);
}

static void should_free_what_waits_when_the_listener_or_the_session_is_closed(void) {
    rddp_connection *asked[2] = {ask(), ask()};
    await_waiting(2);
    rddp_close_listener(listener);
    CHECK(count_connections() == 0);
    rddp_forget(asked[0]);
    rddp_forget(asked[1]);
    OK(rddp_listen(listening, 0, 8, NULL, &listener));
    rddp_connection *last = ask();
    await_waiting(1);
    rddp_close(listening);
    rddp_forget(last);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    const struct rddp_session_options one = {.interface_name = "one"}, two = {.interface_name = "two"};
    OK(rddp_open(arguments[1], &one, &peer));
    OK(rddp_open(arguments[1], &two, &listening));
    OK(rddp_listen(listening, 0, 8, NULL, &listener));
    should_leave_nothing_of_requests_that_have_ended((int)strtol(arguments[2], NULL, 10));
    should_keep_the_others_in_their_order();
    should_tell_the_end_of_a_request_that_was_taken();
    should_free_what_waits_when_the_listener_or_the_session_is_closed();
    rddp_close(peer);
    puts("done");
    return 0;
}
