/*
 * Messages of many kinds from one thread to another, each with a session of its own: every one arrives whole and in
 * order, across many laps of the rings, and no wake-up is lost. The first argument is the daemon's socket, the second
 * the number of messages.
 */
#include "pair.h"

#define SLOTS 64
#define SLOT_OCTETS 512

static uint64_t messages;

/* Both ends use these numbers. */
static uint32_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void fill(uint8_t *octets, uint32_t length, uint64_t number) {
    for (uint32_t i = 0; i < length; i++) {
        octets[i] = (uint8_t)(number * 31 + i);
    }
}

static void *receive_all(void *argument) {
    struct end *end = argument;
    uint64_t state = 1, posted = 0;
    uint8_t expected[SLOT_OCTETS];
    for (uint64_t received = 0; received < messages; received++) {
        while (posted < messages && posted < received + SLOTS) {
            post(end, posted, RDDP_RECEIVE, posted % SLOTS * SLOT_OCTETS, SLOT_OCTETS, SIGNALLED);
            posted++;
        }
        struct rddp_completion completion = next_success(end, RDDP_RECEIVE, received);
        uint32_t length = draw(&state) % SLOT_OCTETS;
        CHECK(completion.octets == length);
        fill(expected, length, received);
        CHECK(memcmp(end->memory + received % SLOTS * SLOT_OCTETS, expected, length) == 0);
    }
    return NULL;
}

/* Inline, in one piece, or in as many as fit. */
static int send_one(struct end *end, uint64_t number, uint32_t length, uint32_t kind) {
    uint64_t place = number % SLOTS * SLOT_OCTETS;
    uint8_t *message = end->memory + place;
    fill(message, length, number);
    struct rddp_piece pieces[RDDP_MAX_PIECES];
    struct rddp_request request = {.id = number, .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED};
    if (kind == 0 && length <= RDDP_MAX_INLINE) {
        request.flags |= RDDP_INLINE;
        request.inline_data = message;
        request.inline_length = length;
    } else {
        request.piece_count = 1 + kind % RDDP_MAX_PIECES;
        uint32_t done = 0;
        for (unsigned i = 0; i < request.piece_count; i++) {
            uint32_t octets = i + 1 == request.piece_count ? length - done : length / request.piece_count;
            pieces[i] = piece(end, place + done, octets);
            done += octets;
        }
        request.pieces = pieces;
    }
    return rddp_post(end->connection, &request);
}

static void send_all(struct end *end) {
    uint64_t state = 1, completed = 0;
    for (uint64_t sent = 0; sent < messages; sent++) {
        uint32_t length = draw(&state) % SLOT_OCTETS;
        while (sent >= completed + SLOTS) {
            next_success(end, RDDP_SEND, completed++);
        }
        while (send_one(end, sent, length, (uint32_t)(sent % 9)) == RDDP_AGAIN) {
            next_success(end, RDDP_SEND, completed++);
        }
    }
    while (completed < messages) {
        next_success(end, RDDP_SEND, completed++);
    }
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: %s SOCKET MESSAGES\n", arguments[0]);
        return 2;
    }
    messages = strtoull(arguments[2], NULL, 10);
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.held_octets = 1 << 20;  /* the sender may be ahead of the receives */
    struct pair pair;
    open_pair(&pair, arguments[1], &options);
    pthread_t receiver;
    CHECK(pthread_create(&receiver, NULL, receive_all, &pair.two) == 0);
    send_all(&pair.one);
    CHECK(pthread_join(receiver, NULL) == 0);
    close_pair(&pair);
    puts("done");
    return 0;
}
