/* The post API: collects work requests from ibv_wr_start() on, and posts them as a list at ibv_wr_complete(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queues/extended.h"

#define OFFERED                                                                                                        \
    (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND                             \
        | IBV_QP_EX_WITH_SEND_WITH_IMM                                                                                 \
        | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD           \
        | IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_BIND_MW)

struct item {
    struct ibv_send_wr work;
    struct ibv_sge pieces[MAX_PIECES];
    uint8_t data[MAX_INLINE];
};

struct batch {
    struct spin busy;  /* from ibv_wr_start() to ibv_wr_complete() or ibv_wr_abort() */
    int error;
    uint32_t count, room;
    struct item items[];
};

static struct batch *batch_of(struct ibv_qp_ex *ibv) {
    return queue_pair_of(&ibv->qp_base)->batch;
}

static void start(struct ibv_qp_ex *ibv) {
    struct batch *batch = batch_of(ibv);
    spin_lock(&batch->busy);
    batch->count = 0;
    batch->error = 0;
}

static int post_batch(struct ibv_qp_ex *ibv) {
    struct batch *batch = batch_of(ibv);
    for (uint32_t i = 0; i + 1 < batch->count; i++) {
        batch->items[i].work.next = &batch->items[i + 1].work;
    }
    struct ibv_send_wr *bad;
    int error = batch->error;
    if (error == 0 && batch->count > 0) {
        error = ibv_post_send(&ibv->qp_base, &batch->items[0].work, &bad);
    }
    spin_unlock(&batch->busy);
    return error;
}

static void discard_batch(struct ibv_qp_ex *ibv) {
    spin_unlock(&batch_of(ibv)->busy);
}

/* The next work request, or null once there are too many. */
static struct ibv_send_wr *add(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode) {
    struct batch *batch = batch_of(ibv);
    if (batch->count == batch->room) {
        batch->error = ENOMEM;
    }
    if (batch->error != 0) {
        return NULL;
    }
    struct item *item = &batch->items[batch->count++];
    item->work = (struct ibv_send_wr){.wr_id = ibv->wr_id, .opcode = opcode, .send_flags = ibv->wr_flags,
        .sg_list = item->pieces};
    return &item->work;
}

static void add_remote(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address, __be32 data) {
    struct ibv_send_wr *work = add(ibv, opcode);
    if (work != NULL) {
        work->wr.rdma.rkey = rkey;
        work->wr.rdma.remote_addr = address;
        work->imm_data = data;
    }
}

static void rdma_read(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t address) {
    add_remote(ibv, IBV_WR_RDMA_READ, rkey, address, 0);
}

static void rdma_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t address) {
    add_remote(ibv, IBV_WR_RDMA_WRITE, rkey, address, 0);
}

static void rdma_write_imm(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t address, __be32 data) {
    add_remote(ibv, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address, data);
}

static void add_atomic(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address,
    uint64_t compare_add, uint64_t swap) {
    struct ibv_send_wr *work = add(ibv, opcode);
    if (work != NULL) {
        work->wr.atomic.rkey = rkey;
        work->wr.atomic.remote_addr = address;
        work->wr.atomic.compare_add = compare_add;
        work->wr.atomic.swap = swap;
    }
}

static void compare_and_swap(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap) {
    add_atomic(ibv, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, address, compare, swap);
}

static void fetch_and_add(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t address, uint64_t value) {
    add_atomic(ibv, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, address, value, 0);
}

static void send_plain(struct ibv_qp_ex *ibv) {
    add(ibv, IBV_WR_SEND);
}

static void send_with_immediate(struct ibv_qp_ex *ibv, __be32 data) {
    struct ibv_send_wr *work = add(ibv, IBV_WR_SEND_WITH_IMM);
    if (work != NULL) {
        work->imm_data = data;
    }
}

static void add_invalidate(struct ibv_qp_ex *ibv, enum ibv_wr_opcode opcode, uint32_t rkey) {
    struct ibv_send_wr *work = add(ibv, opcode);
    if (work != NULL) {
        work->invalidate_rkey = rkey;
    }
}

static void send_invalidate(struct ibv_qp_ex *ibv, uint32_t rkey) {
    add_invalidate(ibv, IBV_WR_SEND_WITH_INV, rkey);
}

static void local_invalidate(struct ibv_qp_ex *ibv, uint32_t rkey) {
    add_invalidate(ibv, IBV_WR_LOCAL_INV, rkey);
}

static void bind_window(struct ibv_qp_ex *ibv, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info) {
    struct ibv_send_wr *work = add(ibv, IBV_WR_BIND_MW);
    if (work != NULL) {
        work->bind_mw.mw = mw;
        work->bind_mw.rkey = rkey;
        work->bind_mw.bind_info = *info;
    }
}

/* ---- Data of the last work request ---- */

static struct item *last_item(struct ibv_qp_ex *ibv) {
    struct batch *batch = batch_of(ibv);
    if (batch->error == 0 && batch->count == 0) {
        batch->error = EINVAL;
    }
    return batch->error != 0 ? NULL : &batch->items[batch->count - 1];
}

static void set_pieces(struct ibv_qp_ex *ibv, size_t count, const struct ibv_sge *pieces) {
    struct item *item = last_item(ibv);
    if (item == NULL) {
        return;
    }
    if (count > MAX_PIECES) {
        batch_of(ibv)->error = EINVAL;
        return;
    }
    memcpy(item->pieces, pieces, count * sizeof *pieces);
    item->work.num_sge = (int)count;
}

static void set_piece(struct ibv_qp_ex *ibv, uint32_t lkey, uint64_t address, uint32_t length) {
    set_pieces(ibv, 1, &(struct ibv_sge){.addr = address, .length = length, .lkey = lkey});
}

static void set_inline_list(struct ibv_qp_ex *ibv, size_t count, const struct ibv_data_buf *buffers) {
    struct item *item = last_item(ibv);
    size_t length = 0;
    for (size_t i = 0; item != NULL && i < count; i++) {
        if (buffers[i].length > MAX_INLINE - length) {
            batch_of(ibv)->error = EINVAL;
            return;
        }
        memcpy(item->data + length, buffers[i].addr, buffers[i].length);
        length += buffers[i].length;
    }
    if (item != NULL) {
        item->pieces[0] = (struct ibv_sge){.addr = (uintptr_t)item->data, .length = (uint32_t)length};
        item->work.num_sge = 1;
        item->work.send_flags |= IBV_SEND_INLINE;
    }
}

static void set_inline(struct ibv_qp_ex *ibv, void *data, size_t length) {
    set_inline_list(ibv, 1, &(struct ibv_data_buf){.addr = data, .length = length});
}

/* ---- Creation ---- */

static int make_batch(struct queue_pair *pair) {
    uint32_t room = pair->cap.max_send_wr;
    pair->batch = calloc(1, sizeof *pair->batch + room * sizeof pair->batch->items[0]);
    if (pair->batch == NULL) {
        return ENOMEM;
    }
    pair->batch->room = room;
    struct ibv_qp_ex *offered = &pair->extended;
    offered->wr_start = start;
    offered->wr_complete = post_batch;
    offered->wr_abort = discard_batch;
    offered->wr_rdma_read = rdma_read;
    offered->wr_rdma_write = rdma_write;
    offered->wr_rdma_write_imm = rdma_write_imm;
    offered->wr_atomic_cmp_swp = compare_and_swap;
    offered->wr_atomic_fetch_add = fetch_and_add;
    offered->wr_send = send_plain;
    offered->wr_send_imm = send_with_immediate;
    offered->wr_send_inv = send_invalidate;
    offered->wr_local_inv = local_invalidate;
    offered->wr_bind_mw = bind_window;
    offered->wr_set_sge = set_piece;
    offered->wr_set_sge_list = set_pieces;
    offered->wr_set_inline_data = set_inline;
    offered->wr_set_inline_data_list = set_inline_list;
    return 0;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *wanted) {
    (void)context;
    uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | IBV_QP_INIT_ATTR_CREATE_FLAGS;
    bool offers = (wanted->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0;
    bool flagged = (wanted->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) != 0 && wanted->create_flags != 0;
    if ((wanted->comp_mask & ~known) != 0 || flagged
        || (offers && (wanted->send_ops_flags & ~(uint64_t)OFFERED) != 0)) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    if ((wanted->comp_mask & IBV_QP_INIT_ATTR_PD) == 0) {
        errno = EINVAL;
        return NULL;
    }
    /* struct ibv_qp_init_attr_ex begins with the members of struct ibv_qp_init_attr. */
    struct ibv_qp_init_attr base;
    memcpy(&base, wanted, sizeof base);
    struct ibv_qp *ibv = ibv_create_qp(wanted->pd, &base);
    if (ibv == NULL) {
        return NULL;
    }
    if (offers && make_batch(queue_pair_of(ibv)) != 0) {
        ibv_destroy_qp(ibv);
        errno = ENOMEM;
        return NULL;
    }
    wanted->cap = base.cap;
    return ibv;
}

VERBS struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *ibv) {
    struct queue_pair *pair = queue_pair_of(ibv);
    return pair->batch == NULL ? NULL : &pair->extended;
}

void offer_post_api(struct verbs_context *verbs) {
    verbs->create_qp_ex = create_qp_ex;
}
