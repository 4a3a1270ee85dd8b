/* The poll API: one completion at a time, whose fields are read by functions. */
#include <errno.h>

#include "queues/channel.h"
#include "queues/extended.h"

static struct completion_queue *queue_of(struct ibv_cq_ex *ibv) {
    return completion_queue_of(ibv_cq_ex_to_cq(ibv));
}

static int next(struct ibv_cq_ex *ibv) {
    struct completion_queue *queue = queue_of(ibv);
    if (ibv_poll_cq(&queue->ibv, 1, &queue->current) == 0) {
        return ENOENT;
    }
    ibv->status = queue->current.status;
    ibv->wr_id = queue->current.wr_id;
    return 0;
}

static int start(struct ibv_cq_ex *ibv, struct ibv_poll_cq_attr *attributes) {
    return attributes != NULL && attributes->comp_mask != 0 ? EINVAL : next(ibv);
}

static void end(struct ibv_cq_ex *ibv) {
    (void)ibv;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.qp_num;
}

static unsigned read_wc_flags(struct ibv_cq_ex *ibv) {
    return queue_of(ibv)->current.wc_flags;
}

/* Only datagrams or InfiniBand have these fields. */
static uint32_t read_none(struct ibv_cq_ex *ibv) {
    (void)ibv;
    return 0;
}

static uint8_t read_no_octet(struct ibv_cq_ex *ibv) {
    (void)ibv;
    return 0;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *wanted) {
    if (wanted->comp_mask != 0 || (wanted->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS) != 0) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    struct completion_queue *queue = create_completion_queue(
        context, wanted->cqe, wanted->cq_context, wanted->channel, wanted->comp_vector);
    if (queue == NULL) {
        return NULL;
    }
    struct ibv_cq_ex *made = &queue->extended;
    made->start_poll = start;
    made->next_poll = next;
    made->end_poll = end;
    made->read_opcode = read_opcode;
    made->read_vendor_err = read_vendor_err;
    made->read_byte_len = read_byte_len;
    made->read_imm_data = read_imm_data;
    made->read_qp_num = read_qp_num;
    made->read_wc_flags = read_wc_flags;
    made->read_src_qp = read_none;
    made->read_slid = read_none;
    made->read_sl = read_no_octet;
    made->read_dlid_path_bits = read_no_octet;
    return made;
}

void offer_poll_api(struct verbs_context *verbs) {
    verbs->create_cq_ex = create_cq_ex;
}
