/* Two sessions with the daemon, one for each of its interfaces, and a connection between them. */
#ifndef PAIR_H
#define PAIR_H

#include <pthread.h>

#include "check.h"
#include "rddp.h"

#define ADDRESS_TWO 0x0a000002u
#define TIMEOUT_MS 10000u
#define MEMORY 65536u
#define ALL_RIGHTS (RDDP_LOCAL_WRITE | RDDP_REMOTE_READ | RDDP_REMOTE_WRITE | RDDP_REMOTE_ATOMIC | RDDP_MW_BIND)

struct end {
    rddp_session *session;
    rddp_region *region;
    uint8_t *memory;
    rddp_connection *connection;
};

struct pair {
    struct end one, two;
    rddp_listener *listener;
    const struct rddp_accept_options *accept;  /* may be NULL */
};

static inline void open_end(struct end *end, const char *path, const char *interface) {
    struct rddp_session_options options = {.interface_name = interface, .program_name = "test"};
    OK(rddp_open(path, &options, &end->session));
    OK(rddp_allocate(end->session, MEMORY, ALL_RIGHTS, &end->region));
    end->memory = rddp_region_address(end->region);
    end->connection = NULL;
}

static inline void *accept_one(void *argument) {
    struct pair *pair = argument;
    OK(rddp_next_request(pair->listener, TIMEOUT_MS, &pair->two.connection));
    OK(rddp_start_accept(pair->two.connection, "reply", 5, pair->accept));
    OK(rddp_await_established(pair->two.connection, TIMEOUT_MS));
    return NULL;
}

static inline void connect_pair(struct pair *pair, const struct rddp_connection_options *options) {
    pthread_t thread;
    OK(rddp_listen(pair->two.session, 0, 8, options, &pair->listener));
    CHECK(pthread_create(&thread, NULL, accept_one, pair) == 0);
    OK(rddp_connect(pair->one.session, ADDRESS_TWO, rddp_listener_port(pair->listener), "request", 7, TIMEOUT_MS,
        options, &pair->one.connection, NULL));
    CHECK(pthread_join(thread, NULL) == 0);
}

static inline void open_pair(struct pair *pair, const char *path, const struct rddp_connection_options *options) {
    open_end(&pair->one, path, "one");
    open_end(&pair->two, path, "two");
    pair->accept = NULL;
    connect_pair(pair, options);
}

static inline void close_pair(struct pair *pair) {
    rddp_forget(pair->one.connection);
    rddp_close_listener(pair->listener);
    rddp_forget(pair->two.connection);
    rddp_close(pair->one.session);
    rddp_close(pair->two.session);
}

/* Waits for the next completion. */
static inline struct rddp_completion next(struct end *end) {
    struct rddp_completion completion;
    while (rddp_poll(end->session, &completion, 1) == 0) {
        OK(rddp_await(end->session, TIMEOUT_MS));
    }
    return completion;
}

static inline struct rddp_completion next_success(struct end *end, enum rddp_opcode opcode, uint64_t id) {
    struct rddp_completion completion = next(end);
    if (completion.status != RDDP_SUCCESS) {
        fprintf(stderr, "request %llu: %s\n", (unsigned long long)completion.id, rddp_status_name(completion.status));
    }
    CHECK(completion.status == RDDP_SUCCESS);
    CHECK(completion.opcode == opcode);
    CHECK(completion.id == id);
    CHECK(completion.connection == end->connection);
    return completion;
}

static inline struct rddp_piece piece(const struct end *end, uint64_t offset, uint64_t length) {
    struct rddp_piece made = {.stag = rddp_region_stag(end->region), .offset = offset, .length = length};
    return made;
}

/* Posts a request of one piece. */
static inline void post(struct end *end, uint64_t id, enum rddp_opcode opcode, uint64_t offset, uint64_t length,
    struct rddp_request request) {
    struct rddp_piece one = piece(end, offset, length);
    request.id = id;
    request.opcode = opcode;
    request.pieces = &one;
    request.piece_count = 1;
    OK(rddp_post(end->connection, &request));
}

#define SIGNALLED ((struct rddp_request){.flags = RDDP_SIGNALLED})

/* To the other end's region, at an offset. */
static inline struct rddp_request to(const struct end *other, uint64_t offset) {
    struct rddp_request request = {.flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(other->region),
        .remote_to = rddp_region_base(other->region) + offset};
    return request;
}

#endif
