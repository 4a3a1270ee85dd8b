/*
 * Connection requests that end before the program takes or accepts them. The argument is the daemon's socket. The peer is a
 * session of librddp's in this process, on the interface "one"; ids listen on "two".
 */
#include "cm/cm.h"
#include "internal.h"
#include "peer.h"

#define REQUESTS 2000
#define AT_ONCE 6
#define ROUNDS 100
/* Fewer octets than what one request takes. */
#define MOST_LEFT (REQUESTS * sizeof(struct id) / 10)
#define LAST "last"

/* A function of both sanitizers; GCC installs no header for it. */
size_t __sanitizer_get_current_allocated_bytes(void);

static rddp_session *peer;
static struct rdma_event_channel *events;
static struct rdma_cm_id *listening;

static struct rdma_cm_id *listen_anew(void) {
    struct rdma_cm_id *id;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT_OF_PEER)};
    inet_pton(AF_INET, ADDRESS_OF_PEER, &at.sin_addr);
    CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&at) == 0 && rdma_listen(id, AT_ONCE) == 0);
    return id;
}

static rddp_connection *ask(const char *data) {
    rddp_connection *connection;
    CHECK(rddp_start_connect(peer, 0x0a000002, PORT_OF_PEER, data, strlen(data), DEADLINE_MS, NULL, &connection)
        == RDDP_OK);
    return connection;
}

struct counts {
    unsigned requests, ended;
};

static struct counts count_events(void) {
    struct counts counts = {0, 0};
    pthread_mutex_lock(&streams);
    for (const struct event *each = ((struct event_channel *)events)->first; each != NULL; each = each->next) {
        CHECK(each->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST);
        counts.requests++;
        counts.ended += id_of(each->ibv.id)->stream->told_end;
    }
    pthread_mutex_unlock(&streams);
    return counts;
}

/* Waits until the channel has so many requests, of which so many have ended. */
static void await_requests(unsigned requests, unsigned ended) {
    rddp_session *session = id_of(listening)->device->session;
    uint64_t deadline = deadline_after(DEADLINE_MS * 1000000ull);
    pthread_mutex_lock(&session->lock);
    struct counts counts = count_events();
    while (counts.requests != requests || counts.ended != ended) {
        if (!wait_changed(session, deadline)) {
            fprintf(stderr, "%u requests, of which %u have ended, instead of %u and %u\n", counts.requests, counts.ended,
                requests, ended);
            exit(1);
        }
        counts = count_events();
    }
    pthread_mutex_unlock(&session->lock);
}

static bool is_readable(void) {
    struct pollfd polled = {.fd = events->fd, .events = POLLIN};
    CHECK(poll(&polled, 1, 0) >= 0);
    return (polled.revents & POLLIN) != 0;
}

/* Takes the request, which the descriptor promises. */
static struct rdma_cm_id *take(void) {
    CHECK(is_readable());
    struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *id = event->id;
    CHECK(rdma_ack_cm_event(event) == 0);
    return id;
}

static void create_pair_of(struct end *end, struct rdma_cm_id *id) {
    end->id = id;
    equip(end);
}

static void should_keep_one_of_many_requests_that_end(void) {
    rddp_connection *first = ask("");
    await_requests(1, 0);
    rddp_forget(first);
    await_requests(1, 1);
    size_t before = __sanitizer_get_current_allocated_bytes();
    for (unsigned i = 0; i < REQUESTS; i++) {
        rddp_connection *connection = ask("");
        await_requests(1, 0);
        rddp_forget(connection);
        await_requests(1, 1);
    }
    end_streams(id_of(listening)->device);  /* what the device's thread has still to do */
    CHECK(__sanitizer_get_current_allocated_bytes() <= before + MOST_LEFT);
}

/* Goes on with the request that is left of the test before. */
static void should_refuse_to_accept_a_request_that_has_ended(void) {
    struct end end;
    create_pair_of(&end, take());
    CHECK(!is_readable());
    CHECK_ERRNO(EINVAL, rdma_accept(end.id, NULL) == -1);
    CHECK_ERRNO(EINVAL, rdma_reject(end.id, NULL, 0) == -1);
    CHECK(!is_readable());
    dismantle(&end);
}

static void should_tell_nothing_of_a_request_that_ends_after_it_was_taken(void) {
    rddp_connection *connection = ask("");
    await_requests(1, 0);
    struct end end;
    create_pair_of(&end, take());
    rddp_forget(connection);
    rddp_connection *ended = id_of(end.id)->stream->connection;
    CHECK(rddp_await_closed(ended, DEADLINE_MS) == RDDP_OK);
    CHECK_ERRNO(EINVAL, rdma_accept(end.id, NULL) == -1);
    CHECK(!is_readable());
    dismantle(&end);
}

static void should_keep_the_others_in_their_order(void) {
    for (unsigned ended = 0; ended < 3; ended++) {
        rddp_connection *asked[3];
        struct end ends[3];
        for (unsigned i = 0; i < 3; i++) {
            asked[i] = ask(i == 0 ? "0" : i == 1 ? "1" : "2");
            await_requests(i + 1, 0);
        }
        rddp_forget(asked[ended]);
        await_requests(2, 0);
        for (unsigned i = 0; i < 3; i++) {
            if (i != ended) {
                CHECK(is_readable());
                struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
                CHECK(((const char *)event->param.conn.private_data)[0] == '0' + (char)i);
                create_pair_of(&ends[i], event->id);
                CHECK(rdma_ack_cm_event(event) == 0);
            }
        }
        for (unsigned i = 0; i < 3; i++) {
            if (i != ended) {
                CHECK(rdma_accept(ends[i].id, NULL) == 0);
                await_event(events, RDMA_CM_EVENT_ESTABLISHED);
                CHECK(rddp_await_established(asked[i], DEADLINE_MS) == RDDP_OK);
                rddp_forget(asked[i]);
                await_event(events, RDMA_CM_EVENT_DISCONNECTED);
                dismantle(&ends[i]);
            }
        }
        CHECK(!is_readable());
    }
}

static void *take_until_last(void *argument) {
    bool last = false;
    while (!last) {
        struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
        last = event->param.conn.private_data_len == strlen(LAST);
        struct rdma_cm_id *id = event->id;
        CHECK(rdma_ack_cm_event(event) == 0);
        CHECK(rdma_destroy_id(id) == 0);
    }
    return argument;
}

/* Requests come, end and are taken at the same time. */
static void should_promise_no_event_that_is_not_there(void) {
    pthread_t taker;
    CHECK(pthread_create(&taker, NULL, take_until_last, NULL) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        rddp_connection *asked[AT_ONCE];
        for (unsigned j = 0; j < AT_ONCE; j++) {
            asked[j] = ask("");
        }
        for (unsigned j = 0; j < AT_ONCE; j++) {
            rddp_forget(asked[j]);
        }
    }
    /* The daemon resets it while the listener has no room; who takes it rejects it. */
    rddp_connection *last = ask(LAST);
    int result = rddp_await_established(last, DEADLINE_MS);
    while (result == RDDP_RESET) {
        rddp_forget(last);
        last = ask(LAST);
        result = rddp_await_established(last, DEADLINE_MS);
    }
    CHECK(result == RDDP_REFUSED);
    rddp_forget(last);
    CHECK(pthread_join(taker, NULL) == 0);
}

static void should_free_requests_with_their_listener(void) {
    for (unsigned i = 0; i < ROUNDS; i++) {
        rddp_connection *asked[AT_ONCE];
        for (unsigned j = 0; j < AT_ONCE; j++) {
            asked[j] = ask("");
        }
        for (unsigned j = 0; j < AT_ONCE / 2; j++) {
            rddp_forget(asked[j]);
        }
        CHECK(rdma_destroy_id(listening) == 0);
        CHECK(!is_readable());
        for (unsigned j = AT_ONCE / 2; j < AT_ONCE; j++) {
            rddp_forget(asked[j]);
        }
        listening = listen_anew();
    }
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    const struct rddp_session_options one = {.interface_name = "one"};
    CHECK(rddp_open(arguments[1], &one, &peer) == RDDP_OK);
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    listening = listen_anew();
    RUN(should_keep_one_of_many_requests_that_end);
    RUN(should_refuse_to_accept_a_request_that_has_ended);
    RUN(should_tell_nothing_of_a_request_that_ends_after_it_was_taken);
    RUN(should_keep_the_others_in_their_order);
    RUN(should_promise_no_event_that_is_not_there);
    RUN(should_free_requests_with_their_listener);
    CHECK(rdma_destroy_id(listening) == 0);
    rdma_destroy_event_channel(events);
    rddp_close(peer);
    puts("done");
    return 0;
}
