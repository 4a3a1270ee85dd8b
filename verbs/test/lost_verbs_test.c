/* The daemon ends while a program is connected: nothing hangs, all is flushed. The argument is the daemon's socket. */
#include "peer.h"

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    start_peer(arguments[1]);
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct end end;
    CHECK(events != NULL);
    connect_end(events, &end);
    puts("ready");
    fflush(stdout);

    for (uint64_t i = 0; i < RECEIVES; i++) {
        expect(&end, IBV_WC_WR_FLUSH_ERR, i);
    }
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    await_event(events, RDMA_CM_EVENT_DEVICE_REMOVAL);
    struct ibv_async_event event;
    CHECK(ibv_get_async_event(end.id->verbs, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_DEVICE_FATAL);
    ibv_ack_async_event(&event);
    post_receive(&end, 3);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 3);
    struct ibv_sge piece = {.addr = (uintptr_t)end.memory, .length = 8, .lkey = end.region->lkey};
    struct ibv_send_wr work = {.wr_id = 20, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1}, *bad;
    CHECK(ibv_post_send(end.id->qp, &work, &bad) == 0);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 20);
    CHECK(ibv_reg_mr(end.id->pd, end.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE) == NULL);
    dismantle(&end);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
