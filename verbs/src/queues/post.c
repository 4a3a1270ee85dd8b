/* Posting: turns work requests of verbs into requests of librddp. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "queues/post.h"

/* Posts a request of the send queue, with posting held. Returns an errno value. */
static int post_request(struct queue_pair *pair, struct rddp_request *request, enum ibv_wc_opcode opcode) {
    rddp_connection *connection = pair->connection;
    const struct queue_count *sends = sends_of(connection);
    if (outstanding(sends) >= pair->cap.max_send_wr) {
        return ENOMEM;
    }
    struct rddp_piece refused = {.stag = 0, .offset = 0, .length = 1};
    if (pair->failed) {
        /* The connection may still exist. The daemon refuses this request in order, and it is reported as flushed. */
        *request = (struct rddp_request){.id = request->id, .opcode = RDDP_SEND, .pieces = &refused, .piece_count = 1};
    }
    struct posted *posted = &pair->sent[sends->posted & pair->sent_mask];
    bool quiet = request->opcode == RDDP_BIND && (request->flags & RDDP_SIGNALLED) == 0;
    *posted = (struct posted){.id = request->id, .opcode = opcode, .quiet = quiet};
    return error_of(rddp_post(connection, request));
}

/* ---- Kinds of work requests ---- */

static const struct kind {
    enum rddp_opcode opcode;
    enum ibv_wc_opcode completed;
    bool is_write;      /* data go to the peer: may be inline */
    int most_pieces;
} KINDS[] = {
    [IBV_WR_RDMA_WRITE] = {RDDP_WRITE, IBV_WC_RDMA_WRITE, true, MAX_PIECES},
    [IBV_WR_RDMA_WRITE_WITH_IMM] = {RDDP_WRITE_IMMEDIATE, IBV_WC_RDMA_WRITE, true, MAX_PIECES},
    [IBV_WR_SEND] = {RDDP_SEND, IBV_WC_SEND, true, MAX_PIECES},
    [IBV_WR_SEND_WITH_IMM] = {RDDP_SEND_WITH_IMMEDIATE, IBV_WC_SEND, true, MAX_PIECES},
    [IBV_WR_RDMA_READ] = {RDDP_READ, IBV_WC_RDMA_READ, false, 1},
    [IBV_WR_ATOMIC_CMP_AND_SWP] = {RDDP_COMPARE_SWAP, IBV_WC_COMP_SWAP, false, 1},
    [IBV_WR_ATOMIC_FETCH_AND_ADD] = {RDDP_FETCH_ADD, IBV_WC_FETCH_ADD, false, 1},
    [IBV_WR_LOCAL_INV] = {RDDP_INVALIDATE, IBV_WC_LOCAL_INV, false, 0},
    [IBV_WR_SEND_WITH_INV] = {RDDP_SEND, IBV_WC_SEND, true, MAX_PIECES},
    [IBV_WR_BIND_MW] = {RDDP_BIND, IBV_WC_BIND_MW, false, 0},
};

/* ---- Flushing without the daemon ---- */

static void flush_ring(struct queue_pair *pair, struct queue_count *count, const struct posted *ring, uint32_t mask) {
    uint32_t retired = atomic_load_explicit(&count->retired, memory_order_relaxed);
    for (; retired != count->posted; retired++) {
        flush_request(pair, ring[retired & mask].id, ring[retired & mask].opcode);
    }
    atomic_store_explicit(&count->retired, retired, memory_order_release);
}

void flush_queue_pair(struct queue_pair *pair) {
    pair->failed = true;
    rddp_connection *connection = pair->connection;
    if (connection != NULL) {
        flush_ring(pair, sends_of(connection), pair->sent, pair->sent_mask);
        if (pair->ibv.srq == NULL) {
            flush_ring(pair, receives_of(connection), pair->received, pair->received_mask);
        }
    }
    flush_early_receives(pair);
}

static int flush_posted_sends(struct queue_pair *pair, const struct ibv_send_wr *work) {
    spin_lock(&pair->device->polling);
    for (; work != NULL; work = work->next) {
        enum ibv_wc_opcode opcode = (unsigned)work->opcode < sizeof KINDS / sizeof KINDS[0]
            ? KINDS[work->opcode].completed
            : IBV_WC_SEND;
        flush_request(pair, work->wr_id, opcode);
    }
    spin_unlock(&pair->device->polling);
    return 0;
}

static int flush_posted_receives(struct queue_pair *pair, const struct ibv_recv_wr *work) {
    spin_lock(&pair->device->polling);
    for (; work != NULL; work = work->next) {
        flush_request(pair, work->wr_id, IBV_WC_RECV);
    }
    spin_unlock(&pair->device->polling);
    return 0;
}

/* ---- The send queue ---- */

/* Sets the fields that only some operations have. */
static void make_operation(const struct ibv_send_wr *work, struct rddp_request *request) {
    switch (work->opcode) {
        case IBV_WR_RDMA_WRITE_WITH_IMM:
            request->immediate = (uint64_t)ntohl(work->imm_data) << 32;
            request->remote_stag = work->wr.rdma.rkey;
            request->remote_to = work->wr.rdma.remote_addr;
            break;
        case IBV_WR_SEND_WITH_IMM: request->immediate = ntohl(work->imm_data); break;
        case IBV_WR_RDMA_WRITE:
        case IBV_WR_RDMA_READ:
            request->remote_stag = work->wr.rdma.rkey;
            request->remote_to = work->wr.rdma.remote_addr;
            break;
        case IBV_WR_ATOMIC_FETCH_AND_ADD:
            request->remote_stag = work->wr.atomic.rkey;
            request->remote_to = work->wr.atomic.remote_addr;
            request->operand = work->wr.atomic.compare_add;
            break;
        case IBV_WR_ATOMIC_CMP_AND_SWP:
            request->remote_stag = work->wr.atomic.rkey;
            request->remote_to = work->wr.atomic.remote_addr;
            request->operand = work->wr.atomic.swap;
            request->mask = UINT64_MAX;
            request->compare = work->wr.atomic.compare_add;
            request->compare_mask = UINT64_MAX;
            break;
        case IBV_WR_SEND_WITH_INV:
        case IBV_WR_LOCAL_INV: request->remote_stag = work->invalidate_rkey; break;
        default: break;
    }
}

static unsigned flags_of(const struct queue_pair *pair, const struct kind *kind, unsigned flags) {
    unsigned made = pair->signal_all || (flags & IBV_SEND_SIGNALED) != 0 ? RDDP_SIGNALLED : 0u;
    made |= (flags & IBV_SEND_FENCE) != 0 ? RDDP_FENCED : 0u;
    bool may_solicit = kind->opcode == RDDP_SEND || kind->opcode == RDDP_WRITE_IMMEDIATE
        || kind->opcode == RDDP_SEND_WITH_IMMEDIATE;
    return made | (may_solicit && (flags & IBV_SEND_SOLICITED) != 0 ? RDDP_SOLICITED : 0u);
}

/* Gathers inline data; false if they are too long. */
static bool gather(const struct ibv_sge *list, int count, uint32_t longest, uint8_t *data, uint32_t *length) {
    *length = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].length > longest - *length) {
            return false;
        }
        memcpy(data + *length, (const void *)(uintptr_t)list[i].addr, list[i].length);
        *length += list[i].length;
    }
    return true;
}

/* RDMAP has no Send with immediate data: both ends must be rddp, and want it. Before they have connected nobody knows. */
static bool lacks_send_with_immediate(const rddp_connection *connection) {
    return rddp_connection_state(connection) == RDDP_ESTABLISHED && !info_of(connection)->startup.send_with_immediate;
}

static int post_work(struct queue_pair *pair, const struct ibv_send_wr *work, enum ibv_mw_type binds) {
    if ((unsigned)work->opcode >= sizeof KINDS / sizeof KINDS[0] || KINDS[work->opcode].opcode == 0) {
        return EOPNOTSUPP;
    }
    const struct kind *kind = &KINDS[work->opcode];
    if (pair->connection == NULL || work->num_sge > kind->most_pieces || work->num_sge > (int)pair->cap.max_send_sge) {
        return EINVAL;
    }
    if (work->opcode == IBV_WR_SEND_WITH_IMM && lacks_send_with_immediate(pair->connection)) {
        return EOPNOTSUPP;
    }
    bool refused = false;
    struct rddp_piece pieces[MAX_PIECES];
    uint8_t data[MAX_INLINE];
    struct rddp_request request = {.id = work->wr_id, .opcode = kind->opcode, .pieces = pieces,
        .flags = flags_of(pair, kind, work->send_flags)};
    make_operation(work, &request);
    if ((work->send_flags & IBV_SEND_INLINE) != 0 && kind->is_write) {
        request.flags |= RDDP_INLINE;
        request.inline_data = data;
        if (!gather(work->sg_list, work->num_sge, pair->cap.max_inline_data, data, &request.inline_length)) {
            return EINVAL;
        }
    } else if (work->opcode == IBV_WR_BIND_MW) {
        int error = make_bind(pair, work, binds, &request, pieces);
        if (error != 0) {
            return error;
        }
    } else {
        int error = make_pieces(pair->device, pair->ibv.pd, work->sg_list, work->num_sge, pieces, &request.piece_count,
            &refused);
        if (error != 0) {
            return error;
        }
    }
    int error = post_request(pair, &request, kind->completed);
    if (error == 0 && refused) {
        /* As with a card, requests posted behind one that fails are not sent. */
        pair->failed = true;
    }
    return error;
}

/* Posts a list to the send queue; its binds are for windows of that type. */
static int post_sends(struct queue_pair *pair, struct ibv_send_wr *work, struct ibv_send_wr **bad, enum ibv_mw_type binds) {
    int error = 0;
    if (pair->failed && pair->connection == NULL) {
        return flush_posted_sends(pair, work);
    }
    spin_lock(&pair->device->posting);
    while (work != NULL && error == 0) {
        error = pair->device->lost ? EIO : post_work(pair, work, binds);
        if (error != 0) {
            *bad = work;
        }
        work = work->next;
    }
    spin_unlock(&pair->device->posting);
    if (error != 0 && pair->device->lost) {
        return flush_posted_sends(pair, *bad);
    }
    return error;
}

static int post_send(struct ibv_qp *ibv, struct ibv_send_wr *work, struct ibv_send_wr **bad) {
    return post_sends(queue_pair_of(ibv), work, bad, IBV_MW_TYPE_2);
}

static int bind_mw(struct ibv_qp *ibv, struct ibv_mw *mw, struct ibv_mw_bind *wanted) {
    struct ibv_send_wr *bad, work = {.wr_id = wanted->wr_id, .opcode = IBV_WR_BIND_MW,
        .send_flags = wanted->send_flags};
    work.bind_mw.mw = mw;
    work.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
    work.bind_mw.bind_info = wanted->bind_info;
    int error = post_sends(queue_pair_of(ibv), &work, &bad, IBV_MW_TYPE_1);
    if (error == 0) {
        mw->rkey = work.bind_mw.rkey;
    }
    return error;
}

/* ---- The receive queue ---- */

static int post_receive(struct queue_pair *pair, const struct early_receive *receive) {
    rddp_connection *connection = pair->connection;
    const struct queue_count *receives = receives_of(connection);
    if (outstanding(receives) >= pair->cap.max_recv_wr) {
        return ENOMEM;
    }
    struct posted *posted = &pair->received[receives->posted & pair->received_mask];
    *posted = (struct posted){.id = receive->id, .opcode = IBV_WC_RECV};
    struct rddp_request request = {.id = receive->id, .opcode = RDDP_RECEIVE, .pieces = receive->pieces,
        .piece_count = receive->piece_count};
    return error_of(rddp_post(connection, &request));
}

void post_early_receives(struct queue_pair *pair) {
    for (uint32_t i = 0; i < pair->early_count; i++) {
        if (post_receive(pair, &pair->early[i]) != 0) {
            verbs_log("queue pair %u: a receive that was posted before the connection is lost: %s", pair->ibv.qp_num,
                rddp_error());
        }
    }
    free(pair->early);
    pair->early = NULL;
    pair->early_count = pair->early_room = 0;
}

/* Whether receives must wait for the connection. */
static bool takes_no_receives(const struct queue_pair *pair) {
    return pair->connection == NULL || pair->awaits_accept;
}

static int post_receive_work(struct queue_pair *pair, const struct ibv_recv_wr *work) {
    struct early_receive receive = {.id = work->wr_id};
    if (pair->ibv.srq != NULL || work->num_sge > (int)pair->cap.max_recv_sge) {
        return EINVAL;
    }
    int error = make_pieces(pair->device, pair->ibv.pd, work->sg_list, work->num_sge, receive.pieces,
        &receive.piece_count, NULL);
    if (error != 0) {
        return error;
    }
    /* What was kept when the peer left counts, too. */
    if (pair->peer_left && pair->early_count + outstanding(receives_of(pair->connection)) >= pair->cap.max_recv_wr) {
        return ENOMEM;
    }
    return takes_no_receives(pair) ? keep_receive(pair, &receive) : post_receive(pair, &receive);
}

static int post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *work, struct ibv_recv_wr **bad) {
    struct queue_pair *pair = queue_pair_of(ibv);
    struct device *device = pair->device;
    int error = 0;
    if (pair->failed && takes_no_receives(pair)) {
        return flush_posted_receives(pair, work);
    }
    spin_lock(&device->posting);
    while (work != NULL && error == 0) {
        error = device->lost ? EIO : post_receive_work(pair, work);
        if (error != 0) {
            *bad = work;
        }
        work = work->next;
    }
    spin_unlock(&device->posting);
    if (error != 0 && device->lost) {
        return flush_posted_receives(pair, *bad);
    }
    return error;
}

void offer_posting(struct verbs_context *verbs) {
    verbs->context.ops.post_send = post_send;
    verbs->context.ops.post_recv = post_recv;
    verbs->context.ops.bind_mw = bind_mw;
    verbs->context.ops.post_srq_recv = post_shared_receives;
}
