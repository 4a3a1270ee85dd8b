/* Queue pairs that are connected by number, of the devices of the interfaces "one" and "two". */
#ifndef HALVES_H
#define HALVES_H

#include <sys/socket.h>

#include "peer.h"

#define SENDS 8
#define LONG (1 << 20)
#define PEERS_ALL (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR_MASK                                                                                                       \
    (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC          \
        | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                                                                       \
    (IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* An end: a queue pair with its own completion queue, on one of two devices. */
struct half {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_mr *region;
    uint8_t *memory;
    struct ibv_qp *qp;
    uint32_t psn;
    int gid;
};

/* What an end tells its peer, which may be in another process. */
struct word {
    uint32_t number, psn;
    union ibv_gid gid;
};

static struct ibv_context *contexts[2];
static _Atomic uint32_t last_psn = 0xabc000;

static inline void create(struct half *half, int device, struct ibv_srq *shared) {
    half->context = contexts[device];
    half->pd = shared == NULL ? ibv_alloc_pd(half->context) : shared->pd;
    half->channel = ibv_create_comp_channel(half->context);
    CHECK(half->pd != NULL && half->channel != NULL);
    half->cq = ibv_create_cq(half->context, 8 * SENDS, NULL, half->channel, 0);
    half->memory = aligned_alloc(4096, LONG);
    CHECK(half->cq != NULL && half->memory != NULL);
    memset(half->memory, 0, LONG);
    half->region = ibv_reg_mr(half->pd, half->memory, LONG, IBV_ACCESS_LOCAL_WRITE | PEERS_ALL);
    CHECK(half->region != NULL);
    struct ibv_qp_init_attr wanted = {.send_cq = half->cq, .recv_cq = half->cq, .qp_type = IBV_QPT_RC, .srq = shared,
        .cap = {.max_send_wr = SENDS, .max_recv_wr = SENDS, .max_send_sge = 1, .max_recv_sge = 1}};
    half->qp = ibv_create_qp(half->pd, &wanted);
    CHECK(half->qp != NULL && half->qp->qp_num > 1 && half->qp->qp_num < 1u << 24);
    half->gid = 0;
}

static inline void destroy(struct half *half) {
    CHECK(ibv_destroy_qp(half->qp) == 0);
    CHECK(ibv_dereg_mr(half->region) == 0 && ibv_destroy_cq(half->cq) == 0);
    CHECK(ibv_destroy_comp_channel(half->channel) == 0 && ibv_dealloc_pd(half->pd) == 0);
    free(half->memory);
}

static inline void to_init(struct half *half, unsigned access) {
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access};
    CHECK(ibv_modify_qp(half->qp, &to, INIT_MASK) == 0);
    half->psn = ++last_psn;
}

static inline struct word word_of(const struct half *half) {
    struct word word = {.number = half->qp->qp_num, .psn = half->psn};
    CHECK(ibv_query_gid(half->context, 1, half->gid, &word.gid) == 0);
    return word;
}

/* Both ends tell each other something, and wait for that. */
static inline struct word tell(int socket, struct word own) {
    struct word others;
    CHECK(write(socket, &own, sizeof own) == sizeof own);
    CHECK(read(socket, &others, sizeof others) == sizeof others);
    return others;
}

/* What a program says of its peer. */
static inline struct ibv_qp_attr towards_word(const struct half *half, struct word peer) {
    return (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_2048, .dest_qp_num = peer.number,
        .rq_psn = peer.psn, .max_dest_rd_atomic = 5, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .sl = 3,
            .grh = {.dgid = peer.gid, .sgid_index = (uint8_t)half->gid, .hop_limit = 7}}};
}

static inline struct ibv_qp_attr towards(const struct half *half, const struct half *peer) {
    return towards_word(half, word_of(peer));
}

static inline void to_rtr_with(struct half *half, struct word peer) {
    struct ibv_qp_attr to = towards_word(half, peer);
    CHECK(ibv_modify_qp(half->qp, &to, RTR_MASK) == 0);
}

static inline void to_rtr(struct half *half, const struct half *peer) {
    to_rtr_with(half, word_of(peer));
}

static inline int modify_to_rts(struct half *half) {
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 6, .sq_psn = half->psn,
        .max_rd_atomic = 4};
    return ibv_modify_qp(half->qp, &to, RTS_MASK);
}

static inline void to_rts(struct half *half) {
    CHECK(modify_to_rts(half) == 0);
}

static inline void to_state(struct half *half, enum ibv_qp_state state) {
    struct ibv_qp_attr to = {.qp_state = state};
    CHECK(ibv_modify_qp(half->qp, &to, IBV_QP_STATE) == 0);
}

static inline enum ibv_qp_state state_now(const struct half *half) {
    struct ibv_qp_attr now;
    struct ibv_qp_init_attr initial;
    CHECK(ibv_query_qp(half->qp, &now, IBV_QP_STATE, &initial) == 0);
    return now.qp_state;
}

static inline void create_two(struct half *one, struct half *two, unsigned access) {
    create(one, 0, NULL);
    create(two, 1, NULL);
    to_init(one, access);
    to_init(two, access);
}

static inline void connect_two(struct half *one, struct half *two) {
    to_rtr(one, two);
    to_rtr(two, one);
    to_rts(one);
    to_rts(two);
}

static inline void receive(struct half *half, uint64_t id, uint32_t length) {
    struct ibv_sge piece = {.addr = (uintptr_t)half->memory, .length = length, .lkey = half->region->lkey};
    struct ibv_recv_wr work = {.wr_id = id, .sg_list = &piece, .num_sge = 1}, *bad;
    CHECK(ibv_post_recv(half->qp, &work, &bad) == 0);
}

static inline int post(struct half *half, uint64_t id, enum ibv_wr_opcode opcode, uint32_t length, const struct half *peer) {
    struct ibv_sge piece = {.addr = (uintptr_t)half->memory, .length = length, .lkey = half->region->lkey};
    struct ibv_send_wr *bad, work = {.wr_id = id, .opcode = opcode, .sg_list = &piece, .num_sge = 1,
        .send_flags = IBV_SEND_SIGNALED};
    if (peer != NULL && opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        work.wr.atomic.remote_addr = (uintptr_t)peer->memory;
        work.wr.atomic.rkey = peer->region->rkey;
    } else if (peer != NULL) {
        work.wr.rdma.remote_addr = (uintptr_t)peer->memory;
        work.wr.rdma.rkey = peer->region->rkey;
    }
    return ibv_post_send(half->qp, &work, &bad);
}

/* The next completion is that of a request. */
static inline void await(struct half *half, enum ibv_wc_status status, uint64_t id) {
    struct end end = {.channel = half->channel, .cq = half->cq};
    CHECK(expect(&end, status, id).qp_num == half->qp->qp_num);
}

static inline void exchange(struct half *one, struct half *two) {
    receive(one, 1, 8);
    receive(two, 2, 8);
    CHECK(post(one, 3, IBV_WR_SEND, 8, NULL) == 0 && post(two, 4, IBV_WR_SEND, 8, NULL) == 0);
    struct half *ends[] = {one, two};
    for (int i = 0; i < 2; i++) {
        struct end end = {.channel = ends[i]->channel, .cq = ends[i]->cq};
        for (int j = 0; j < 2; j++) {
            CHECK(next_completion(&end).status == IBV_WC_SUCCESS);
        }
    }
}

/* Opens the devices of the daemon, of which there are so many. */
static inline void open_some_devices(int wanted) {
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);
    CHECK(count == wanted);
    for (int i = 0; i < count; i++) {
        contexts[i] = ibv_open_device(list[i]);
        CHECK(contexts[i] != NULL);
    }
    ibv_free_device_list(list);
}

static inline void open_devices(void) {
    open_some_devices(2);
}

#endif
