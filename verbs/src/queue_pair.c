/* Queue pairs: creation, states, end. They are connected by rdma_cm only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extended.h"
#include "objects.h"

struct queue_pair *find_queue_pair(struct device *device, uint32_t number) {
    struct queue_pair *pair = find_object(&device->queue_pairs, number);
    return pair != NULL && pair->ibv.qp_num == number ? pair : NULL;
}

static uint32_t ring_size(uint32_t wanted) {
    uint32_t size = 1;
    while (size < wanted) {
        size *= 2;
    }
    return size;
}

static int check(const struct device *device, const struct ibv_qp_init_attr *wanted) {
    const struct ibv_qp_cap *cap = &wanted->cap;
    if (wanted->qp_type != IBV_QPT_RC) {
        verbs_log("queue pairs of type %d are not for iWARP: only IBV_QPT_RC is", wanted->qp_type);
        return EOPNOTSUPP;
    }
    bool fits = cap->max_send_wr <= device->limits.send_queue && cap->max_recv_wr <= device->limits.receive_queue
        && cap->max_send_sge <= MAX_PIECES && cap->max_recv_sge <= MAX_PIECES && cap->max_inline_data <= MAX_INLINE;
    if (!fits || wanted->send_cq == NULL || wanted->recv_cq == NULL) {
        verbs_log("no queue pair with %u sends of %u pieces, %u receives of %u pieces, %u octets inline: at most %u of %d,"
                  " %u of %d, %d (largest-send-queue and largest-receive-queue in the daemon's configuration)",
            cap->max_send_wr, cap->max_send_sge, cap->max_recv_wr, cap->max_recv_sge, cap->max_inline_data,
            device->limits.send_queue, MAX_PIECES, device->limits.receive_queue, MAX_PIECES, MAX_INLINE);
        return EINVAL;
    }
    return 0;
}

static uint32_t most_requests(const struct queue_pair *pair) {
    return pair->cap.max_send_wr + (pair->ibv.srq == NULL ? pair->cap.max_recv_wr : 0);
}

/* Gives the queue pair a number and its share of the requests that the session may have outstanding. */
static int enter(struct device *device, struct queue_pair *pair) {
    int error = ENOMEM;
    pthread_mutex_lock(&device->control);
    uint32_t requests = most_requests(pair);
    if (requests > device->limits.completions - device->reserved) {
        verbs_log("no queue pair with %u requests: %u of %u of the session are taken (largest-completions in the"
                  " daemon's configuration)",
            requests, device->reserved, device->limits.completions);
    } else {
        do {
            device->last_queue_pair = (device->last_queue_pair + 1) & ((1u << INDEX_BITS) - 1);
        } while (device->last_queue_pair == 0 || find_object(&device->queue_pairs, device->last_queue_pair) != NULL);
        pair->ibv.qp_num = device->last_queue_pair;
        pair->ibv.handle = device->last_queue_pair;
        error = add_object(&device->queue_pairs, pair->ibv.qp_num, pair) ? 0 : ENOMEM;
        device->reserved += error == 0 ? requests : 0;
    }
    pthread_mutex_unlock(&device->control);
    return error;
}

static void free_pair(struct queue_pair *pair) {
    free(pair->sent);
    free(pair->received);
    free(pair->early);
    free(pair->batch);
    pthread_mutex_destroy(&pair->ibv.mutex);
    pthread_cond_destroy(&pair->ibv.cond);
    free(pair);
}

static void count_uses(const struct queue_pair *pair, unsigned more) {
    completion_queue_of(pair->ibv.send_cq)->uses += more;
    completion_queue_of(pair->ibv.recv_cq)->uses += more;
    domain_of(pair->ibv.pd)->uses += more;
    if (pair->ibv.srq != NULL) {
        shared_queue_of(pair->ibv.srq)->uses += more;
    }
}

VERBS struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted) {
    struct device *device = device_of(pd->context);
    int error = check(device, wanted);
    struct queue_pair *pair = error == 0 ? calloc(1, sizeof *pair) : NULL;
    if (pair == NULL) {
        errno = error == 0 ? ENOMEM : error;
        return NULL;
    }
    pair->device = device;
    pair->cap = wanted->cap;
    pair->cap.max_inline_data = MAX_INLINE;
    pair->cap.max_send_sge = pair->cap.max_send_sge == 0 ? 1 : pair->cap.max_send_sge;
    pair->cap.max_recv_sge = pair->cap.max_recv_sge == 0 ? 1 : pair->cap.max_recv_sge;
    pair->signal_all = wanted->sq_sig_all != 0;
    pair->ibv.context = pd->context;
    pair->ibv.qp_context = wanted->qp_context;
    pair->ibv.pd = pd;
    pair->ibv.send_cq = wanted->send_cq;
    pair->ibv.recv_cq = wanted->recv_cq;
    pair->ibv.srq = wanted->srq;
    pair->ibv.state = IBV_QPS_RESET;
    pair->ibv.qp_type = wanted->qp_type;
    pthread_mutex_init(&pair->ibv.mutex, NULL);
    pthread_cond_init(&pair->ibv.cond, NULL);
    uint32_t sends = ring_size(pair->cap.max_send_wr), receives = ring_size(pair->cap.max_recv_wr);
    pair->sent_mask = sends - 1;
    pair->received_mask = receives - 1;
    pair->sent = calloc(sends, sizeof *pair->sent);
    pair->received = calloc(receives, sizeof *pair->received);
    error = pair->sent == NULL || pair->received == NULL ? ENOMEM : enter(device, pair);
    if (error != 0) {
        free_pair(pair);
        errno = error;
        return NULL;
    }
    count_uses(pair, 1);
    wanted->cap = pair->cap;
    return &pair->ibv;
}

VERBS int ibv_destroy_qp(struct ibv_qp *ibv) {
    struct queue_pair *pair = queue_pair_of(ibv);
    struct device *device = pair->device;
    part_queue_pair(pair);
    pthread_mutex_lock(&device->control);
    spin_lock(&device->polling);
    spin_lock(&device->posting);
    remove_object(&device->queue_pairs, ibv->qp_num);
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
    device->reserved -= most_requests(pair);
    pthread_mutex_unlock(&device->control);
    forget_events(ibv->context, ibv);
    await_acknowledged(&ibv->mutex, &ibv->cond, &ibv->events_completed, &pair->events_reported);
    count_uses(pair, -1u);
    free_pair(pair);
    return 0;
}

/* ---- States ---- */

/* The program moves the queue pair to the error state: flushes all that is posted. */
static void end_by_program(struct queue_pair *pair) {
    struct device *device = pair->device;
    bool had_failed = pair->failed;
    fail_queue_pair(pair);
    spin_lock(&device->polling);
    spin_lock(&device->posting);
    if (pair->connection == NULL) {
        flush_queue_pair(pair);
    } else {
        flush_early_receives(pair);
    }
    bool was_connected = pair->connection != NULL;
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
    if (!had_failed && !was_connected && pair->ibv.srq != NULL) {
        report_event(pair->ibv.context, IBV_EVENT_QP_LAST_WQE_REACHED, &pair->ibv);
    }
}

static int to_reset(struct queue_pair *pair) {
    part_queue_pair(pair);
    pair->early_count = 0;
    pair->failed = false;
    pair->reported = false;
    pair->ibv.state = IBV_QPS_RESET;
    return 0;
}

/* Once, to who has started the program: its own message names a state, and no reason. */
static void say_why_not_connected(void) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said)) {
        fputs("rddp verbs: the program connects queue pairs by their numbers (ibv_modify_qp), which iWARP does not have; it"
              " runs only if it can connect by rdma_cm (perftest with -R; rping instead of ibv_rc_pingpong)\n",
            stderr);
    }
}

VERBS int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *wanted, int mask) {
    struct queue_pair *pair = queue_pair_of(ibv);
    if ((mask & (IBV_QP_DEST_QPN | IBV_QP_AV)) != 0) {
        say_why_not_connected();
        return EOPNOTSUPP;
    }
    if ((mask & IBV_QP_ACCESS_FLAGS) != 0) {
        pair->access = wanted->qp_access_flags;
    }
    if ((mask & IBV_QP_STATE) == 0) {
        return 0;
    }
    enum ibv_qp_state now = ibv->state;
    switch (wanted->qp_state) {
        case IBV_QPS_RESET: return to_reset(pair);
        case IBV_QPS_ERR: end_by_program(pair); return 0;
        case IBV_QPS_INIT:
            if (now != IBV_QPS_RESET && now != IBV_QPS_INIT) {
                return EINVAL;
            }
            break;
        case IBV_QPS_RTR:
            if (now != IBV_QPS_INIT && now != IBV_QPS_RTS) {
                return EINVAL;
            }
            break;
        case IBV_QPS_RTS:
            if (now == IBV_QPS_RESET || now == IBV_QPS_ERR) {
                return EINVAL;
            }
            break;
        case IBV_QPS_SQD:
            if (now != IBV_QPS_RTS) {
                return EINVAL;
            }
            pthread_mutex_lock(&streams);
            if (pair->stream != NULL) {
                want_end(pair->stream, true);  /* as kernel drivers for iWARP do */
            }
            pthread_mutex_unlock(&streams);
            break;
        default: return EINVAL;
    }
    ibv->state = wanted->qp_state;
    return 0;
}

VERBS int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *initial) {
    (void)mask;
    const struct queue_pair *pair = queue_pair_of(ibv);
    /* A queue pair of an iWARP device accepts receives from the beginning, as in InfiniBand's INIT. */
    enum ibv_qp_state state = ibv->state == IBV_QPS_RESET ? IBV_QPS_INIT : ibv->state;
    *attributes = (struct ibv_qp_attr){.qp_state = state, .cur_qp_state = state, .path_mtu = IBV_MTU_1024,
        .qp_access_flags = pair->access, .cap = pair->cap, .port_num = PORT, .max_rd_atomic = MAX_READS,
        .max_dest_rd_atomic = MAX_READS};
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
