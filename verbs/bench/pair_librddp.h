/* The two programs over librddp. */
#include <pthread.h>

#include "pair.h"
#include "rddp.h"

#define TIMEOUT_MS 10000u
#define CONTROL_PORT 7480

#define OK(call) EXPECT((call) == RDDP_OK, rddp_error())

struct end {
    rddp_session *session;
    rddp_connection *connection;
    rddp_region *region;
    uint8_t *source, *sink;
    struct end *peer;
};

static void open_end(struct end *end, const struct place *place) {
    struct rddp_session_options options = {.interface_name = place->interface, .program_name = "loops"};
    OK(rddp_open(NULL, &options, &end->session));
    OK(rddp_allocate(end->session, 2 * LONGEST, RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE, &end->region));
    end->source = rddp_region_address(end->region);
    end->sink = end->source + LONGEST;
}

struct accepting {
    rddp_listener *listener;
    struct end *far;
};

static void *accept_one(void *argument) {
    struct accepting *accepting = argument;
    OK(rddp_next_request(accepting->listener, TIMEOUT_MS, &accepting->far->connection));
    OK(rddp_start_accept(accepting->far->connection, NULL, 0, NULL));
    OK(rddp_await_established(accepting->far->connection, TIMEOUT_MS));
    return NULL;
}

static void open_pair(struct end *near, const struct place *near_place, struct end *far, const struct place *far_place) {
    pthread_t thread;
    struct accepting accepting = {.far = far};
    open_end(near, near_place);
    open_end(far, far_place);
    OK(rddp_listen(far->session, CONTROL_PORT, 1, NULL, &accepting.listener));
    EXPECT(pthread_create(&thread, NULL, accept_one, &accepting) == 0, "no thread");
    OK(rddp_connect(
        near->session, far_place->address, CONTROL_PORT, NULL, 0, TIMEOUT_MS, NULL, &near->connection, NULL));
    EXPECT(pthread_join(thread, NULL) == 0, "the thread that accepts");
    near->peer = far;
    far->peer = near;
}

/* Writes what is at the begin of the source to the begin of the peer's sink; false while queues are full. */
static inline bool post_write(struct end *end, uint32_t octets) {
    struct rddp_piece piece = {.stag = rddp_region_stag(end->region), .length = octets};
    struct rddp_request request = {.opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED, .pieces = &piece, .piece_count = 1,
        .remote_stag = rddp_region_stag(end->peer->region), .remote_to = rddp_region_base(end->peer->region) + LONGEST};
    int result = rddp_post(end->connection, &request);
    EXPECT(result == RDDP_OK || result == RDDP_AGAIN, rddp_error());
    return result == RDDP_OK;
}

static inline bool post_send(struct end *end, uint32_t octets) {
    struct rddp_piece piece = {.stag = rddp_region_stag(end->region), .length = octets};
    struct rddp_request request = {
        .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &piece, .piece_count = 1};
    int result = rddp_post(end->connection, &request);
    EXPECT(result == RDDP_OK || result == RDDP_AGAIN, rddp_error());
    return result == RDDP_OK;
}

static inline void post_receive(struct end *end) {
    struct rddp_piece piece = {.stag = rddp_region_stag(end->region), .offset = LONGEST, .length = LONGEST};
    struct rddp_request request = {.opcode = RDDP_RECEIVE, .pieces = &piece, .piece_count = 1};
    OK(rddp_post(end->connection, &request));
}

/* Takes completions; `received` counts those of receives. Returns how many there were. */
static inline unsigned take_completions(struct end *end, unsigned *received) {
    struct rddp_completion completions[AT_ONCE];
    int count = rddp_poll(end->session, completions, AT_ONCE);
    for (int i = 0; i < count; i++) {
        EXPECT(completions[i].status == RDDP_SUCCESS, rddp_status_name(completions[i].status));
        *received += completions[i].opcode == RDDP_RECEIVE;
    }
    EXPECT(count > 0 || rddp_session_state(end->session) == RDDP_OK, rddp_error());
    return (unsigned)count;
}
