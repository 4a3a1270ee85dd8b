/* What Debian's programs do not show: errors, flushes, events, limits, threads. The argument is the daemon's socket. */
#include <fcntl.h>

#include "peer.h"

static struct rdma_event_channel *events;

static int post(struct end *end, struct ibv_send_wr work, uint32_t lkey, uint32_t length) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory, .length = length, .lkey = lkey};
    struct ibv_send_wr *bad;
    work.sg_list = &piece;
    work.num_sge = length == 0 ? 0 : 1;
    return ibv_post_send(end->id->qp, &work, &bad);
}

static int post_own(struct end *end, struct ibv_send_wr work, uint32_t length) {
    return post(end, work, end->region->lkey, length);
}

static void disconnect(struct end *end) {
    CHECK(rdma_disconnect(end->id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    dismantle(end);
}

/* As libfabric does. rdma_cm keeps a context of its own once an id has an address, so this is the first test. */
static void should_open_and_close_the_device_again_and_again(void) {
    struct ibv_device **devices = ibv_get_device_list(NULL);
    CHECK(devices != NULL && devices[0] != NULL);
    for (int i = 0; i < 20; i++) {
        struct ibv_context *context = ibv_open_device(devices[0]);
        CHECK(context != NULL);
        struct ibv_pd *domain = ibv_alloc_pd(context);
        CHECK(domain != NULL);
        /* The daemon answers: so the device's thread has had time to wait for something. */
        char *memory = malloc(MEMORY);
        struct ibv_mr *region = ibv_reg_mr(domain, memory, MEMORY, IBV_ACCESS_LOCAL_WRITE);
        CHECK(region != NULL);
        CHECK(ibv_dereg_mr(region) == 0);
        CHECK(ibv_dealloc_pd(domain) == 0);
        CHECK(ibv_close_device(context) == 0);
        free(memory);
    }
    ibv_free_device_list(devices);
}

static void should_refuse_what_iwarp_does_not_have(void) {
    struct rdma_cm_id *id;
    CHECK_ERRNO(EOPNOTSUPP, rdma_create_id(events, &id, NULL, RDMA_PS_UDP) == -1);
    id = resolve(events, PORT_OF_PEER);
    struct ibv_cq *cq = ibv_create_cq(id->verbs, 4, NULL, NULL, 0);
    CHECK(cq != NULL);
    struct ibv_qp_init_attr wanted = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD};
    CHECK_ERRNO(EOPNOTSUPP, ibv_create_qp(id->pd, &wanted) == NULL);
    struct ibv_ah_attr to = {.port_num = 1};
    CHECK_ERRNO(EOPNOTSUPP, ibv_create_ah(id->pd, &to) == NULL);
    struct ibv_cq_init_attr_ex extended = {.cqe = 4, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP};
    CHECK_ERRNO(EOPNOTSUPP, ibv_create_cq_ex(id->verbs, &extended) == NULL);
    CHECK(ibv_req_notify_cq(cq, 0) == EINVAL);
    CHECK(ibv_destroy_cq(cq) == 0);
    CHECK(rdma_destroy_id(id) == 0);
}

/* Declared by newer headers only. */
struct ibv_buf;
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **made);
void ibv_free_buf(struct ibv_buf *buffer);
struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buffer, void *address, size_t length, int access);
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buffer);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);
int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status, uint64_t argument);

static void should_refuse_what_newer_releases_of_rdma_core_have(void) {
    struct rdma_cm_id *id = resolve(events, PORT_OF_PEER);
    CHECK_ERRNO(EOPNOTSUPP, ibv_export_buf_dmabuf_fd(NULL) == -1);
    CHECK(ibv_query_port_speed(id->verbs, 1, NULL) == EOPNOTSUPP);
    CHECK_ERRNO(EOPNOTSUPP, rdma_write_cm_event(id, RDMA_CM_EVENT_ESTABLISHED, 0, 0) == -1);
    CHECK(rdma_destroy_id(id) == 0);
}

static void should_register_buffers_that_it_has_allocated(void) {
    struct rdma_cm_id *id = resolve(events, PORT_OF_PEER);
    struct ibv_buf *buffer = NULL;
    CHECK_ERRNO(EINVAL, ibv_alloc_buf(id->pd, 0, &buffer) == NULL);
    CHECK_ERRNO(ENOMEM, ibv_alloc_buf(id->pd, SIZE_MAX, &buffer) == NULL);
    char *octets = ibv_alloc_buf(id->pd, MEMORY, &buffer);
    CHECK(octets != NULL && (uintptr_t)octets % (uintptr_t)sysconf(_SC_PAGESIZE) == 0);
    CHECK_ERRNO(EINVAL, ibv_reg_buf_mr(id->pd, buffer, octets + 1, MEMORY, 0) == NULL);
    CHECK_ERRNO(EINVAL, ibv_reg_buf_mr(id->pd, buffer, octets - 1, 1, 0) == NULL);
    struct ibv_mr *region = ibv_reg_buf_mr(id->pd, buffer, octets + 1, MEMORY - 1, IBV_ACCESS_LOCAL_WRITE);
    CHECK(region != NULL && region->addr == octets + 1 && region->length == MEMORY - 1);
    CHECK(ibv_dereg_mr(region) == 0);
    ibv_free_buf(buffer);
    CHECK(rdma_destroy_id(id) == 0);
}

static void should_count_what_objects_are_used_by(void) {
    struct end end = {.id = resolve(events, PORT_OF_PEER)};
    equip(&end);
    CHECK(ibv_destroy_cq(end.cq) == EBUSY);
    CHECK(ibv_destroy_comp_channel(end.channel) == EBUSY);
    CHECK(ibv_dealloc_pd(end.id->pd) == EBUSY);
    dismantle(&end);
}

/* The number of an id's queue pair means nothing to peers; standard error says so, once. */
static void check_connecting_by_number(struct ibv_qp *pair) {
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_RESET};
    CHECK(ibv_modify_qp(pair, &to, IBV_QP_STATE) == 0);
    to.qp_state = IBV_QPS_INIT;
    CHECK(ibv_modify_qp(pair, &to, IBV_QP_STATE) == 0);
    to.qp_state = IBV_QPS_RTR;
    int mask = IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_RQ_PSN;
    char said[512];
    int before = dup(STDERR_FILENO), ends[2];
    CHECK(before >= 0 && pipe2(ends, O_CLOEXEC) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    int first = ibv_modify_qp(pair, &to, mask), second = ibv_modify_qp(pair, &to, mask);
    CHECK(dup2(before, STDERR_FILENO) == STDERR_FILENO && close(before) == 0 && close(ends[1]) == 0);
    ssize_t length = read(ends[0], said, sizeof said - 1);
    CHECK(first == EOPNOTSUPP && second == EOPNOTSUPP && length > 0 && close(ends[0]) == 0);
    said[length] = '\0';
    CHECK(strstr(said, "rdma_cm") != NULL && strchr(said, '\n') == said + length - 1);
}

static void should_show_the_timeout_that_was_chosen(void) {
    struct end end = {.id = resolve(events, PORT_OF_PEER)};
    uint8_t timeout = 21;
    CHECK(rdma_set_option(end.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout) == 0);
    equip(&end);
    CHECK(rdma_set_option(end.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout) == 0);
    struct ibv_qp_attr now;
    struct ibv_qp_init_attr initial;
    CHECK(ibv_query_qp(end.id->qp, &now, IBV_QP_TIMEOUT, &initial) == 0 && now.timeout == timeout);
    CHECK_ERRNO(EOPNOTSUPP, rdma_set_option(end.id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &timeout, sizeof timeout) == -1);
    dismantle(&end);
}

static void should_flush_a_queue_pair_that_was_never_connected(void) {
    struct end end = {.id = resolve(events, PORT_OF_PEER)};
    equip(&end);
    CHECK(post_own(&end, (struct ibv_send_wr){.opcode = IBV_WR_SEND}, 8) == EINVAL);
    post_receive(&end, 1);
    post_receive(&end, 2);
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_ERR};
    CHECK(ibv_modify_qp(end.id->qp, &to, IBV_QP_STATE) == 0);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 1);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 2);
    post_receive(&end, 3);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 3);
    CHECK(post_own(&end, (struct ibv_send_wr){.wr_id = 4, .opcode = IBV_WR_SEND}, 8) == 0);
    expect(&end, IBV_WC_WR_FLUSH_ERR, 4);
    check_connecting_by_number(end.id->qp);
    dismantle(&end);
}

static void should_tell_rejections(void) {
    struct end end = {.id = resolve(events, PORT_OF_PEER)};
    equip(&end);
    struct rdma_conn_param param = {.private_data = "bad", .private_data_len = 3};
    CHECK(rdma_connect(end.id, &param) == 0);
    struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_REJECTED);
    CHECK(event->status == -ECONNREFUSED);
    CHECK(event->param.conn.private_data_len == 7);
    CHECK(memcmp(event->param.conn.private_data, "because", 7) == 0);
    rdma_ack_cm_event(event);
    dismantle(&end);
    end.id = resolve(events, PORT_OF_PEER + 1);
    equip(&end);
    CHECK(rdma_connect(end.id, NULL) == 0);
    await_event(events, RDMA_CM_EVENT_REJECTED);
    dismantle(&end);
}

static void should_carry_immediate_data_and_atomics(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_send_wr write = {.wr_id = 50, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(0x01020304), .wr.rdma = {end.peer.address + 2048, end.peer.rkey}};
    strcpy((char *)end.memory, "written");
    CHECK(post_own(&end, write, 8) == 0);
    uint64_t seen = 0;
    /* The write's own completion and the answer come in any order. */
    for (int i = 0; i < 2; i++) {
        struct ibv_wc completion = next_completion(&end);
        CHECK(completion.status == IBV_WC_SUCCESS);
        seen += completion.wr_id == 50 ? 50 : 0;
        if (completion.opcode == IBV_WC_RECV) {
            uint32_t back;
            memcpy(&back, end.memory + completion.wr_id * MESSAGE, sizeof back);
            CHECK(back == htonl(0x01020304));
        }
    }
    CHECK(seen == 50);
    uint64_t value = 40;
    memcpy(end.memory, &value, sizeof value);
    struct ibv_send_wr set = {.wr_id = 51, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
        .wr.rdma = {end.peer.address + 2048, end.peer.rkey}};
    CHECK(post_own(&end, set, 8) == 0);
    expect(&end, IBV_WC_SUCCESS, 51);
    struct ibv_send_wr add = {.wr_id = 52, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .send_flags = IBV_SEND_SIGNALED,
        .wr.atomic = {.remote_addr = end.peer.address + 2048, .compare_add = 2, .rkey = end.peer.rkey}};
    CHECK(post_own(&end, add, 8) == 0);
    CHECK(expect(&end, IBV_WC_SUCCESS, 52).opcode == IBV_WC_FETCH_ADD);
    memcpy(&value, end.memory, sizeof value);
    CHECK(value == 40);
    struct ibv_send_wr swap = {.wr_id = 53, .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .send_flags = IBV_SEND_SIGNALED,
        .wr.atomic = {.remote_addr = end.peer.address + 2048, .compare_add = 42, .swap = 7, .rkey = end.peer.rkey}};
    CHECK(post_own(&end, swap, 8) == 0);
    expect(&end, IBV_WC_SUCCESS, 53);
    memcpy(&value, end.memory, sizeof value);
    CHECK(value == 42);
    struct ibv_send_wr with_immediate = {.opcode = IBV_WR_SEND_WITH_IMM};
    CHECK(post_own(&end, with_immediate, 8) == EOPNOTSUPP);
    disconnect(&end);
}

/* The peer answers with the number. */
static void should_send_with_immediate_data(void) {
    struct end end;
    setenv("RDDP_SEND_WITH_IMM", "yes", 1);
    connect_end(events, &end);
    unsetenv("RDDP_SEND_WITH_IMM");
    struct ibv_send_wr send = {.wr_id = 54, .opcode = IBV_WR_SEND_WITH_IMM, .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htonl(0x0a0b0c0d)};
    CHECK(post_own(&end, send, 8) == 0);
    unsigned seen = 0;
    for (int i = 0; i < 2; i++) {
        struct ibv_wc completion = next_completion(&end);
        CHECK(completion.status == IBV_WC_SUCCESS);
        if (completion.opcode == IBV_WC_RECV) {
            uint32_t back;
            memcpy(&back, end.memory + completion.wr_id * MESSAGE, sizeof back);
            CHECK(completion.byte_len == sizeof back && back == htonl(0x0a0b0c0d));
            seen++;
        } else {
            CHECK(completion.opcode == IBV_WC_SEND && completion.wr_id == 54);
        }
    }
    CHECK(seen == 1);
    disconnect(&end);
}

static void should_refuse_more_than_the_queue_holds(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_sge piece = {.addr = (uintptr_t)end.memory, .length = 8, .lkey = end.region->lkey};
    struct ibv_recv_wr more = {.sg_list = &piece, .num_sge = 1}, *bad_receive = NULL;
    CHECK(ibv_post_recv(end.id->qp, &more, &bad_receive) == ENOMEM);
    CHECK(bad_receive == &more);
    struct ibv_sge pieces[3] = {piece, piece, piece};
    struct ibv_send_wr too_many = {.opcode = IBV_WR_SEND, .sg_list = pieces, .num_sge = 3}, *bad = NULL;
    CHECK(ibv_post_send(end.id->qp, &too_many, &bad) == EINVAL);
    CHECK(bad == &too_many);
    disconnect(&end);
}

/* Its completion, flushes of what was posted behind it and of the receives, and the end of the connection. */
static void expect_failure(struct end *end, enum ibv_wc_status status, uint64_t flushed) {
    uint64_t receives = 0;
    for (uint64_t sends = 0; receives < RECEIVES || sends < flushed + 1;) {
        struct ibv_wc completion = next_completion(end);
        if (completion.wr_id < RECEIVES) {
            CHECK(completion.status == IBV_WC_WR_FLUSH_ERR);
            CHECK(completion.wr_id == receives++);
        } else {
            CHECK(completion.wr_id == 60 + sends);
            CHECK(completion.status == (sends == 0 ? status : IBV_WC_WR_FLUSH_ERR));
            sends++;
        }
    }
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    struct ibv_qp_attr state;
    struct ibv_qp_init_attr initial;
    CHECK(ibv_query_qp(end->id->qp, &state, IBV_QP_STATE, &initial) == 0);
    CHECK(state.qp_state == IBV_QPS_ERR);
    CHECK(post_own(end, (struct ibv_send_wr){.wr_id = 70, .opcode = IBV_WR_SEND}, 8) == 0);
    expect(end, IBV_WC_WR_FLUSH_ERR, 70);
}

static void should_fail_with_a_wrong_key(void) {
    struct end end;
    connect_end(events, &end);
    CHECK(post(&end, (struct ibv_send_wr){.wr_id = 60, .opcode = IBV_WR_SEND}, end.region->lkey + 1, 8) == 0);
    CHECK(post_own(&end, (struct ibv_send_wr){.wr_id = 61, .opcode = IBV_WR_SEND}, 8) == 0);
    expect_failure(&end, IBV_WC_LOC_PROT_ERR, 1);
    dismantle(&end);
}

static void should_fail_when_the_peer_refuses_an_access(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_send_wr read = {.wr_id = 60, .opcode = IBV_WR_RDMA_READ,
        .wr.rdma = {end.peer.address + MEMORY, end.peer.rkey}};
    CHECK(post_own(&end, read, 8) == 0);
    expect_failure(&end, IBV_WC_REM_ACCESS_ERR, 0);
    struct ibv_async_event event;
    CHECK(ibv_get_async_event(end.id->verbs, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_QP_FATAL && event.element.qp == end.id->qp);
    ibv_ack_async_event(&event);
    dismantle(&end);
}

static void should_keep_protection_domains_apart(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_send_wr read = {.wr_id = 60, .opcode = IBV_WR_RDMA_READ, .wr.rdma = {end.peer.address, end.peer.foreign_rkey}};
    CHECK(post_own(&end, read, 8) == 0);
    expect_failure(&end, IBV_WC_REM_ACCESS_ERR, 0);
    struct ibv_async_event event;
    CHECK(ibv_get_async_event(end.id->verbs, &event) == 0);
    ibv_ack_async_event(&event);
    dismantle(&end);
    connect_end(events, &end);
    struct ibv_pd *foreign = ibv_alloc_pd(end.id->verbs);
    CHECK(foreign != NULL);
    struct ibv_mr *again = ibv_reg_mr(foreign, end.memory, MEMORY, 0);
    CHECK(again != NULL && ibv_dealloc_pd(foreign) == EBUSY);
    CHECK(post(&end, (struct ibv_send_wr){.wr_id = 60, .opcode = IBV_WR_SEND}, again->lkey, 8) == 0);
    expect_failure(&end, IBV_WC_LOC_PROT_ERR, 0);
    dismantle(&end);
    CHECK(ibv_dereg_mr(again) == 0 && ibv_dealloc_pd(foreign) == 0);
}

static bool has_event(struct end *end, int timeout_ms) {
    struct pollfd polled = {.fd = end->channel->fd, .events = POLLIN};
    return poll(&polled, 1, timeout_ms) == 1;
}

static void should_wait_for_solicited_completions(void) {
    struct end end;
    connect_end(events, &end);
    strcpy((char *)end.memory + 2048, "x");
    CHECK(ibv_req_notify_cq(end.cq, 1) == 0);
    struct ibv_sge piece = {.addr = (uintptr_t)end.memory + 2048, .length = 2, .lkey = end.region->lkey};
    struct ibv_send_wr work = {.wr_id = 80, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1}, *bad;
    struct ibv_wc completion;
    CHECK(ibv_post_send(end.id->qp, &work, &bad) == 0);
    while (ibv_poll_cq(end.cq, 1, &completion) == 0) {
    }
    CHECK(completion.status == IBV_WC_SUCCESS && completion.opcode == IBV_WC_RECV);
    CHECK(!has_event(&end, 0));
    strcpy((char *)end.memory + 2048, "s");
    CHECK(ibv_post_send(end.id->qp, &work, &bad) == 0);
    CHECK(has_event(&end, DEADLINE_MS));
    struct ibv_cq *cq;
    void *context;
    CHECK(ibv_get_cq_event(end.channel, &cq, &context) == 0);
    CHECK(cq == end.cq && context == &end);
    ibv_ack_cq_events(cq, 1);
    CHECK(ibv_poll_cq(end.cq, 1, &completion) == 1);
    disconnect(&end);
}

static void should_offer_the_new_post_and_poll_api(void) {
    struct end end = {.id = resolve(events, PORT_OF_PEER)};
    equip(&end);
    rdma_destroy_qp(end.id);
    struct ibv_cq_init_attr_ex extended = {.cqe = 2 * RECEIVES, .wc_flags = IBV_WC_STANDARD_FLAGS};
    struct ibv_cq_ex *queue = ibv_create_cq_ex(end.id->verbs, &extended);
    CHECK(queue != NULL);
    struct ibv_qp_init_attr_ex wanted = {.send_cq = ibv_cq_ex_to_cq(queue), .recv_cq = ibv_cq_ex_to_cq(queue),
        .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 2, .max_recv_sge = 2},
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | IBV_QP_INIT_ATTR_CREATE_FLAGS,
        .pd = end.id->pd, .create_flags = IBV_QP_CREATE_PCI_WRITE_END_PADDING,
        .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ};
    CHECK_ERRNO(EOPNOTSUPP, ibv_create_qp_ex(end.id->verbs, &wanted) == NULL);
    wanted.create_flags = 0;
    end.id->qp = ibv_create_qp_ex(end.id->verbs, &wanted);
    CHECK(end.id->qp != NULL);
    struct ibv_qp_ex *pair = ibv_qp_to_qp_ex(end.id->qp);
    CHECK(pair != NULL);
    CHECK(rdma_connect(end.id, NULL) == 0);
    struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_ESTABLISHED);
    memcpy(&end.peer, event->param.conn.private_data, sizeof end.peer);
    rdma_ack_cm_event(event);

    char text[] = "by the new API";
    ibv_wr_start(pair);
    pair->wr_id = 1;
    pair->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(pair, end.peer.rkey, end.peer.address + 2048);
    ibv_wr_set_inline_data(pair, text, sizeof text);
    pair->wr_id = 2;
    ibv_wr_rdma_read(pair, end.peer.rkey, end.peer.address + 2048);
    ibv_wr_set_sge(pair, end.region->lkey, (uintptr_t)end.memory, sizeof text);
    CHECK(ibv_wr_complete(pair) == 0);
    const enum ibv_wc_opcode expected[] = {IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ};
    for (uint64_t i = 0; i < 2; i++) {
        struct ibv_poll_cq_attr attributes = {.comp_mask = 0};
        int result = ibv_start_poll(queue, &attributes);
        while (result == ENOENT) {
            result = ibv_start_poll(queue, &attributes);
        }
        CHECK(result == 0 && queue->status == IBV_WC_SUCCESS && queue->wr_id == i + 1);
        CHECK(ibv_wc_read_opcode(queue) == expected[i]);
        CHECK(ibv_wc_read_qp_num(queue) == end.id->qp->qp_num);
        ibv_end_poll(queue);
    }
    CHECK(strcmp((char *)end.memory, text) == 0);
    ibv_wr_start(pair);
    ibv_wr_send(pair);
    ibv_wr_abort(pair);
    ibv_wr_start(pair);
    for (int i = 0; i < 5; i++) {
        ibv_wr_send(pair);
    }
    CHECK(ibv_wr_complete(pair) == ENOMEM);
    CHECK(rdma_disconnect(end.id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    rdma_destroy_qp(end.id);
    CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(queue)) == 0);
    dismantle(&end);
}

/* ---- Threads ---- */

#define THREADS 4
#define ROUNDS 300

static void *echo(void *argument) {
    struct end *end = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        memcpy(end->memory + 2048, &i, sizeof i);
        struct ibv_sge piece = {.addr = (uintptr_t)end->memory + 2048, .length = MESSAGE, .lkey = end->region->lkey};
        struct ibv_send_wr work = {.wr_id = 90, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1,
            .send_flags = IBV_SEND_SIGNALED}, *bad;
        CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
        for (int j = 0; j < 2; j++) {
            struct ibv_wc completion = next_completion(end);
            CHECK(completion.status == IBV_WC_SUCCESS);
            if (completion.opcode == IBV_WC_RECV) {
                CHECK(memcmp(end->memory + completion.wr_id * MESSAGE, &i, sizeof i) == 0);
                post_receive(end, completion.wr_id);
            }
        }
    }
    return NULL;
}

static void should_serve_several_threads(void) {
    struct end ends[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        connect_end(events, &ends[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, echo, &ends[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        disconnect(&ends[i]);
    }
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    start_peer(arguments[1]);
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    RUN(should_open_and_close_the_device_again_and_again);
    RUN(should_refuse_what_iwarp_does_not_have);
    RUN(should_refuse_what_newer_releases_of_rdma_core_have);
    RUN(should_register_buffers_that_it_has_allocated);
    RUN(should_count_what_objects_are_used_by);
    RUN(should_show_the_timeout_that_was_chosen);
    RUN(should_flush_a_queue_pair_that_was_never_connected);
    RUN(should_tell_rejections);
    RUN(should_carry_immediate_data_and_atomics);
    RUN(should_send_with_immediate_data);
    RUN(should_refuse_more_than_the_queue_holds);
    RUN(should_fail_with_a_wrong_key);
    RUN(should_fail_when_the_peer_refuses_an_access);
    RUN(should_keep_protection_domains_apart);
    RUN(should_wait_for_solicited_completions);
    RUN(should_offer_the_new_post_and_poll_api);
    RUN(should_serve_several_threads);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
