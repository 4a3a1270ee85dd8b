/*
 * A publisher writes each message into the memory of every subscriber, which has a ring of slots for that, and sends the
 * message's length behind it: when a subscriber has the length, the message is there. A subscriber says with empty
 * messages how many it has taken; the publisher waits for the slowest.
 *
 *   publisher INTERFACE PORT SUBSCRIBERS      publishes the lines of its input once so many have subscribed
 */
#include "example.h"
#include "published.h"

struct subscriber {
    rddp_connection *connection;
    struct remote_buffer ring;
    uint64_t sent, taken;
};

static rddp_session *session;
static rddp_region *ring;
static struct subscriber *subscribers;
static int subscriber_count;

/* For the next empty message. */
static void receive(rddp_connection *connection) {
    struct rddp_request request = {.opcode = RDDP_RECEIVE};
    check(rddp_post(connection, &request));
}

static void accept_subscriber(rddp_listener *listener, struct subscriber *subscriber) {
    struct rddp_connection_info info;
    check(rddp_next_request(listener, 60000, &subscriber->connection));
    rddp_connection_info(subscriber->connection, &info);
    subscriber->ring = announced(&info);
    rddp_attach(subscriber->connection, subscriber);
    for (int i = 0; i < SLOTS; i++) {
        receive(subscriber->connection);
    }
    check(rddp_accept(subscriber->connection, NULL, 0, NULL));
}

/* Notes what subscribers have taken. */
static void poll_all(void) {
    struct rddp_completion completion;
    while (rddp_poll(session, &completion, 1) == 1) {
        if (completion.opcode == RDDP_RECEIVE && completion.status == RDDP_SUCCESS) {
            struct subscriber *subscriber = rddp_attachment(completion.connection);
            subscriber->taken++;
            receive(completion.connection);
        }
    }
}

/* Waits until every subscriber has taken all texts but so many. One that has gone is not waited for. */
static void wait_until_taken(uint64_t but) {
    for (int i = 0; i < subscriber_count; i++) {
        struct subscriber *subscriber = &subscribers[i];
        poll_all();
        while (subscriber->sent - subscriber->taken > but
            && rddp_connection_state(subscriber->connection) == RDDP_ESTABLISHED) {
            wait_for_change(session);
            poll_all();
        }
    }
}

static void publish(uint64_t number, size_t octets) {
    struct rddp_piece text = piece_of(ring, number % SLOTS * SLOT, octets);
    for (int i = 0; i < subscriber_count; i++) {
        struct subscriber *to = &subscribers[i];
        struct rddp_request write = {.opcode = RDDP_WRITE_IMMEDIATE, .flags = RDDP_SIGNALLED, .pieces = &text,
            .piece_count = 1, .remote_stag = to->ring.stag, .remote_to = to->ring.to + number % SLOTS * SLOT,
            .immediate = octets};
        while (rddp_post(to->connection, &write) == RDDP_AGAIN) {
            wait_for_change(session);
            poll_all();
        }
        to->sent++;
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fail("usage: publisher INTERFACE PORT SUBSCRIBERS");
    }
    session = open_session(arguments[1]);
    subscriber_count = atoi(arguments[3]);
    subscribers = calloc((size_t)subscriber_count, sizeof *subscribers);
    if (subscribers == NULL) {
        fail("no memory");
    }
    check(rddp_allocate(session, SLOTS * SLOT, RDDP_LOCAL_WRITE, &ring));
    rddp_listener *listener = listen_at(session, arguments[2], NULL);
    for (int i = 0; i < subscriber_count; i++) {
        accept_subscriber(listener, &subscribers[i]);
    }
    char line[SLOT + 1];
    for (uint64_t number = 0; fgets(line, sizeof line, stdin) != NULL; number++) {
        wait_until_taken(SLOTS - 1);  /* so the slot is free at both ends */
        size_t octets = strcspn(line, "\n");
        memcpy((char *)rddp_region_address(ring) + number % SLOTS * SLOT, line, octets);
        publish(number, octets);
    }
    wait_until_taken(0);
    for (int i = 0; i < subscriber_count; i++) {
        close_connection(subscribers[i].connection);
    }
    free(subscribers);
    rddp_close(session);
    return 0;
}
