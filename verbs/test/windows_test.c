/* Memory windows: what they open, to whom, and how they end. The argument is the daemon's socket. */
#include "peer.h"

#define BIND 60
#define INVALIDATE 61
#define ASK 62
#define PART 1024  /* offset of what windows open */
#define PART_LENGTH 64

static struct rdma_event_channel *events;

/* An end whose memory has a second registration, to which windows may be bound. */
struct fixture {
    struct end end;
    struct ibv_mr *opened;
};

static void set_up(struct fixture *fixture) {
    connect_end(events, &fixture->end);
    fixture->opened = ibv_reg_mr(fixture->end.id->pd, fixture->end.memory, MEMORY,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
    CHECK(fixture->opened != NULL);
}

static void release(struct fixture *fixture) {
    CHECK(ibv_dereg_mr(fixture->opened) == 0);
    dismantle(&fixture->end);
}

static void tear_down(struct fixture *fixture) {
    CHECK(rdma_disconnect(fixture->end.id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    release(fixture);
}

static struct ibv_mw *allocate(struct fixture *fixture, enum ibv_mw_type type) {
    struct ibv_mw *window = ibv_alloc_mw(fixture->end.id->pd, type);
    CHECK(window != NULL && window->type == type && window->rkey != 0);
    return window;
}

static struct ibv_mw_bind_info part(const struct fixture *fixture, unsigned access) {
    return (struct ibv_mw_bind_info){.mr = fixture->opened, .addr = (uintptr_t)fixture->end.memory + PART,
        .length = PART_LENGTH, .mw_access_flags = access};
}

static uint64_t address_of_part(const struct fixture *fixture) {
    return (uintptr_t)fixture->end.memory + PART;
}

static int post_bind_1(struct fixture *fixture, struct ibv_mw *window, struct ibv_mw_bind_info info, unsigned flags) {
    struct ibv_mw_bind bind = {.wr_id = BIND, .send_flags = flags, .bind_info = info};
    return ibv_bind_mw(fixture->end.id->qp, window, &bind);
}

static int post_bind_2(struct fixture *fixture, struct ibv_mw *window, uint32_t rkey, struct ibv_mw_bind_info info) {
    struct ibv_send_wr *bad, work = {.wr_id = BIND, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED};
    work.bind_mw.mw = window;
    work.bind_mw.rkey = rkey;
    work.bind_mw.bind_info = info;
    return ibv_post_send(fixture->end.id->qp, &work, &bad);
}

static void expect_bound(struct fixture *fixture) {
    CHECK(expect(&fixture->end, IBV_WC_SUCCESS, BIND).opcode == IBV_WC_BIND_MW);
}

static void post_command(struct end *end, const struct command *command) {
    memcpy(end->memory + 2048, command, sizeof *command);
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory + 2048, .length = sizeof *command, .lkey = end->region->lkey};
    struct ibv_send_wr *bad, work = {.wr_id = ASK, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1};
    CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
}

/* The peer does what the command says, and answers. */
static struct ibv_wc ask(struct end *end, struct command command) {
    post_command(end, &command);
    struct ibv_wc answer = next_completion(end);
    CHECK(answer.status == IBV_WC_SUCCESS && answer.opcode == IBV_WC_RECV);
    post_receive(end, answer.wr_id);
    return answer;
}

/* What the peer writes by an rkey comes to the part. */
static void check_open(struct fixture *fixture, struct end *by, uint32_t rkey, uint64_t address, const char *text) {
    struct command command = {.kind = COMMAND_WRITE, .address = address, .rkey = rkey};
    strcpy(command.text, text);
    ask(by, command);
    CHECK(strcmp((char *)fixture->end.memory + PART, text) == 0);
}

/* The peer's write is refused, and ends the connection. */
static void check_closed(struct fixture *fixture, uint32_t rkey) {
    char before[sizeof((struct command *)0)->text];
    memcpy(before, fixture->end.memory + PART, sizeof before);
    post_command(&fixture->end, &(struct command){.kind = COMMAND_WRITE, .text = "refused",
        .address = address_of_part(fixture), .rkey = rkey});
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    struct ibv_async_event event;
    CHECK(ibv_get_async_event(fixture->end.id->verbs, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_QP_ACCESS_ERR && event.element.qp == fixture->end.id->qp);
    ibv_ack_async_event(&event);
    CHECK(memcmp(before, fixture->end.memory + PART, sizeof before) == 0);
}

static void invalidate(struct fixture *fixture, uint32_t rkey) {
    struct ibv_send_wr *bad, work = {.wr_id = INVALIDATE, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
        .invalidate_rkey = rkey};
    CHECK(ibv_post_send(fixture->end.id->qp, &work, &bad) == 0);
    CHECK(expect(&fixture->end, IBV_WC_SUCCESS, INVALIDATE).opcode == IBV_WC_LOCAL_INV);
}

/* ---- Type 1 ---- */

static void should_open_a_part_by_type_1_until_it_is_bound_again(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_1);
    CHECK(post_bind_1(&fixture, window, part(&fixture, IBV_ACCESS_REMOTE_WRITE), IBV_SEND_SIGNALED) == 0);
    uint32_t first = window->rkey;
    expect_bound(&fixture);
    check_open(&fixture, &fixture.end, first, address_of_part(&fixture), "first");
    CHECK(ibv_dereg_mr(fixture.opened) == EBUSY);
    /* Its success is not reported: what the peer answers is the next completion. */
    CHECK(post_bind_1(&fixture, window, part(&fixture, IBV_ACCESS_REMOTE_WRITE), 0) == 0);
    CHECK(window->rkey == ibv_inc_rkey(first));
    check_open(&fixture, &fixture.end, window->rkey, address_of_part(&fixture), "second");
    struct ibv_mw_bind_info from_zero = part(&fixture, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED);
    CHECK(post_bind_1(&fixture, window, from_zero, 0) == 0);
    check_open(&fixture, &fixture.end, window->rkey, 0, "third");
    check_closed(&fixture, first);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(&fixture);
}

static void should_open_type_1_to_all_connections_until_it_is_bound_to_nothing(void) {
    struct fixture fixture, other;
    set_up(&fixture);
    set_up(&other);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_1);
    CHECK(ibv_dealloc_pd(fixture.end.id->pd) == EBUSY);
    CHECK(post_bind_1(&fixture, window, part(&fixture, IBV_ACCESS_REMOTE_WRITE), IBV_SEND_SIGNALED) == 0);
    expect_bound(&fixture);
    check_open(&fixture, &other.end, window->rkey, address_of_part(&fixture), "other");
    uint32_t bound = window->rkey;
    CHECK(post_bind_1(&fixture, window, (struct ibv_mw_bind_info){.mr = NULL}, IBV_SEND_SIGNALED) == 0);
    expect_bound(&fixture);
    CHECK(ibv_dereg_mr(fixture.opened) == 0);
    fixture.opened = ibv_reg_mr(fixture.end.id->pd, fixture.end.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE);
    CHECK(fixture.opened != NULL);
    check_closed(&fixture, bound);
    CHECK(ibv_dealloc_mw(window) == 0);
    tear_down(&other);
    release(&fixture);
}

/* ---- Type 2 ---- */

static void should_open_a_part_by_type_2_until_the_peer_invalidates_it(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_2);
    uint32_t rkey = window->rkey;
    for (int i = 0; i < 300; i++) {
        rkey = ibv_inc_rkey(rkey);
        CHECK(post_bind_2(&fixture, window, rkey, part(&fixture, IBV_ACCESS_REMOTE_WRITE)) == 0);
        expect_bound(&fixture);
        if (i % 100 == 0) {
            check_open(&fixture, &fixture.end, rkey, address_of_part(&fixture), i == 0 ? "zero" : "more");
        }
        struct ibv_wc answer = ask(&fixture.end, (struct command){.kind = COMMAND_INVALIDATE, .rkey = rkey});
        CHECK((answer.wc_flags & IBV_WC_WITH_INV) != 0 && answer.invalidated_rkey == rkey);
    }
    check_closed(&fixture, rkey);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(&fixture);
}

static void should_open_a_part_by_type_2_until_the_program_invalidates_it(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_2);
    uint32_t chosen = (window->rkey & 0xffffff00) | 0x7f;
    CHECK(post_bind_2(&fixture, window, chosen, part(&fixture, IBV_ACCESS_REMOTE_WRITE)) == 0);
    expect_bound(&fixture);
    check_open(&fixture, &fixture.end, chosen, address_of_part(&fixture), "chosen");
    invalidate(&fixture, chosen);
    check_closed(&fixture, chosen);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(&fixture);
}

static void should_open_what_the_rights_say(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_2);
    uint32_t rkey = ibv_inc_rkey(window->rkey);
    CHECK(post_bind_2(&fixture, window, rkey, part(&fixture, IBV_ACCESS_REMOTE_READ)) == 0);
    expect_bound(&fixture);
    check_closed(&fixture, rkey);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(&fixture);
}

static void should_open_nothing_without_rights(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *first = allocate(&fixture, IBV_MW_TYPE_1), *second = allocate(&fixture, IBV_MW_TYPE_2);
    CHECK(post_bind_1(&fixture, first, part(&fixture, 0), IBV_SEND_SIGNALED) == 0);
    expect_bound(&fixture);
    CHECK(ibv_dereg_mr(fixture.opened) == EBUSY);
    uint32_t rkey = ibv_inc_rkey(second->rkey);
    CHECK(post_bind_2(&fixture, second, rkey, part(&fixture, IBV_ACCESS_LOCAL_WRITE)) == 0);
    expect_bound(&fixture);
    check_closed(&fixture, rkey);
    CHECK(ibv_dealloc_mw(second) == 0);
    CHECK(ibv_dealloc_mw(first) == 0);
    release(&fixture);
}

static void should_open_nothing_through_a_window_that_was_freed(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_2);
    uint32_t rkey = ibv_inc_rkey(window->rkey);
    CHECK(post_bind_2(&fixture, window, rkey, part(&fixture, IBV_ACCESS_REMOTE_WRITE)) == 0);
    expect_bound(&fixture);
    CHECK(ibv_dealloc_mw(window) == 0);
    check_closed(&fixture, rkey);
    release(&fixture);
}

/* ---- Errors ---- */

/* A bind that the region or the window does not allow fails the queue pair. */
static void expect_refused(struct fixture *fixture, struct ibv_mw *window, struct ibv_mw_bind_info info) {
    CHECK(post_bind_2(fixture, window, ibv_inc_rkey(window->rkey), info) == 0);
    struct ibv_wc completion = next_completion(&fixture->end);
    CHECK(completion.status == IBV_WC_MW_BIND_ERR && completion.wr_id == BIND);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(fixture);
}

static void should_refuse_binds_that_regions_or_windows_do_not_allow(void) {
    struct fixture fixture;
    set_up(&fixture);
    struct ibv_mw_bind_info info = part(&fixture, IBV_ACCESS_REMOTE_WRITE);
    info.mr = fixture.end.region;
    expect_refused(&fixture, allocate(&fixture, IBV_MW_TYPE_2), info);
    set_up(&fixture);
    info = part(&fixture, IBV_ACCESS_REMOTE_WRITE);
    info.length = MEMORY;
    expect_refused(&fixture, allocate(&fixture, IBV_MW_TYPE_2), info);
    set_up(&fixture);
    info = part(&fixture, IBV_ACCESS_REMOTE_WRITE);
    info.addr -= MEMORY;
    expect_refused(&fixture, allocate(&fixture, IBV_MW_TYPE_2), info);
    set_up(&fixture);
    struct ibv_mw *bound = allocate(&fixture, IBV_MW_TYPE_2);
    CHECK(post_bind_2(&fixture, bound, ibv_inc_rkey(bound->rkey), part(&fixture, IBV_ACCESS_REMOTE_WRITE)) == 0);
    expect_bound(&fixture);
    expect_refused(&fixture, bound, part(&fixture, IBV_ACCESS_REMOTE_WRITE));
}

static void should_refuse_wrong_arguments(void) {
    struct fixture fixture;
    set_up(&fixture);
    CHECK_ERRNO(EINVAL, ibv_alloc_mw(fixture.end.id->pd, (enum ibv_mw_type)3) == NULL);
    struct ibv_mw *first = allocate(&fixture, IBV_MW_TYPE_1), *second = allocate(&fixture, IBV_MW_TYPE_2);
    struct ibv_mw_bind_info info = part(&fixture, IBV_ACCESS_REMOTE_WRITE), nothing = {.mr = fixture.opened};
    CHECK(post_bind_1(&fixture, second, info, 0) == EINVAL);
    CHECK(post_bind_2(&fixture, first, ibv_inc_rkey(first->rkey), info) == EINVAL);
    CHECK(post_bind_2(&fixture, second, second->rkey + 0x100, info) == EINVAL);
    CHECK(post_bind_2(&fixture, second, second->rkey, nothing) == EINVAL);
    struct ibv_pd *foreign = ibv_alloc_pd(fixture.end.id->verbs);
    struct ibv_mw *theirs = ibv_alloc_mw(foreign, IBV_MW_TYPE_2);
    CHECK(theirs != NULL);
    CHECK(post_bind_2(&fixture, theirs, ibv_inc_rkey(theirs->rkey), info) == EPERM);
    CHECK(ibv_dealloc_mw(theirs) == 0 && ibv_dealloc_pd(foreign) == 0);
    CHECK(ibv_dealloc_mw(first) == 0 && ibv_dealloc_mw(second) == 0);
    struct ibv_device_attr attributes;
    CHECK(ibv_query_device(fixture.end.id->verbs, &attributes) == 0);
    CHECK((attributes.device_cap_flags & IBV_DEVICE_MEM_WINDOW) != 0 && attributes.max_mw > 0);
    CHECK((attributes.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B) != 0);
    tear_down(&fixture);
}

/* ---- The post API ---- */

static void should_bind_and_invalidate_by_the_post_api(void) {
    struct fixture fixture = {.end.id = resolve(events, PORT_OF_PEER)};
    struct end *end = &fixture.end;
    equip(end);
    rdma_destroy_qp(end->id);
    struct ibv_qp_init_attr_ex wanted = {.send_cq = end->cq, .recv_cq = end->cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 8, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1},
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = end->id->pd,
        .send_ops_flags = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND};
    end->id->qp = ibv_create_qp_ex(end->id->verbs, &wanted);
    CHECK(end->id->qp != NULL);
    post_receive(end, 0);
    CHECK(rdma_connect(end->id, NULL) == 0);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    fixture.opened = ibv_reg_mr(end->id->pd, end->memory, MEMORY, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
    struct ibv_mw *window = allocate(&fixture, IBV_MW_TYPE_2);
    struct ibv_mw_bind_info info = part(&fixture, IBV_ACCESS_REMOTE_WRITE);
    struct ibv_qp_ex *pair = ibv_qp_to_qp_ex(end->id->qp);
    uint32_t rkey = ibv_inc_rkey(window->rkey);
    ibv_wr_start(pair);
    pair->wr_id = BIND;
    pair->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_bind_mw(pair, window, rkey, &info);
    CHECK(ibv_wr_complete(pair) == 0);
    expect_bound(&fixture);
    check_open(&fixture, end, rkey, address_of_part(&fixture), "post API");
    ibv_wr_start(pair);
    pair->wr_id = INVALIDATE;
    ibv_wr_local_inv(pair, rkey);
    pair->wr_id = BIND;
    ibv_wr_bind_mw(pair, window, ibv_inc_rkey(rkey), &info);
    CHECK(ibv_wr_complete(pair) == 0);
    CHECK(expect(end, IBV_WC_SUCCESS, INVALIDATE).opcode == IBV_WC_LOCAL_INV);
    expect_bound(&fixture);
    check_open(&fixture, end, ibv_inc_rkey(rkey), address_of_part(&fixture), "again");
    check_closed(&fixture, rkey);
    CHECK(ibv_dealloc_mw(window) == 0);
    release(&fixture);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    start_peer(arguments[1]);
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    RUN(should_open_a_part_by_type_1_until_it_is_bound_again);
    RUN(should_open_type_1_to_all_connections_until_it_is_bound_to_nothing);
    RUN(should_open_a_part_by_type_2_until_the_peer_invalidates_it);
    RUN(should_open_a_part_by_type_2_until_the_program_invalidates_it);
    RUN(should_open_what_the_rights_say);
    RUN(should_open_nothing_without_rights);
    RUN(should_open_nothing_through_a_window_that_was_freed);
    RUN(should_refuse_binds_that_regions_or_windows_do_not_allow);
    RUN(should_refuse_wrong_arguments);
    RUN(should_bind_and_invalidate_by_the_post_api);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
