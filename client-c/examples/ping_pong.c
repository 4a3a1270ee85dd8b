/*
 * Round trips of RDMA Writes: each program writes the number of the round into the other's memory, and looks into its
 * own until the answer is there. Nothing is received, and neither sleeps. The number is the first and the last word of a
 * slot, as docs/programming.md explains (Memory that is polled).
 *
 *   ping_pong serve INTERFACE PORT
 *   ping_pong play INTERFACE ADDRESS PORT ROUNDS
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <time.h>

#include "example.h"

#define YIELD_EVERY 16  /* looks: there may be fewer cores than engines and programs */
#define ASK_EVERY 1000

struct slot {
    _Atomic uint64_t first, last;
};

/* The peer writes the slot in; out is sent. */
struct slots {
    struct slot in, out;
};

static rddp_session *session;
static rddp_region *memory;
static struct slots *slots;
static rddp_connection *peer;

static void write_round(const struct remote_buffer *remote, uint64_t round) {
    atomic_store_explicit(&slots->out.first, round, memory_order_relaxed);
    atomic_store_explicit(&slots->out.last, round, memory_order_relaxed);
    struct rddp_piece piece = piece_of(memory, offsetof(struct slots, out), sizeof(struct slot));
    struct rddp_request write = {.id = round, .opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED, .pieces = &piece,
        .piece_count = 1, .remote_stag = remote->stag, .remote_to = remote->to};
    check(rddp_post(peer, &write));
}

/* The last word is written last, so it is read first. */
static bool is_there(uint64_t round) {
    return atomic_load_explicit(&slots->in.last, memory_order_acquire) == round
        && atomic_load_explicit(&slots->in.first, memory_order_acquire) == round;
}

/* Looks until the peer has written a round's number; false if it leaves instead. */
static bool await_round(uint64_t round) {
    for (unsigned looks = 1; !is_there(round); looks++) {
        struct rddp_completion completions[16];
        struct rddp_connection_info info;
        rddp_poll(session, completions, 16);  /* makes room for the next Writes */
        if (looks % YIELD_EVERY == 0) {
            rddp_yield(session);
        }
        if (looks % ASK_EVERY == 0) {
            rddp_connection_info(peer, &info);
            if (info.peer_closed || info.state == RDDP_CLOSED) {
                return is_there(round);
            }
        }
    }
    return true;
}

/* Answers one peer until it closes the connection. */
static void serve(const char *port) {
    rddp_listener *listener = listen_at(session, port, NULL);
    struct rddp_connection_info info;
    check(rddp_next_request(listener, 60000, &peer));
    rddp_connection_info(peer, &info);
    struct remote_buffer remote = announced(&info), where = announce(memory);
    check(rddp_accept(peer, &where, sizeof where, NULL));
    for (uint64_t round = 1; await_round(round); round++) {
        write_round(&remote, round);
    }
    close_connection(peer);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* Prints percentiles of times in ns, which it sorts; thousandths of them are at or below each. */
static void print_times(uint64_t *times, size_t count) {
    static const size_t THOUSANDTHS[] = {500, 990, 999, 1000};
    static const char *const NAMES[] = {"p50", "p99", "p99.9", "max"};
    qsort(times, count, sizeof *times, compare);
    printf("%zu rounds:", count);
    for (int i = 0; i < 4; i++) {
        size_t at_or_below = (count * THOUSANDTHS[i] + 999) / 1000;
        printf("%s %s %.1f us", i == 0 ? "" : ",", NAMES[i], (double)times[at_or_below - 1] / 1e3);
    }
    printf("\n");
}

static void play(const char *address, const char *port, size_t rounds) {
    uint64_t *times = malloc(rounds * sizeof *times);
    struct rddp_connection_info info;
    struct remote_buffer where = announce(memory);
    if (times == NULL) {
        fail("no memory");
    }
    check(rddp_connect(session, parse_address(address), (uint16_t)atoi(port), &where, sizeof where, TIMEOUT_MS, NULL,
        &peer, &info));
    struct remote_buffer remote = announced(&info);
    for (size_t i = 0; i < rounds; i++) {
        uint64_t start = now_ns();
        write_round(&remote, i + 1);
        if (!await_round(i + 1)) {
            fail("the peer has left");
        }
        times[i] = now_ns() - start;
    }
    close_connection(peer);
    print_times(times, rounds);
    free(times);
}

int main(int count, char **arguments) {
    bool serves = count == 4 && strcmp(arguments[1], "serve") == 0;
    if (!serves && (count != 6 || strcmp(arguments[1], "play") != 0 || atoi(arguments[5]) < 1)) {
        fail("usage: ping_pong serve INTERFACE PORT | play INTERFACE ADDRESS PORT ROUNDS");
    }
    session = open_session(arguments[2]);
    check(rddp_allocate(session, sizeof(struct slots), RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE, &memory));
    slots = rddp_region_address(memory);
    if (serves) {
        serve(arguments[3]);
    } else {
        play(arguments[3], arguments[4], (size_t)atoi(arguments[5]));
    }
    rddp_close(session);
    return 0;
}
