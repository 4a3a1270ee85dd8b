/*
 * A counter in the memory of one program, from which others draw numbers: each number is given out once. The owner only
 * accepts connections; the additions are atomic operations (RFC 7306), which its daemon carries out without the owner's
 * help.
 *
 *   atomic_counter own INTERFACE PORT
 *   atomic_counter draw INTERFACE ADDRESS PORT HOW-MANY
 */
#include <inttypes.h>

#include "example.h"

static void own(rddp_session *session, const char *port) {
    rddp_region *counter;
    check(rddp_allocate(session, sizeof(uint64_t), RDDP_LOCAL_WRITE | RDDP_REMOTE_ATOMIC, &counter));
    rddp_listener *listener = listen_at(session, port, NULL);
    struct remote_buffer where = announce(counter);
    struct peers clients = {.count = 0};
    while (true) {
        accept_peers(&clients, listener, &where, sizeof where, 1000);
        close_ended(&clients);
    }
}

/* A number that nobody else gets. */
static uint64_t next(rddp_session *session, rddp_connection *owner, const struct remote_buffer *counter,
    const rddp_region *before) {
    struct rddp_piece piece = piece_of(before, 0, sizeof(uint64_t));
    struct rddp_request add = {.opcode = RDDP_FETCH_ADD, .flags = RDDP_SIGNALLED, .pieces = &piece, .piece_count = 1,
        .remote_stag = counter->stag, .remote_to = counter->to, .operand = 1};
    check(rddp_post(owner, &add));
    next_success(session);
    return *(uint64_t *)rddp_region_address(before);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "own") == 0) {
        own(open_session(arguments[2]), arguments[3]);
    }
    if (count != 6 || strcmp(arguments[1], "draw") != 0) {
        fail("usage: atomic_counter own INTERFACE PORT | draw INTERFACE ADDRESS PORT HOW-MANY");
    }
    rddp_session *session = open_session(arguments[2]);
    rddp_region *before;
    rddp_connection *owner;
    struct rddp_connection_info info;
    check(rddp_allocate(session, sizeof(uint64_t), RDDP_LOCAL_WRITE, &before));
    check(rddp_connect(session, parse_address(arguments[3]), (uint16_t)atoi(arguments[4]), NULL, 0, TIMEOUT_MS, NULL,
        &owner, &info));
    struct remote_buffer counter = announced(&info);
    for (int i = 0; i < atoi(arguments[5]); i++) {
        printf("%" PRIu64 "\n", next(session, owner, &counter, before));
    }
    close_connection(owner);
    rddp_close(session);
    return 0;
}
