/* States and attributes of queue pairs. */
#include <errno.h>
#include <string.h>

#include "objects.h"
#include "queues/out_of_band.h"

/* What names the peer, at RTR, and what the sender adds, at RTS. Queue pairs of rdma_cm need neither. */
#define NAMES_PEER (IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define OF_PEER (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define OF_SENDER (IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT)

/* To the error state by the program: all that is posted is flushed. */
static void end_by_program(struct queue_pair *pair) {
    struct device *device = pair->device;
    bool had_failed = pair->failed;
    fail_queue_pair(pair, pair->by_number);
    if (pair->by_number) {
        end_in_order(pair);  /* a card has acknowledged what came: a reset could come before that */
    }
    spin_lock(&device->polling);
    spin_lock(&device->posting);
    if (pair->connection == NULL) {
        flush_queue_pair(pair);
    } else {
        flush_early_receives(pair);
    }
    bool was_connected = pair->connection != NULL;
    /* The end of a connection that the peer has left reports nothing. */
    bool is_last = pair->peer_left ? !pair->told_last : !had_failed && !was_connected;
    pair->told_last |= pair->peer_left;
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
    if (is_last && pair->ibv.srq != NULL) {
        report_event(pair->ibv.context, IBV_EVENT_QP_LAST_WQE_REACHED, &pair->ibv);
    }
}

static void reset(struct queue_pair *pair) {
    part_queue_pair(pair);
    pair->early_count = 0;
    pair->failed = false;
    pair->reported = false;
    pair->by_number = false;
    pair->peer_left = false;
    pair->told_last = false;
    forget_completions(pair);
}

/* Notes attributes for ibv_query_qp(), and for what connects the queue pair. */
static void note(struct ibv_qp_attr *set, const struct ibv_qp_attr *wanted, int mask) {
    static const struct field {
        int bit;
        size_t offset, length;
    } FIELDS[] = {
#define FIELD(bit, name) {bit, offsetof(struct ibv_qp_attr, name), sizeof((struct ibv_qp_attr *)0)->name}
        FIELD(IBV_QP_ACCESS_FLAGS, qp_access_flags),
        FIELD(IBV_QP_PKEY_INDEX, pkey_index),
        FIELD(IBV_QP_PORT, port_num),
        FIELD(IBV_QP_QKEY, qkey),
        FIELD(IBV_QP_AV, ah_attr),
        FIELD(IBV_QP_PATH_MTU, path_mtu),
        FIELD(IBV_QP_TIMEOUT, timeout),
        FIELD(IBV_QP_RETRY_CNT, retry_cnt),
        FIELD(IBV_QP_RNR_RETRY, rnr_retry),
        FIELD(IBV_QP_RQ_PSN, rq_psn),
        FIELD(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic),
        FIELD(IBV_QP_MIN_RNR_TIMER, min_rnr_timer),
        FIELD(IBV_QP_SQ_PSN, sq_psn),
        FIELD(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
        FIELD(IBV_QP_DEST_QPN, dest_qp_num),
#undef FIELD
    };
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        const struct field *field = &FIELDS[i];
        if ((mask & field->bit) != 0) {
            memcpy((char *)set + field->offset, (const char *)wanted + field->offset, field->length);
        }
    }
}

/* Whether a queue pair may go from a state to another. */
static bool may_go(enum ibv_qp_state from, enum ibv_qp_state to) {
    switch (to) {
        case IBV_QPS_RESET:
        case IBV_QPS_ERR: return true;
        case IBV_QPS_INIT: return from == IBV_QPS_RESET || from == IBV_QPS_INIT;
        case IBV_QPS_RTR: return from == IBV_QPS_INIT || from == IBV_QPS_RTS;
        case IBV_QPS_RTS: return from != IBV_QPS_RESET && from != IBV_QPS_ERR;
        case IBV_QPS_SQD: return from == IBV_QPS_RTS;
        default: return false;
    }
}

static enum ibv_qp_state state_of(const struct queue_pair *pair) {
    pthread_mutex_lock(&streams);
    enum ibv_qp_state state = pair->ibv.state;
    pthread_mutex_unlock(&streams);
    return state;
}

/* The connection may have failed since. */
static void set_state(struct queue_pair *pair, enum ibv_qp_state from, enum ibv_qp_state to) {
    pthread_mutex_lock(&streams);
    if (pair->ibv.state != IBV_QPS_ERR || from == IBV_QPS_ERR || to == IBV_QPS_RESET) {
        pair->ibv.state = to;
    }
    pthread_mutex_unlock(&streams);
}

static void end_gracefully(struct queue_pair *pair) {
    pthread_mutex_lock(&streams);
    if (pair->stream != NULL) {
        want_end(pair->stream, true);  /* as kernel drivers for iWARP do */
    }
    pthread_mutex_unlock(&streams);
}

/* Carries out what a transition asks for; `set` are the attributes that the queue pair is to have. Returns an errno value. */
static int pass(struct queue_pair *pair, enum ibv_qp_state from, enum ibv_qp_state to, const struct ibv_qp_attr *set,
    int mask) {
    bool names_peer = (mask & NAMES_PEER) != 0, sends = pair->by_number && from == IBV_QPS_RTR && to == IBV_QPS_RTS;
    if ((names_peer && (from != IBV_QPS_INIT || to != IBV_QPS_RTR || (mask & NAMES_PEER) != NAMES_PEER))
        || (sends && (mask & OF_SENDER) != OF_SENDER)) {
        verbs_log("a queue pair that connects by number needs ah_attr, dest_qp_num and rq_psn at RTR, from INIT, and sq_psn,"
                  " timeout and retry_cnt at RTS");
        return EINVAL;
    }
    if (names_peer) {
        return expect_peer(pair, set);
    }
    if (sends) {
        return tell_own_psn(pair, set);
    }
    switch (to) {
        case IBV_QPS_RESET: reset(pair); return 0;
        case IBV_QPS_ERR: end_by_program(pair); return 0;
        case IBV_QPS_SQD:
            if (pair->by_number) {
                return EOPNOTSUPP;  /* no card's queue pair ends there, as this one would */
            }
            end_gracefully(pair);
            return 0;
        default: return 0;
    }
}

VERBS int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *wanted, int mask) {
    struct queue_pair *pair = queue_pair_of(ibv);
    bool goes = (mask & IBV_QP_STATE) != 0;
    enum ibv_qp_state from = state_of(pair), to = goes ? wanted->qp_state : from;
    if (from == IBV_QPS_ERR && to == IBV_QPS_RTS && pair->by_number && pair->set.qp_state == IBV_QPS_RTR) {
        from = IBV_QPS_RTR;  /* the peer has refused: see tell_own_psn() */
    }
    if ((goes && !may_go(from, to)) || ((mask & IBV_QP_PORT) != 0 && wanted->port_num != PORT)) {
        return EINVAL;
    }
    if (pair->by_number && (mask & IBV_QP_ACCESS_FLAGS) != 0
        && ((wanted->qp_access_flags ^ pair->set.qp_access_flags) & OF_PEER) != 0) {
        verbs_log("qp_access_flags of a queue pair that has been at RTR do not change: set them before");
        return EOPNOTSUPP;
    }
    struct ibv_qp_attr set = pair->set;
    note(&set, wanted, mask);
    int error = goes ? pass(pair, from, to, &set, mask) : (mask & NAMES_PEER) != 0 ? EINVAL : 0;
    if (error != 0) {
        return error;
    }
    if (to == IBV_QPS_RESET) {
        memset(&set, 0, sizeof set);
    }
    if (goes) {
        set.qp_state = to;  /* what the program has asked for: the connection may have failed since */
        set_state(pair, from, to);
    }
    pair->set = set;
    pair->is_modified = true;
    return 0;
}

VERBS int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *initial) {
    (void)mask;
    struct queue_pair *pair = queue_pair_of(ibv);
    enum ibv_qp_state state = state_of(pair);
    *attributes = pair->set;
    /* A new queue pair of an iWARP device can take receives, as one of InfiniBand in this state. */
    bool is_new = !pair->is_modified && ibv->context->device->transport_type == IBV_TRANSPORT_IWARP;
    attributes->qp_state = attributes->cur_qp_state = is_new && state == IBV_QPS_RESET ? IBV_QPS_INIT : state;
    attributes->cap = pair->cap;
    if (!pair->by_number) {
        attributes->port_num = PORT;
        attributes->path_mtu = IBV_MTU_1024;
        attributes->max_rd_atomic = attributes->max_dest_rd_atomic = MAX_READS;
    }
    *initial = (struct ibv_qp_init_attr){.qp_context = ibv->qp_context, .send_cq = ibv->send_cq,
        .recv_cq = ibv->recv_cq, .srq = ibv->srq, .cap = pair->cap, .qp_type = ibv->qp_type,
        .sq_sig_all = pair->signal_all};
    return 0;
}

VERBS int ibv_query_qp_data_in_order(struct ibv_qp *ibv, enum ibv_wr_opcode opcode, uint32_t flags) {
    (void)ibv;
    (void)opcode;
    (void)flags;
    return 0;
}
