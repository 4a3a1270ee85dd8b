/*
 * Threads that use one session at the same time, as rddp.h allows: one posts, one polls, the others connect, disconnect,
 * allocate, register, listen and close. The argument is the daemon's socket.
 */
#include <sched.h>

#include "pair.h"

#define THREADS 3
#define ROUNDS 20

static struct pair pair;
static _Atomic int running = THREADS;

#define LEAST_WRITES 1000

static _Atomic uint64_t polled;
static _Atomic uint64_t posted_at_last = UINT64_MAX;

static rddp_connection *closed[THREADS][ROUNDS];

static void *use_session(void *argument) {
    int number = *(int *)argument;
    for (int i = 0; i < ROUNDS; i++) {
        rddp_region *region, *part;
        rddp_listener *listener;
        OK(rddp_allocate(pair.one.session, 4096, RDDP_LOCAL_WRITE, &region));
        OK(rddp_register_part(region, 0, 16, RDDP_REMOTE_READ, NULL, &part));
        OK(rddp_listen(pair.one.session, 0, 1, NULL, &listener));
        OK(rddp_connect(pair.one.session, ADDRESS_TWO, rddp_listener_port(pair.listener), NULL, 0, TIMEOUT_MS, NULL,
            &closed[number][i], NULL));
        OK(rddp_disconnect(closed[number][i], false));
        OK(rddp_await_closed(closed[number][i], TIMEOUT_MS));
        rddp_close_listener(listener);
        OK(rddp_free(part));
        OK(rddp_free(region));
    }
    running--;
    return NULL;
}

static void *accept_all(void *argument) {
    (void)argument;
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        rddp_connection *connection;
        OK(rddp_next_request(pair.listener, TIMEOUT_MS, &connection));
        /* The other end may have reset it already. */
        int result = rddp_accept(connection, NULL, 0, NULL);
        CHECK(result == RDDP_OK || result == RDDP_RESET || result == RDDP_NOT_FOUND || result == RDDP_STATE);
        OK(rddp_await_closed(connection, TIMEOUT_MS));
        rddp_forget(connection);
    }
    return NULL;
}

static void *post_all(void *argument) {
    (void)argument;
    struct rddp_piece octets = piece(&pair.one, 0, 64);
    uint64_t number = 0;
    while (running > 0 || number < LEAST_WRITES) {
        struct rddp_request request = to(&pair.two, 0);
        request.id = number;
        request.opcode = RDDP_WRITE;
        request.pieces = &octets;
        request.piece_count = 1;
        int result = rddp_post(pair.one.connection, &request);
        CHECK(result == RDDP_OK || result == RDDP_AGAIN);
        number += result == RDDP_OK;
        if (result == RDDP_AGAIN) {
            sched_yield();
        }
    }
    posted_at_last = number;
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    open_pair(&pair, arguments[1], NULL);
    pthread_t acceptor, poster, users[THREADS];
    int numbers[THREADS];
    CHECK(pthread_create(&acceptor, NULL, accept_all, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&users[i], NULL, use_session, &numbers[i]) == 0);
    }
    CHECK(pthread_create(&poster, NULL, post_all, NULL) == 0);
    while (polled < posted_at_last) {
        struct rddp_completion completion;
        if (rddp_poll(pair.one.session, &completion, 1) == 0) {
            int result = rddp_await(pair.one.session, 10);
            CHECK(result == RDDP_OK || result == RDDP_TIMEOUT);
            continue;
        }
        CHECK(completion.status == RDDP_SUCCESS);
        CHECK(completion.id == polled);
        polled++;
    }
    CHECK(pthread_join(poster, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(users[i], NULL) == 0);
        for (int j = 0; j < ROUNDS; j++) {
            rddp_forget(closed[i][j]);
        }
    }
    CHECK(pthread_join(acceptor, NULL) == 0);
    close_pair(&pair);
    puts("done");
    return 0;
}
