/* Shared receive queues. Their receives complete in any order, so the daemon gets numbers in place of the program's ids. */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"
#include "queues/post.h"

static void free_queue(struct shared_queue *queue) {
    free(queue->ids);
    free(queue->free_numbers);
    pthread_mutex_destroy(&queue->ibv.mutex);
    pthread_cond_destroy(&queue->ibv.cond);
    free(queue);
}

VERBS struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *wanted) {
    struct device *device = device_of(pd->context);
    uint32_t size = wanted->attr.max_wr;
    if (size < 1 || size > device->limits.completions || wanted->attr.max_sge > MAX_PIECES) {
        errno = EINVAL;
        return NULL;
    }
    struct shared_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL) {
        return NULL;
    }
    pthread_mutex_init(&queue->ibv.mutex, NULL);
    pthread_cond_init(&queue->ibv.cond, NULL);
    queue->ids = calloc(size, sizeof *queue->ids);
    queue->free_numbers = calloc(size, sizeof *queue->free_numbers);
    int error = queue->ids == NULL || queue->free_numbers == NULL
        ? ENOMEM
        : error_of(rddp_create_receive_queue(device->session, size, domain_of(pd)->number, &queue->queue));
    if (error != 0) {
        verbs_log("no shared receive queue of %u: %s", size, rddp_error());
        free_queue(queue);
        errno = error;
        return NULL;
    }
    for (uint32_t i = 0; i < size; i++) {
        queue->free_numbers[i] = i;
    }
    queue->returned = size;
    queue->size = size;
    queue->device = device;
    queue->ibv.context = pd->context;
    queue->ibv.srq_context = wanted->srq_context;
    queue->ibv.pd = pd;
    queue->ibv.handle = number_of_queue(queue->queue);
    own_receive_queue(queue->queue, queue);
    add_object(&device->shared_queues, queue->ibv.handle, queue);
    domain_of(pd)->uses++;
    wanted->attr.max_sge = MAX_PIECES;
    return &queue->ibv;
}

VERBS int ibv_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *wanted, int mask) {
    struct shared_queue *queue = shared_queue_of(ibv);
    if ((mask & IBV_SRQ_MAX_WR) != 0) {
        return EOPNOTSUPP;
    }
    if ((mask & IBV_SRQ_LIMIT) == 0) {
        return 0;
    }
    if (wanted->srq_limit > queue->size) {
        return EINVAL;
    }
    /* Set before the daemon answers: the event may come at once. */
    uint32_t before = atomic_exchange(&queue->limit, wanted->srq_limit);
    int error = error_of(rddp_arm_receive_queue(queue->queue, wanted->srq_limit));
    if (error != 0) {
        queue->limit = before;
    }
    return error;
}

VERBS int ibv_query_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attributes) {
    const struct shared_queue *queue = shared_queue_of(ibv);
    *attributes = (struct ibv_srq_attr){.max_wr = queue->size, .max_sge = MAX_PIECES, .srq_limit = queue->limit};
    return 0;
}

VERBS int ibv_destroy_srq(struct ibv_srq *ibv) {
    struct shared_queue *queue = shared_queue_of(ibv);
    struct device *device = queue->device;
    if (queue->uses > 0) {
        return EBUSY;
    }
    own_receive_queue(queue->queue, NULL);
    int error = error_of(end_receive_queue(queue->queue));
    if (error != 0) {
        return error;
    }
    spin_lock(&device->polling);
    drain(device);
    free_receive_queue(queue->queue);
    remove_object(&device->shared_queues, ibv->handle);
    spin_unlock(&device->polling);
    forget_events(ibv->context, ibv);
    await_acknowledged(&ibv->mutex, &ibv->cond, &ibv->events_completed, &queue->events_reported);
    domain_of(ibv->pd)->uses--;
    free_queue(queue);
    return 0;
}

/* ---- Posting ---- */

static int post_one(struct shared_queue *queue, const struct ibv_recv_wr *work) {
    uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
    if (atomic_load_explicit(&queue->returned, memory_order_acquire) == taken) {
        return ENOMEM;
    }
    struct rddp_piece pieces[MAX_PIECES];
    uint32_t number = queue->free_numbers[taken % queue->size];
    struct rddp_request request = {.id = number, .opcode = RDDP_RECEIVE, .pieces = pieces};
    int error = make_pieces(queue->device, queue->ibv.pd, work->sg_list, work->num_sge, pieces, &request.piece_count, NULL);
    if (error != 0) {
        return error;
    }
    queue->ids[number] = work->wr_id;
    error = error_of(rddp_post_shared(queue->queue, &request));
    if (error == 0) {
        atomic_store_explicit(&queue->taken, taken + 1, memory_order_relaxed);
    }
    return error;
}

int post_shared_receives(struct ibv_srq *ibv, struct ibv_recv_wr *work, struct ibv_recv_wr **bad) {
    struct shared_queue *queue = shared_queue_of(ibv);
    int error = 0;
    spin_lock(&queue->device->posting);
    while (work != NULL && error == 0) {
        error = post_one(queue, work);
        if (error != 0) {
            *bad = work;
        }
        work = work->next;
    }
    spin_unlock(&queue->device->posting);
    return error;
}
