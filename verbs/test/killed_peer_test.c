/* What a program hears when its peer is killed while both send. The argument is the daemon's socket. */
#include "peer.h"

#define KILLS 5
#define FIRST_SEND 1000
#define DEPTH RECEIVES

static void post_write(struct end *end, uint64_t id) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory + 2048, .length = 1024, .lkey = end->region->lkey};
    struct ibv_send_wr *bad, work = {.wr_id = id, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &piece, .num_sge = 1,
        .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {end->peer.address + 2048, end->peer.rkey}};
    CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
}

/* Every request completes once and in its order: those before the end with success, the others flushed. */
static void expect_end(struct end *end, uint64_t next_send, uint64_t posted) {
    uint64_t next_receive = 0;
    bool failed = false;
    while (next_send < posted || next_receive < RECEIVES) {
        struct ibv_wc completion = next_completion(end);
        if (completion.wr_id < FIRST_SEND) {
            CHECK(completion.status == IBV_WC_WR_FLUSH_ERR && completion.wr_id == next_receive++);
        } else {
            CHECK(completion.wr_id == next_send++);
            CHECK(completion.status == IBV_WC_WR_FLUSH_ERR || (completion.status == IBV_WC_SUCCESS && !failed));
            failed = completion.status != IBV_WC_SUCCESS;
        }
    }
}

static void check_dead(struct end *end) {
    struct ibv_qp_attr state;
    struct ibv_qp_init_attr initial;
    CHECK(ibv_query_qp(end->id->qp, &state, IBV_QP_STATE, &initial) == 0 && state.qp_state == IBV_QPS_ERR);
    post_write(end, 1);
    expect(end, IBV_WC_WR_FLUSH_ERR, 1);
    struct pollfd polled = {.fd = end->id->verbs->async_fd, .events = POLLIN};
    CHECK(poll(&polled, 1, 0) == 0);
}

/* Writes, several hundred completions of which are awaited before the peer dies. */
static void should_hear_of_the_death(const char *socket, unsigned writes) {
    pid_t peer = start_peer(socket);
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct end end;
    CHECK(events != NULL);
    connect_end(events, &end);
    uint64_t posted = FIRST_SEND, completed = FIRST_SEND;
    while (posted < FIRST_SEND + DEPTH) {
        post_write(&end, posted++);
    }
    while (completed < FIRST_SEND + writes) {
        expect(&end, IBV_WC_SUCCESS, completed++);
        post_write(&end, posted++);
    }
    CHECK(kill(peer, SIGKILL) == 0 && waitpid(peer, NULL, 0) == peer);
    expect_end(&end, completed, posted);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    check_dead(&end);
    dismantle(&end);
    rdma_destroy_event_channel(events);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    srand(1);
    for (int i = 0; i < KILLS; i++) {
        unsigned writes = (unsigned)rand() % 500;
        int status;
        /* In a process of its own, which has no threads yet when it starts the peer. */
        pid_t test = fork();
        if (test == 0) {
            should_hear_of_the_death(arguments[1], writes);
            exit(0);
        }
        CHECK(test > 0 && waitpid(test, &status, 0) == test && status == 0);
    }
    puts("done");
    return 0;
}
