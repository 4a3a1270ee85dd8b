/* Shared receive queues: who gets the receives, limits, events, ends. The argument is the daemon's socket. */
#include "peer.h"

#define PAIRS 3
#define SIZE 12
#define SEND 200

static struct rdma_event_channel *events;

/* Queue pairs that take their receives from one queue; the first end has the memory and the completions. */
struct fixture {
    struct end ends[PAIRS];
    struct ibv_srq *shared;
};

static int post_shared(struct fixture *fixture, uint64_t id) {
    struct end *first = &fixture->ends[0];
    struct ibv_sge piece = {.addr = (uintptr_t)first->memory + id * MESSAGE, .length = MESSAGE, .lkey = first->region->lkey};
    struct ibv_recv_wr work = {.wr_id = id, .sg_list = &piece, .num_sge = 1}, *bad = NULL;
    int error = ibv_post_srq_recv(fixture->shared, &work, &bad);
    CHECK((error == 0) == (bad == NULL));
    return error;
}

static void create_pair(struct fixture *fixture, struct end *end) {
    const struct end *first = &fixture->ends[0];
    struct ibv_qp_init_attr wanted = {.send_cq = first->cq, .recv_cq = first->cq, .srq = fixture->shared,
        .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 4, .max_send_sge = 1}};
    CHECK(rdma_create_qp(end->id, NULL, &wanted) == 0);
}

static void set_up(struct fixture *fixture) {
    struct end *first = &fixture->ends[0];
    first->id = resolve(events, PORT_OF_PEER);
    equip(first);
    rdma_destroy_qp(first->id);
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = SIZE, .max_sge = 1}};
    fixture->shared = ibv_create_srq(first->id->pd, &wanted);
    CHECK(fixture->shared != NULL);
    for (uint64_t i = 0; i < SIZE; i++) {
        CHECK(post_shared(fixture, i) == 0);
    }
    for (int i = 0; i < PAIRS; i++) {
        struct end *end = &fixture->ends[i];
        end->id = i == 0 ? end->id : resolve(events, PORT_OF_PEER);
        create_pair(fixture, end);
        CHECK(rdma_connect(end->id, NULL) == 0);
        await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    }
}

static struct ibv_async_event next_async(struct fixture *fixture, enum ibv_event_type type) {
    struct ibv_context *context = fixture->ends[0].id->verbs;
    struct pollfd polled = {.fd = context->async_fd, .events = POLLIN};
    struct ibv_async_event event;
    CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
    CHECK(ibv_get_async_event(context, &event) == 0);
    if (event.event_type != type) {
        fprintf(stderr, "event %s instead of %s\n", ibv_event_type_str(event.event_type), ibv_event_type_str(type));
        exit(1);
    }
    ibv_ack_async_event(&event);
    return event;
}

static bool has_async(struct fixture *fixture) {
    struct pollfd polled = {.fd = fixture->ends[0].id->verbs->async_fd, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

static void end_pair(struct fixture *fixture, struct end *end) {
    CHECK(rdma_disconnect(end->id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    CHECK(next_async(fixture, IBV_EVENT_QP_LAST_WQE_REACHED).element.qp == end->id->qp);
    rdma_destroy_qp(end->id);
}

static void tear_down(struct fixture *fixture) {
    for (int i = 1; i < PAIRS; i++) {
        CHECK(rdma_destroy_id(fixture->ends[i].id) == 0);
    }
    CHECK(ibv_destroy_srq(fixture->shared) == 0);
    dismantle(&fixture->ends[0]);
}

static void end_all(struct fixture *fixture) {
    for (int i = 0; i < PAIRS; i++) {
        end_pair(fixture, &fixture->ends[i]);
    }
    tear_down(fixture);
}

/* Sends a number by a queue pair; returns the receive that the peer's answer has taken. */
static struct ibv_wc echo(struct fixture *fixture, struct end *end, uint32_t number) {
    struct end *first = &fixture->ends[0];
    struct ibv_sge piece = {.addr = (uintptr_t)&number, .length = sizeof number};
    struct ibv_send_wr *bad, work = {.wr_id = SEND, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1,
        .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED};
    CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
    struct ibv_wc received = next_completion(first), sent = received;
    /* They come in any order. */
    *(received.opcode == IBV_WC_RECV ? &sent : &received) = next_completion(first);
    CHECK(sent.status == IBV_WC_SUCCESS && sent.wr_id == SEND);
    CHECK(received.status == IBV_WC_SUCCESS && received.opcode == IBV_WC_RECV && received.byte_len == sizeof number);
    CHECK(received.qp_num == end->id->qp->qp_num);
    CHECK(memcmp(first->memory + received.wr_id * MESSAGE, &number, sizeof number) == 0);
    return received;
}

static void should_give_receives_to_the_queue_pairs_that_need_them(void) {
    struct fixture fixture;
    set_up(&fixture);
    CHECK(post_shared(&fixture, 0) == ENOMEM);
    bool taken[SIZE] = {false};
    for (uint32_t i = 0; i < SIZE; i++) {
        uint64_t id = echo(&fixture, &fixture.ends[i * i % PAIRS], i).wr_id;
        CHECK(id < SIZE && !taken[id]);
        taken[id] = true;
    }
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(post_shared(&fixture, i % SIZE) == 0);
        CHECK(echo(&fixture, &fixture.ends[i % PAIRS], i).wr_id == i % SIZE);
    }
    end_all(&fixture);
}

static void should_tell_once_when_fewer_receives_than_the_limit_are_left(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_srq_attr limit = {.srq_limit = SIZE - 2}, now;
    CHECK(ibv_modify_srq(fixture.shared, &limit, IBV_SRQ_LIMIT) == 0);
    CHECK(ibv_query_srq(fixture.shared, &now) == 0);
    CHECK(now.srq_limit == SIZE - 2 && now.max_wr == SIZE);
    echo(&fixture, &fixture.ends[0], 1);
    echo(&fixture, &fixture.ends[1], 2);
    CHECK(!has_async(&fixture));
    echo(&fixture, &fixture.ends[2], 3);
    CHECK(next_async(&fixture, IBV_EVENT_SRQ_LIMIT_REACHED).element.srq == fixture.shared);
    CHECK(ibv_query_srq(fixture.shared, &now) == 0 && now.srq_limit == 0);
    echo(&fixture, &fixture.ends[0], 4);
    CHECK(!has_async(&fixture));
    /* Armed with more than there are, it comes at once. */
    limit.srq_limit = SIZE;
    CHECK(ibv_modify_srq(fixture.shared, &limit, IBV_SRQ_LIMIT) == 0);
    next_async(&fixture, IBV_EVENT_SRQ_LIMIT_REACHED);
    end_all(&fixture);
}

static void should_refuse_what_it_cannot_do(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_srq_attr attributes = {.srq_limit = SIZE + 1, .max_wr = 2 * SIZE};
    CHECK(ibv_modify_srq(fixture.shared, &attributes, IBV_SRQ_LIMIT) == EINVAL);
    CHECK(ibv_modify_srq(fixture.shared, &attributes, IBV_SRQ_MAX_WR) == EOPNOTSUPP);
    CHECK(ibv_modify_srq(fixture.shared, &attributes, 0) == 0);
    CHECK(ibv_destroy_srq(fixture.shared) == EBUSY);
    struct ibv_recv_wr work = {.wr_id = 1}, *bad = NULL;
    CHECK(ibv_post_recv(fixture.ends[1].id->qp, &work, &bad) == EINVAL && bad == &work);
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = 0, .max_sge = 1}};
    CHECK_ERRNO(EINVAL, ibv_create_srq(fixture.ends[0].id->pd, &wanted) == NULL);
    end_all(&fixture);
}

/* What the others have not taken stays for those that go on. */
static void should_keep_its_receives_when_a_queue_pair_ends(void) {
    struct fixture fixture;
    set_up(&fixture);
    end_pair(&fixture, &fixture.ends[0]);
    end_pair(&fixture, &fixture.ends[1]);
    for (uint32_t i = 0; i < SIZE; i++) {
        echo(&fixture, &fixture.ends[2], i);
    }
    end_pair(&fixture, &fixture.ends[2]);
    tear_down(&fixture);
}

static void should_tell_the_last_receive_of_a_queue_pair_that_was_never_connected(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct end lone = {.id = resolve(events, PORT_OF_PEER)};
    create_pair(&fixture, &lone);
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_ERR};
    CHECK(ibv_modify_qp(lone.id->qp, &to, IBV_QP_STATE) == 0);
    CHECK(next_async(&fixture, IBV_EVENT_QP_LAST_WQE_REACHED).element.qp == lone.id->qp);
    rdma_destroy_qp(lone.id);
    CHECK(rdma_destroy_id(lone.id) == 0);
    end_all(&fixture);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    start_peer(arguments[1]);
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    RUN(should_give_receives_to_the_queue_pairs_that_need_them);
    RUN(should_tell_once_when_fewer_receives_than_the_limit_are_left);
    RUN(should_refuse_what_it_cannot_do);
    RUN(should_keep_its_receives_when_a_queue_pair_ends);
    RUN(should_tell_the_last_receive_of_a_queue_pair_that_was_never_connected);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
