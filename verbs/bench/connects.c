/*
 * connects SOCKET COUNT [ROUNDS]: how long it takes to connect queue pairs of the daemon's interfaces "one" and "two", both in
 * this process, until each has got a message: by number (ibv_modify_qp) and by rdma_cm, in turn, and either first in every
 * other round. Prints milliseconds a round, and the medians. Ending them is not counted, nor are two rounds of each before,
 * in which the daemon's code is compiled.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check_errno.h"

#define MOST_ROUNDS 99
#define WARM_UP 2
#define PORT 7490
#define MESSAGE 8
#define PAGE 4096

/* What all queue pairs of an interface share. */
struct side {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_mr *region;
    union ibv_gid gid;
    uint8_t *memory;  /* pages of its own: two sessions share none */
};

static struct side sides[2];
static unsigned count;
/* By side. */
static struct ibv_qp **pairs[2];
static struct rdma_cm_id **ids[2];

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void open_side(struct side *side, struct ibv_context *context) {
    side->context = context;
    side->pd = ibv_alloc_pd(context);
    side->memory = aligned_alloc(PAGE, PAGE);
    side->channel = ibv_create_comp_channel(context);
    side->cq = ibv_create_cq(context, (int)(2 * count), NULL, side->channel, 0);
    CHECK(side->memory != NULL);
    side->region = ibv_reg_mr(side->pd, side->memory, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
    CHECK(side->pd != NULL && side->cq != NULL && side->region != NULL);
    CHECK(ibv_query_gid(context, 1, 0, &side->gid) == 0);
}

static struct ibv_qp_init_attr wanted(const struct side *side) {
    return (struct ibv_qp_init_attr){.send_cq = side->cq, .recv_cq = side->cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
}

/* ---- Messages ---- */

static void post_receive(const struct side *side, struct ibv_qp *pair) {
    struct ibv_sge piece = {.addr = (uintptr_t)side->memory, .length = MESSAGE, .lkey = side->region->lkey};
    struct ibv_recv_wr *bad, work = {.sg_list = &piece, .num_sge = 1};
    CHECK(ibv_post_recv(pair, &work, &bad) == 0);
}

static void post_send(const struct side *side, struct ibv_qp *pair) {
    struct ibv_sge piece = {.addr = (uintptr_t)side->memory, .length = MESSAGE, .lkey = side->region->lkey};
    struct ibv_send_wr *bad, work = {.opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1,
        .send_flags = IBV_SEND_SIGNALED};
    CHECK(ibv_post_send(pair, &work, &bad) == 0);
}

static unsigned poll_some(struct side *side) {
    struct ibv_wc completions[64];
    int polled = ibv_poll_cq(side->cq, 64, completions);
    for (int i = 0; i < polled; i++) {
        CHECK(completions[i].status == IBV_WC_SUCCESS);
    }
    return (unsigned)polled;
}

/* The send and the receive of each queue pair of a side have completed. */
static void await_messages(struct side *side) {
    unsigned done = 0;
    while (done < 2 * count) {
        unsigned polled = poll_some(side);
        if (polled == 0) {
            struct ibv_cq *cq;
            void *context;
            CHECK(ibv_req_notify_cq(side->cq, 0) == 0);
            polled = poll_some(side);
            if (polled == 0) {
                CHECK(ibv_get_cq_event(side->channel, &cq, &context) == 0);
                ibv_ack_cq_events(cq, 1);
            }
        }
        done += polled;
    }
}

/* ---- By number ---- */

static void to_rts(struct ibv_qp *pair, const struct side *other, const struct ibv_qp *peer) {
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num,
        .rq_psn = peer->qp_num ^ 0x555555, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = other->gid, .hop_limit = 1}}};
    struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
        .sq_psn = pair->qp_num ^ 0x555555, .max_rd_atomic = 1};
    CHECK(ibv_modify_qp(pair, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    CHECK(ibv_modify_qp(pair, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
        | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
}

static void create_by_number(const struct side *side, struct ibv_qp **made) {
    struct ibv_qp_init_attr attributes = wanted(side);
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    *made = ibv_create_qp(side->pd, &attributes);
    CHECK(*made != NULL);
    CHECK(ibv_modify_qp(*made, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    post_receive(side, *made);
}

static void connect_by_number(void) {
    for (unsigned i = 0; i < count; i++) {
        create_by_number(&sides[0], &pairs[0][i]);
        create_by_number(&sides[1], &pairs[1][i]);
        to_rts(pairs[0][i], &sides[1], pairs[1][i]);
        to_rts(pairs[1][i], &sides[0], pairs[0][i]);
    }
}

/* ---- By rdma_cm ---- */

static void create_by_cm(const struct side *side, struct rdma_cm_id *id, unsigned index) {
    struct ibv_qp_init_attr attributes = wanted(side);
    bool is_client = side == &sides[0];
    CHECK(rdma_create_qp(id, side->pd, &attributes) == 0);
    ids[is_client ? 0 : 1][index] = id;
    pairs[is_client ? 0 : 1][index] = id->qp;
    post_receive(side, id->qp);
}

static void connect_by_cm(struct rdma_event_channel *events) {
    struct rdma_conn_param param = {.initiator_depth = 1, .responder_resources = 1};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    inet_pton(AF_INET, "10.0.0.1", &from.sin_addr);
    inet_pton(AF_INET, "10.0.0.2", &to.sin_addr);
    unsigned clients = 0, servers = 0, established = 0;
    for (unsigned i = 0; i < count; i++) {
        struct rdma_cm_id *id;
        CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
        CHECK(rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 5000) == 0);
    }
    while (established < 2 * count) {
        struct rdma_cm_event *event;
        CHECK(rdma_get_cm_event(events, &event) == 0);
        struct rdma_cm_id *id = event->id;
        enum rdma_cm_event_type type = event->event;
        rdma_ack_cm_event(event);
        switch (type) {
            case RDMA_CM_EVENT_ADDR_RESOLVED: CHECK(rdma_resolve_route(id, 5000) == 0); break;
            case RDMA_CM_EVENT_ROUTE_RESOLVED:
                create_by_cm(&sides[0], id, clients++);
                CHECK(rdma_connect(id, &param) == 0);
                break;
            case RDMA_CM_EVENT_CONNECT_REQUEST:
                create_by_cm(&sides[1], id, servers++);
                CHECK(rdma_accept(id, &param) == 0);
                break;
            case RDMA_CM_EVENT_ESTABLISHED: established++; break;
            default: fprintf(stderr, "%s\n", rdma_event_str(type)); exit(1);
        }
    }
}

/* ---- Rounds ---- */

static double round_of(bool by_number, struct rdma_event_channel *events) {
    double began = now_ms();
    if (by_number) {
        connect_by_number();
    } else {
        connect_by_cm(events);
    }
    /* With rdma_cm the accepting end may send once the connecting one has. */
    for (int side = 0; side < 2; side++) {
        for (unsigned i = 0; i < count; i++) {
            post_send(&sides[side], pairs[side][i]);
        }
    }
    await_messages(&sides[0]);
    await_messages(&sides[1]);
    double took = now_ms() - began;
    for (int side = 0; side < 2; side++) {
        for (unsigned i = 0; i < count; i++) {
            if (by_number) {
                CHECK(ibv_destroy_qp(pairs[side][i]) == 0);
            } else {
                rdma_destroy_qp(ids[side][i]);
                CHECK(rdma_destroy_id(ids[side][i]) == 0);
            }
        }
    }
    return took;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

int main(int words, char **arguments) {
    unsigned rounds = words > 3 ? (unsigned)atoi(arguments[3]) : 5;
    CHECK(words >= 3 && rounds > 0 && rounds <= MOST_ROUNDS);
    count = (unsigned)atoi(arguments[2]);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    /* The contexts that rdma_cm has, so that each side is one session. */
    struct ibv_context **contexts = rdma_get_devices(NULL);
    CHECK(contexts != NULL && contexts[0] != NULL && contexts[1] != NULL);
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct rdma_cm_id *listening;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, "10.0.0.2", &at.sin_addr);
    for (int side = 0; side < 2; side++) {
        open_side(&sides[side], contexts[side]);
        pairs[side] = calloc(count, sizeof *pairs[side]);
        ids[side] = calloc(count, sizeof *ids[side]);
    }
    CHECK(events != NULL && rdma_create_id(events, &listening, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&at) == 0 && rdma_listen(listening, (int)count) == 0);
    double took[2][MOST_ROUNDS];
    for (unsigned i = 0; i < 2 * WARM_UP; i++) {
        round_of(i % 2 == 0, events);
    }
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned j = 0; j < 2; j++) {
            unsigned kind = (i + j) % 2;
            took[kind][i] = round_of(kind == 0, events);
            printf("%u queue pairs %s: %.0f ms\n", count, kind == 0 ? "by number" : "by rdma_cm", took[kind][i]);
            fflush(stdout);
        }
    }
    for (int kind = 0; kind < 2; kind++) {
        qsort(took[kind], rounds, sizeof took[kind][0], compare);
    }
    double number = took[0][rounds / 2], cm = took[1][rounds / 2];
    printf("medians: by number %.0f ms, by rdma_cm %.0f ms, %.2f times\n", number, cm, number / cm);
    return 0;
}
