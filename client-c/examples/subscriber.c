/*
 * Prints what a publisher publishes.
 *
 *   subscriber INTERFACE ADDRESS PORT TEXTS
 */
#include "example.h"
#include "published.h"

static rddp_region *slots, *lengths;

/* For the length that comes behind the next text. */
static void receive(rddp_connection *publisher) {
    struct rddp_piece piece = piece_of(lengths, 0, 8);
    struct rddp_request request = {.opcode = RDDP_RECEIVE, .pieces = &piece, .piece_count = 1};
    check(rddp_post(publisher, &request));
}

/* Tells the publisher that one more slot is free. */
static void tell_taken(rddp_connection *publisher) {
    struct rddp_request send = {.opcode = RDDP_SEND, .flags = RDDP_SIGNALLED};
    check(rddp_post(publisher, &send));
}

static rddp_connection *subscribe(rddp_session *session, const char *address, const char *port) {
    /* The publisher, which accepts, is the first to send. What comes before a receive is posted waits in the daemon. */
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.peer_to_peer = RDDP_YES;
    options.held_octets = 1 << 16;
    struct remote_buffer where = announce(slots);
    rddp_connection *publisher;
    check(rddp_connect(session, parse_address(address), (uint16_t)atoi(port), &where, sizeof where, TIMEOUT_MS,
        &options, &publisher, NULL));
    return publisher;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fail("usage: subscriber INTERFACE ADDRESS PORT TEXTS");
    }
    rddp_session *session = open_session(arguments[1]);
    check(rddp_allocate(session, SLOTS * SLOT, RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE, &slots));
    check(rddp_allocate(session, 8, RDDP_LOCAL_WRITE, &lengths));
    rddp_connection *publisher = subscribe(session, arguments[2], arguments[3]);
    int texts = atoi(arguments[4]), posted = 0, taken = 0, told = 0;
    while (told < texts) {
        while (posted < texts && posted < taken + SLOTS) {
            receive(publisher);
            posted++;
        }
        struct rddp_completion completion = next_success(session);
        if (completion.opcode == RDDP_SEND) {
            told++;
            continue;
        }
        const char *text = (const char *)rddp_region_address(slots) + taken % SLOTS * SLOT;
        printf("%.*s\n", (int)completion.immediate, text);
        taken++;
        tell_taken(publisher);
    }
    close_connection(publisher);
    rddp_close(session);
    return 0;
}
