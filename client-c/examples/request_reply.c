/*
 * Requests and replies, from many clients to one server with one thread. All connections take their receives from one
 * shared queue, so the server's memory does not grow with the number of clients. A slot is posted as a receive, then as
 * the send of the reply, then as a receive again.
 *
 *   request_reply serve INTERFACE PORT
 *   request_reply ask INTERFACE ADDRESS PORT TEXT...
 */
#include <ctype.h>

#include "example.h"

#define SLOTS 16
#define SLOT 1024

static rddp_region *slots;
static rddp_receive_queue *receives;

static void receive(uint64_t slot) {
    struct rddp_piece piece = piece_of(slots, slot * SLOT, SLOT);
    struct rddp_request request = {.id = slot, .opcode = RDDP_RECEIVE, .pieces = &piece, .piece_count = 1};
    check(rddp_post_shared(receives, &request));
}

/* Answers a text with the same in upper case. */
static void answer(rddp_connection *client, uint64_t slot, uint64_t octets) {
    char *text = (char *)rddp_region_address(slots) + slot * SLOT;
    for (uint64_t i = 0; i < octets; i++) {
        text[i] = (char)toupper((unsigned char)text[i]);
    }
    struct rddp_piece piece = piece_of(slots, slot * SLOT, octets);
    struct rddp_request request = {.id = slot, .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &piece,
        .piece_count = 1};
    if (rddp_post(client, &request) != RDDP_OK) {
        check(rddp_disconnect(client, false));  /* it asks faster than it takes the replies */
        receive(slot);
    }
}

static void on_completion(const struct rddp_completion *completion) {
    bool is_request = completion->opcode == RDDP_RECEIVE && completion->status == RDDP_SUCCESS;
    if (is_request && completion->connection != NULL) {
        answer(completion->connection, completion->id, completion->octets);
    } else {
        receive(completion->id);  /* the reply has been sent, or the connection has ended */
    }
}

static void serve(rddp_session *session, const char *port) {
    check(rddp_allocate(session, SLOTS * SLOT, RDDP_LOCAL_WRITE, &slots));
    check(rddp_create_receive_queue(session, SLOTS, 0, &receives));
    for (uint64_t slot = 0; slot < SLOTS; slot++) {
        receive(slot);
    }
    /* Requests that find no receive wait in the daemon, and slow their senders down. */
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.receive_queue = receives;
    options.held_octets = 64 * SLOT;
    rddp_listener *listener = listen_at(session, port, &options);
    struct peers clients = {.count = 0};
    while (true) {
        struct rddp_completion completion;
        while (rddp_poll(session, &completion, 1) == 1) {
            on_completion(&completion);
        }
        accept_peers(&clients, listener, NULL, 0, 0);
        close_ended(&clients);
        wait_for_change(session);
    }
}

static void ask(rddp_session *session, rddp_connection *server, rddp_region *memory, const char *text) {
    size_t octets = strlen(text);
    if (octets > SLOT) {
        fail("the text is too long");
    }
    memcpy(rddp_region_address(memory), text, octets);
    struct rddp_piece question = piece_of(memory, 0, octets), reply = piece_of(memory, SLOT, SLOT);
    struct rddp_request receive = {.opcode = RDDP_RECEIVE, .pieces = &reply, .piece_count = 1};
    struct rddp_request send = {.opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &question, .piece_count = 1};
    check(rddp_post(server, &receive));
    check(rddp_post(server, &send));
    for (int left = 2; left > 0; left--) {
        struct rddp_completion completion = next_success(session);
        if (completion.opcode == RDDP_RECEIVE) {
            printf("%.*s\n", (int)completion.octets, (char *)rddp_region_address(memory) + SLOT);
        }
    }
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "serve") == 0) {
        serve(open_session(arguments[2]), arguments[3]);
    }
    if (count < 6 || strcmp(arguments[1], "ask") != 0) {
        fail("usage: request_reply serve INTERFACE PORT | ask INTERFACE ADDRESS PORT TEXT...");
    }
    rddp_session *session = open_session(arguments[2]);
    rddp_region *memory;
    rddp_connection *server;
    check(rddp_allocate(session, 2 * SLOT, RDDP_LOCAL_WRITE, &memory));
    check(rddp_connect(session, parse_address(arguments[3]), (uint16_t)atoi(arguments[4]), NULL, 0, TIMEOUT_MS, NULL,
        &server, NULL));
    for (int i = 5; i < count; i++) {
        ask(session, server, memory, arguments[i]);
    }
    close_connection(server);
    rddp_close(session);
    return 0;
}
