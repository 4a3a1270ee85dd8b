/* The two programs over libibverbs and librdmacm, as any program is written. */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>

#include "pair.h"

#define TIMEOUT_MS 10000
#define CONTROL_PORT 7480

struct end {
    struct rdma_cm_id *id;
    struct ibv_cq *queue;
    struct ibv_mr *region;
    uint8_t *source, *sink;
    struct end *peer;
};

static struct rdma_cm_event *next_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type) {
    struct rdma_cm_event *event;
    EXPECT(rdma_get_cm_event(channel, &event) == 0, "rdma_get_cm_event");
    EXPECT(event->event == type, rdma_event_str(event->event));
    return event;
}

static void await_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type) {
    rdma_ack_cm_event(next_event(channel, type));
}

static void equip(struct end *end) {
    void *memory = aligned_alloc(4096, 2 * LONGEST);
    EXPECT(memory != NULL, "no memory");
    memset(memory, 0, 2 * LONGEST);
    end->source = memory;
    end->sink = end->source + LONGEST;
    end->queue = ibv_create_cq(end->id->verbs, 2 * QUEUE, NULL, NULL, 0);
    EXPECT(end->queue != NULL, "ibv_create_cq");
    end->region = ibv_reg_mr(end->id->pd, memory, 2 * LONGEST, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    EXPECT(end->region != NULL, "ibv_reg_mr");
    struct ibv_qp_init_attr wanted = {.send_cq = end->queue, .recv_cq = end->queue, .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1, .cap = {.max_send_wr = QUEUE, .max_recv_wr = QUEUE, .max_send_sge = 1, .max_recv_sge = 1}};
    EXPECT(rdma_create_qp(end->id, NULL, &wanted) == 0, "rdma_create_qp");
}

static struct sockaddr_in socket_address(const struct place *place, uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(place->address), .sin_port = htons(port)};
}

static void open_pair(struct end *near, const struct place *near_place, struct end *far, const struct place *far_place) {
    struct rdma_event_channel *connecting = rdma_create_event_channel(), *accepting = rdma_create_event_channel();
    EXPECT(connecting != NULL && accepting != NULL, "rdma_create_event_channel");
    struct sockaddr_in from = socket_address(near_place, 0), to = socket_address(far_place, CONTROL_PORT);
    struct rdma_cm_id *listener;
    EXPECT(rdma_create_id(accepting, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    EXPECT(rdma_bind_addr(listener, (struct sockaddr *)&to) == 0, "rdma_bind_addr");
    EXPECT(rdma_listen(listener, 1) == 0, "rdma_listen");
    EXPECT(rdma_create_id(connecting, &near->id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    EXPECT(rdma_resolve_addr(near->id, (struct sockaddr *)&from, (struct sockaddr *)&to, TIMEOUT_MS) == 0,
        "rdma_resolve_addr");
    await_event(connecting, RDMA_CM_EVENT_ADDR_RESOLVED);
    EXPECT(rdma_resolve_route(near->id, TIMEOUT_MS) == 0, "rdma_resolve_route");
    await_event(connecting, RDMA_CM_EVENT_ROUTE_RESOLVED);
    equip(near);
    struct rdma_conn_param parameters = {.responder_resources = 1, .initiator_depth = 1};
    EXPECT(rdma_connect(near->id, &parameters) == 0, "rdma_connect");
    struct rdma_cm_event *request = next_event(accepting, RDMA_CM_EVENT_CONNECT_REQUEST);
    far->id = request->id;
    equip(far);
    EXPECT(rdma_accept(far->id, &parameters) == 0, "rdma_accept");
    rdma_ack_cm_event(request);
    await_event(connecting, RDMA_CM_EVENT_ESTABLISHED);
    await_event(accepting, RDMA_CM_EVENT_ESTABLISHED);
    near->peer = far;
    far->peer = near;
}

static inline bool post_work(struct end *end, enum ibv_wr_opcode opcode, uint32_t octets) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->source, .length = octets, .lkey = end->region->lkey};
    struct ibv_send_wr work = {.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &piece, .num_sge = 1,
        .wr.rdma = {.remote_addr = (uintptr_t)end->peer->sink, .rkey = end->peer->region->rkey}}, *bad;
    int error = ibv_post_send(end->id->qp, &work, &bad);
    EXPECT(error == 0 || error == ENOMEM, strerror(error));
    return error == 0;
}

/* Writes what is at the begin of the source to the begin of the peer's sink; false while queues are full. */
static inline bool post_write(struct end *end, uint32_t octets) {
    return post_work(end, IBV_WR_RDMA_WRITE, octets);
}

static inline bool post_send(struct end *end, uint32_t octets) {
    return post_work(end, IBV_WR_SEND, octets);
}

static inline void post_receive(struct end *end) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->sink, .length = LONGEST, .lkey = end->region->lkey};
    struct ibv_recv_wr work = {.sg_list = &piece, .num_sge = 1}, *bad;
    EXPECT(ibv_post_recv(end->id->qp, &work, &bad) == 0, "ibv_post_recv");
}

/* Takes completions; `received` counts those of receives. Returns how many there were. */
static inline unsigned take_completions(struct end *end, unsigned *received) {
    struct ibv_wc completions[AT_ONCE];
    int count = ibv_poll_cq(end->queue, AT_ONCE, completions);
    EXPECT(count >= 0, "ibv_poll_cq");
    for (int i = 0; i < count; i++) {
        EXPECT(completions[i].status == IBV_WC_SUCCESS, ibv_wc_status_str(completions[i].status));
        *received += completions[i].opcode == IBV_WC_RECV;
    }
    return (unsigned)count;
}
