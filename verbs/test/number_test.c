/*
 * Queue pairs that are connected by number (ibv_modify_qp), between the interfaces "one" and "two", both in this process. The
 * argument is the daemon's socket.
 */
#include "halves.h"

#define ROUNDS 50

/* ---- Connecting ---- */

static void should_connect_whoever_is_ready_first(void) {
    for (int first = 0; first < 2; first++) {
        struct half ends[2];
        create_two(&ends[0], &ends[1], 0);
        to_rtr(&ends[first], &ends[!first]);
        to_rts(&ends[first]);
        to_rtr(&ends[!first], &ends[first]);
        to_rts(&ends[!first]);
        exchange(&ends[0], &ends[1]);
        destroy(&ends[first]);
        destroy(&ends[!first]);
    }
}

static void *make_ready(void *argument) {
    struct half **ends = argument;
    to_rtr(ends[0], ends[1]);
    to_rts(ends[0]);
    return NULL;
}

static void should_connect_when_both_are_ready_at_once(void) {
    for (int i = 0; i < ROUNDS; i++) {
        struct half one, two;
        create_two(&one, &two, 0);
        struct half *forth[] = {&one, &two}, *back[] = {&two, &one};
        pthread_t other;
        CHECK(pthread_create(&other, NULL, make_ready, back) == 0);
        make_ready(forth);
        CHECK(pthread_join(other, NULL) == 0);
        exchange(&one, &two);
        destroy(&two);
        destroy(&one);
    }
}

static void should_connect_by_each_gid_of_both(void) {
    struct ibv_port_attr port;
    CHECK(ibv_query_port(contexts[0], 1, &port) == 0 && port.gid_tbl_len == 3);
    for (int gid = 0; gid < port.gid_tbl_len; gid++) {
        struct half one, two;
        create_two(&one, &two, 0);
        one.gid = two.gid = gid;
        connect_two(&one, &two);
        exchange(&one, &two);
        destroy(&one);
        destroy(&two);
    }
}

static void should_connect_two_queue_pairs_of_one_interface(void) {
    struct half one, two;
    create(&one, 0, NULL);
    create(&two, 0, NULL);
    to_init(&one, 0);
    to_init(&two, 0);
    connect_two(&one, &two);
    exchange(&one, &two);
    destroy(&one);
    destroy(&two);
}

/* The peer stays at RTR: it receives, and never sends. */
static void should_send_to_a_peer_that_only_receives(void) {
    for (int sender = 0; sender < 2; sender++) {
        struct half ends[2];
        create_two(&ends[0], &ends[1], 0);
        receive(&ends[!sender], 1, 8);
        to_rtr(&ends[!sender], &ends[sender]);
        to_rtr(&ends[sender], &ends[!sender]);
        to_rts(&ends[sender]);
        CHECK(post(&ends[sender], 2, IBV_WR_SEND, 8, NULL) == 0);
        await(&ends[!sender], IBV_WC_SUCCESS, 1);
        await(&ends[sender], IBV_WC_SUCCESS, 2);
        CHECK(state_now(&ends[!sender]) == IBV_QPS_RTR);
        destroy(&ends[0]);
        destroy(&ends[1]);
    }
}

static void should_keep_what_is_posted_before_the_peer_is_there(void) {
    for (int first = 0; first < 2; first++) {
        struct half ends[2];
        create_two(&ends[0], &ends[1], 0);
        struct half *early = &ends[first], *late = &ends[!first];
        to_rtr(early, late);
        to_rts(early);
        for (unsigned i = 0; i < SENDS; i++) {
            CHECK(post(early, 100 + i, IBV_WR_SEND, i, NULL) == 0);
        }
        CHECK(post(early, 0, IBV_WR_SEND, 1, NULL) == ENOMEM);
        for (unsigned i = 0; i < SENDS; i++) {
            receive(late, i, SENDS);
        }
        to_rtr(late, early);
        struct end end = {.channel = late->channel, .cq = late->cq};
        for (unsigned i = 0; i < SENDS; i++) {
            struct ibv_wc completion = expect(&end, IBV_WC_SUCCESS, i);
            CHECK(completion.byte_len == i);
            await(early, IBV_WC_SUCCESS, 100 + i);
        }
        destroy(early);
        destroy(late);
    }
}

/* Each way, since one end connects and the other accepts; also kept until the peer is there. */
static void post_with_immediate_data(struct half *from) {
    struct ibv_sge piece = {.addr = (uintptr_t)from->memory, .length = 8, .lkey = from->region->lkey};
    struct ibv_send_wr *bad, send = {.wr_id = 2, .opcode = IBV_WR_SEND_WITH_IMM, .sg_list = &piece, .num_sge = 1,
        .send_flags = IBV_SEND_SIGNALED, .imm_data = htonl(0x0a0b0c0d)};
    CHECK(ibv_post_send(from->qp, &send, &bad) == 0);
}

static void should_send_with_immediate_data(void) {
    for (int sender = 0; sender < 2; sender++) {
        struct half ends[2];
        create_two(&ends[0], &ends[1], 0);
        struct half *from = &ends[sender], *to = &ends[!sender];
        receive(to, 1, 8);
        to_rtr(from, to);
        to_rts(from);
        post_with_immediate_data(from);
        to_rtr(to, from);
        struct end end = {.channel = to->channel, .cq = to->cq};
        struct ibv_wc completion = expect(&end, IBV_WC_SUCCESS, 1);
        CHECK(completion.wc_flags == IBV_WC_WITH_IMM && completion.imm_data == htonl(0x0a0b0c0d));
        CHECK(completion.byte_len == 8);
        await(from, IBV_WC_SUCCESS, 2);
        destroy(from);
        destroy(to);
    }
}

/* The same queue pair, as a peer whose memory is further behind. */
static struct half behind(const struct half *itself) {
    struct half peer = *itself;
    peer.memory += LONG / 2;
    return peer;
}

static void should_connect_a_queue_pair_with_itself(void) {
    for (int gid = 0; gid < 3; gid++) {
        struct half one;
        create(&one, 0, NULL);
        one.gid = gid;
        for (int i = 0; i < 2; i++) {
            to_init(&one, PEERS_ALL);
            to_rtr(&one, &one);
            to_rts(&one);
            exchange(&one, &one);
            struct half far = behind(&one);
            one.memory[0] = (uint8_t)(10 + i);
            CHECK(post(&one, 1, IBV_WR_RDMA_WRITE, LONG / 2, &far) == 0);
            await(&one, IBV_WC_SUCCESS, 1);
            CHECK(far.memory[0] == 10 + i);
            far.memory[0] = (uint8_t)(20 + i);
            CHECK(post(&one, 2, IBV_WR_RDMA_READ, LONG / 2, &far) == 0);
            await(&one, IBV_WC_SUCCESS, 2);
            CHECK(one.memory[0] == 20 + i);
            CHECK(post(&one, 3, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, &far) == 0);
            await(&one, IBV_WC_SUCCESS, 3);
            receive(&one, 1, 8);
            post_with_immediate_data(&one);
            struct end end = {.channel = one.channel, .cq = one.cq};
            for (int j = 0; j < 2; j++) {
                struct ibv_wc completion = next_completion(&end);
                CHECK(completion.status == IBV_WC_SUCCESS);
                CHECK(completion.wr_id == 2 || completion.imm_data == htonl(0x0a0b0c0d));
            }
            receive(&one, 4, 8);
            to_state(&one, IBV_QPS_RESET);
        }
        struct ibv_wc completion;
        CHECK(ibv_poll_cq(one.cq, 1, &completion) == 0);
        destroy(&one);
    }
}

/* It reads no Terminate that says which request it has refused. */
static void should_say_what_a_queue_pair_has_refused_itself(void) {
    const enum ibv_wr_opcode opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD};
    for (int i = 0; i < 3; i++) {
        struct half one;
        create(&one, 0, NULL);
        to_init(&one, 0);
        to_rtr(&one, &one);
        to_rts(&one);
        exchange(&one, &one);
        struct half far = behind(&one);
        CHECK(post(&one, 1, opcodes[i], 8, &far) == 0);
        await(&one, IBV_WC_REM_ACCESS_ERR, 1);
        struct ibv_async_event event;
        CHECK(ibv_get_async_event(contexts[0], &event) == 0 && event.element.qp == one.qp);
        CHECK(event.event_type == IBV_EVENT_QP_ACCESS_ERR);
        ibv_ack_async_event(&event);
        destroy(&one);
    }
}

static void should_share_receives(void) {
    struct ibv_pd *pd = ibv_alloc_pd(contexts[1]);
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = SENDS, .max_sge = 1}};
    struct ibv_srq *shared = ibv_create_srq(pd, &wanted);
    CHECK(shared != NULL);
    struct half senders[2], receivers[2];
    for (unsigned i = 0; i < 2; i++) {
        create(&senders[i], 0, NULL);
        create(&receivers[i], 1, shared);
        to_init(&senders[i], 0);
        to_init(&receivers[i], 0);
        connect_two(&senders[i], &receivers[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct ibv_sge piece = {
            .addr = (uintptr_t)receivers[0].memory, .length = 8, .lkey = receivers[0].region->lkey};
        struct ibv_recv_wr work = {.wr_id = i, .sg_list = &piece, .num_sge = 1}, *bad;
        CHECK(ibv_post_srq_recv(shared, &work, &bad) == 0);
        CHECK(post(&senders[i], 7, IBV_WR_SEND, 8, NULL) == 0);
        await(&receivers[i], IBV_WC_SUCCESS, i);
        await(&senders[i], IBV_WC_SUCCESS, 7);
    }
    for (unsigned i = 0; i < 2; i++) {
        destroy(&senders[i]);
        CHECK(ibv_destroy_qp(receivers[i].qp) == 0 && ibv_dereg_mr(receivers[i].region) == 0);
        CHECK(ibv_destroy_cq(receivers[i].cq) == 0 && ibv_destroy_comp_channel(receivers[i].channel) == 0);
        free(receivers[i].memory);
    }
    CHECK(ibv_destroy_srq(shared) == 0 && ibv_dealloc_pd(pd) == 0);
}

/* ---- States and attributes ---- */

static void should_give_back_what_was_set(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    CHECK(state_now(&one) == IBV_QPS_INIT);
    connect_two(&one, &two);
    struct ibv_qp_attr now, to = towards(&one, &two);
    struct ibv_qp_init_attr initial;
    CHECK(ibv_query_qp(one.qp, &now, 0x1ffffff, &initial) == 0);
    CHECK(now.qp_state == IBV_QPS_RTS && now.cur_qp_state == IBV_QPS_RTS && now.path_mtu == IBV_MTU_2048);
    CHECK(memcmp(&now.ah_attr, &to.ah_attr, sizeof to.ah_attr) == 0 && now.dest_qp_num == two.qp->qp_num);
    CHECK(now.rq_psn == two.psn && now.sq_psn == one.psn && now.port_num == 1 && now.qp_access_flags == 0);
    CHECK(now.timeout == 14 && now.retry_cnt == 7 && now.rnr_retry == 6 && now.min_rnr_timer == 12);
    CHECK(now.max_rd_atomic == 4 && now.max_dest_rd_atomic == 5 && now.cap.max_send_wr == SENDS);
    to_state(&one, IBV_QPS_RESET);
    CHECK(state_now(&one) == IBV_QPS_RESET);
    CHECK(ibv_query_qp(one.qp, &now, 0x1ffffff, &initial) == 0 && now.dest_qp_num == 0);
    destroy(&one);
    destroy(&two);
}

static void should_connect_again_after_a_reset(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    for (int i = 0; i < ROUNDS; i++) {
        connect_two(&one, &two);
        exchange(&one, &two);
        receive(&one, 9, 8);
        to_state(i % 2 == 0 ? &one : &two, IBV_QPS_RESET);
        to_state(i % 2 == 0 ? &two : &one, IBV_QPS_RESET);
        to_init(&one, 0);
        to_init(&two, 0);
    }
    struct ibv_wc completion;
    CHECK(ibv_poll_cq(one.cq, 1, &completion) == 0);
    destroy(&one);
    destroy(&two);
}

/* A queue pair with the completion queue of another one. */
static void create_beside(struct half *half, const struct half *other) {
    create(half, 0, NULL);
    CHECK(ibv_destroy_qp(half->qp) == 0 && ibv_destroy_cq(half->cq) == 0);
    CHECK(ibv_destroy_comp_channel(half->channel) == 0);
    half->cq = other->cq;
    half->channel = other->channel;
    struct ibv_qp_init_attr wanted = {.send_cq = half->cq, .recv_cq = half->cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = SENDS, .max_recv_wr = SENDS, .max_send_sge = 1, .max_recv_sge = 1}};
    half->qp = ibv_create_qp(half->pd, &wanted);
    CHECK(half->qp != NULL);
    to_init(half, 0);
}

static void destroy_beside(struct half *half) {
    CHECK(ibv_destroy_qp(half->qp) == 0 && ibv_dereg_mr(half->region) == 0 && ibv_dealloc_pd(half->pd) == 0);
    free(half->memory);
}

static void should_forget_completions_of_no_other_queue_pair_at_reset(void) {
    struct half one, beside, peers[2];
    create_two(&one, &peers[0], 0);
    create_beside(&beside, &one);
    create(&peers[1], 1, NULL);
    to_init(&peers[1], 0);
    struct half *ends[] = {&one, &beside};
    for (int i = 0; i < 2; i++) {
        connect_two(ends[i], &peers[i]);
    }
    /* In turn: those that stay lie between those that go, and around the end of the ring. */
    for (uint64_t round = 0; round < 3 * SENDS; round++) {
        for (uint64_t id = 0; id < 2 * SENDS; id++) {
            unsigned i = id % 2;
            receive(ends[i], id, 8);
            CHECK(post(&peers[i], id, IBV_WR_SEND, 8, NULL) == 0);
            await(&peers[i], IBV_WC_SUCCESS, id);
        }
        to_state(&one, IBV_QPS_RESET);
        for (uint64_t id = 1; id < 2 * SENDS; id += 2) {
            await(&beside, IBV_WC_SUCCESS, id);
        }
        struct ibv_wc completion;
        CHECK(ibv_poll_cq(one.cq, 1, &completion) == 0);
        to_state(&peers[0], IBV_QPS_RESET);
        to_init(&one, 0);
        to_init(&peers[0], 0);
        connect_two(&one, &peers[0]);
    }
    destroy_beside(&beside);
    destroy(&one);
    destroy(&peers[0]);
    destroy(&peers[1]);
}

static void should_refuse_wrong_attributes(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    struct ibv_qp_attr to = towards(&one, &two);
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK & ~IBV_QP_RQ_PSN) == EINVAL);
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK & ~IBV_QP_DEST_QPN) == EINVAL);
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK & ~IBV_QP_STATE) == EINVAL);
    to.ah_attr.is_global = 0;
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK) == EINVAL);
    to = towards(&one, &two);
    to.ah_attr.grh.sgid_index = 1;
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK) == EINVAL);  /* of IPv6 to one of IPv4 */
    to.ah_attr.grh.sgid_index = 9;
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK) == EINVAL);
    to = towards(&one, &two);
    to.dest_qp_num = 1u << 24;
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK) == EINVAL);
    to = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS};
    CHECK(ibv_modify_qp(one.qp, &to, IBV_QP_STATE | IBV_QP_AV) == EINVAL);
    to = (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT, .port_num = 2};
    CHECK(ibv_modify_qp(one.qp, &to, INIT_MASK) == EINVAL);
    CHECK(state_now(&one) == IBV_QPS_INIT && post(&one, 1, IBV_WR_SEND, 1, NULL) == EINVAL);
    connect_two(&one, &two);
    to = towards(&one, &two);
    CHECK(ibv_modify_qp(one.qp, &to, RTR_MASK) == EINVAL);
    to.qp_state = IBV_QPS_SQD;
    CHECK(ibv_modify_qp(one.qp, &to, IBV_QP_STATE) == EOPNOTSUPP);
    to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
    CHECK(ibv_modify_qp(one.qp, &to, IBV_QP_ACCESS_FLAGS) == EOPNOTSUPP);
    exchange(&one, &two);
    to_state(&one, IBV_QPS_ERR);
    to.qp_state = IBV_QPS_RTS;
    CHECK(ibv_modify_qp(one.qp, &to, IBV_QP_STATE) == EINVAL);
    destroy(&one);
    destroy(&two);
}

static void should_need_the_senders_part_at_rts(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    to_rtr(&one, &two);
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .sq_psn = one.psn};
    CHECK(ibv_modify_qp(one.qp, &to, RTS_MASK & ~IBV_QP_SQ_PSN) == EINVAL);
    CHECK(ibv_modify_qp(one.qp, &to, RTS_MASK) == 0);
    destroy(&one);
    destroy(&two);
}

/* ---- Rights ---- */

static void should_let_the_peer_do_what_the_flags_say(void) {
    const enum ibv_wr_opcode opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD};
    const unsigned flags[] = {IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_ATOMIC};
    for (int i = 0; i < 3; i++) {
        struct half one, two;
        create_two(&one, &two, flags[i]);
        connect_two(&one, &two);
        one.memory[0] = 77;
        CHECK(post(&one, 1, opcodes[i], 8, &two) == 0);
        await(&one, IBV_WC_SUCCESS, 1);
        destroy(&one);
        destroy(&two);
        create_two(&one, &two, PEERS_ALL & ~flags[i]);
        connect_two(&one, &two);
        one.memory[0] = 77;
        CHECK(post(&one, 1, opcodes[i], 8, &two) == 0);
        struct ibv_async_event event;
        CHECK(ibv_get_async_event(contexts[1], &event) == 0);
        CHECK(event.event_type == IBV_EVENT_QP_ACCESS_ERR && event.element.qp == two.qp);
        ibv_ack_async_event(&event);
        await(&one, IBV_WC_REM_ACCESS_ERR, 1);
        CHECK(two.memory[0] == 0 && state_now(&two) == IBV_QPS_ERR);
        destroy(&one);
        destroy(&two);
    }
}

/* ---- Ends ---- */

static void should_fail_a_send_that_no_peer_takes(void) {
    for (int waits = 0; waits < 2; waits++) {
        struct half ends[2];
        create_two(&ends[0], &ends[1], 0);
        struct half *one = &ends[waits];
        receive(one, 1, 8);
        to_rtr(one, &ends[!waits]);
        to_rts(one);
        CHECK(post(one, 2, IBV_WR_SEND, 8, NULL) == 0 && post(one, 3, IBV_WR_SEND, 8, NULL) == 0);
        bool sent = false, flushed = false, received = false;
        struct end end = {.channel = one->channel, .cq = one->cq};
        for (int i = 0; i < 3; i++) {
            struct ibv_wc completion = next_completion(&end);
            sent |= completion.wr_id == 2 && completion.status == IBV_WC_RETRY_EXC_ERR && !flushed;
            flushed |= completion.wr_id == 3 && completion.status == IBV_WC_WR_FLUSH_ERR;
            received |= completion.wr_id == 1 && completion.status == IBV_WC_WR_FLUSH_ERR;
        }
        CHECK(sent && flushed && received && state_now(one) == IBV_QPS_ERR);
        destroy(&ends[0]);
        destroy(&ends[1]);
    }
}

/* A card's queue pair hears nothing of the peer's end, until it sends. */
static void should_hear_of_the_peers_end_by_the_next_send(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    connect_two(&one, &two);
    exchange(&one, &two);
    receive(&one, 10, 8);
    receive(&one, 11, 8);
    destroy(&two);
    struct ibv_wc completion;
    CHECK(ibv_poll_cq(one.cq, 1, &completion) == 0 && state_now(&one) == IBV_QPS_RTS);
    receive(&one, 12, 8);
    CHECK(post(&one, 13, IBV_WR_SEND, 8, NULL) == 0);
    await(&one, IBV_WC_RETRY_EXC_ERR, 13);
    for (uint64_t id = 10; id < 13; id++) {
        await(&one, IBV_WC_WR_FLUSH_ERR, id);
    }
    CHECK(post(&one, 14, IBV_WR_SEND, 8, NULL) == 0);
    await(&one, IBV_WC_WR_FLUSH_ERR, 14);
    CHECK(state_now(&one) == IBV_QPS_ERR);
    destroy(&one);
}

static void should_report_the_last_receive_when_the_peer_has_left(void) {
    struct ibv_pd *pd = ibv_alloc_pd(contexts[1]);
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = SENDS, .max_sge = 1}};
    struct ibv_srq *shared = ibv_create_srq(pd, &wanted);
    CHECK(shared != NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct half one, two;
        create(&one, 0, NULL);
        create(&two, 1, shared);
        to_init(&one, 0);
        to_init(&two, 0);
        connect_two(&one, &two);
        destroy(&one);
        to_state(&two, IBV_QPS_ERR);
        struct ibv_async_event event;
        CHECK(ibv_get_async_event(contexts[1], &event) == 0);
        CHECK(event.event_type == IBV_EVENT_QP_LAST_WQE_REACHED && event.element.qp == two.qp);
        ibv_ack_async_event(&event);
        CHECK(ibv_destroy_qp(two.qp) == 0 && ibv_dereg_mr(two.region) == 0);
        CHECK(ibv_destroy_cq(two.cq) == 0 && ibv_destroy_comp_channel(two.channel) == 0);
        free(two.memory);
    }
    CHECK(ibv_destroy_srq(shared) == 0 && ibv_dealloc_pd(pd) == 0);
}

static void should_deliver_what_was_sent_before_it_was_destroyed(void) {
    for (int i = 0; i < ROUNDS; i++) {
        struct half one, two;
        create_two(&one, &two, 0);
        connect_two(&one, &two);
        one.memory[LONG - 1] = (uint8_t)(i + 1);
        receive(&two, 1, LONG);
        CHECK(post(&one, 2, IBV_WR_SEND, LONG, NULL) == 0);
        await(&one, IBV_WC_SUCCESS, 2);
        destroy(&one);
        await(&two, IBV_WC_SUCCESS, 1);
        CHECK(two.memory[LONG - 1] == i + 1);
        destroy(&two);
    }
}

static void should_flush_in_the_error_state(void) {
    struct half one, two;
    create_two(&one, &two, 0);
    connect_two(&one, &two);
    exchange(&one, &two);
    receive(&one, 1, 8);
    to_state(&one, IBV_QPS_ERR);
    await(&one, IBV_WC_WR_FLUSH_ERR, 1);
    CHECK(post(&one, 2, IBV_WR_SEND, 8, NULL) == 0);
    await(&one, IBV_WC_WR_FLUSH_ERR, 2);
    destroy(&one);
    destroy(&two);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    open_devices();
    RUN(should_connect_whoever_is_ready_first);
    RUN(should_connect_when_both_are_ready_at_once);
    RUN(should_connect_by_each_gid_of_both);
    RUN(should_connect_two_queue_pairs_of_one_interface);
    RUN(should_connect_a_queue_pair_with_itself);
    RUN(should_say_what_a_queue_pair_has_refused_itself);
    RUN(should_send_to_a_peer_that_only_receives);
    RUN(should_keep_what_is_posted_before_the_peer_is_there);
    RUN(should_send_with_immediate_data);
    RUN(should_share_receives);
    RUN(should_give_back_what_was_set);
    RUN(should_connect_again_after_a_reset);
    RUN(should_forget_completions_of_no_other_queue_pair_at_reset);
    RUN(should_refuse_wrong_attributes);
    RUN(should_need_the_senders_part_at_rts);
    RUN(should_let_the_peer_do_what_the_flags_say);
    RUN(should_fail_a_send_that_no_peer_takes);
    RUN(should_hear_of_the_peers_end_by_the_next_send);
    RUN(should_report_the_last_receive_when_the_peer_has_left);
    RUN(should_deliver_what_was_sent_before_it_was_destroyed);
    RUN(should_flush_in_the_error_state);
    CHECK(ibv_close_device(contexts[0]) == 0 && ibv_close_device(contexts[1]) == 0);
    puts("done");
    return 0;
}
