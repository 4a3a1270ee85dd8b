/* Queue pairs: creation and end. */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"
#include "queues/extended.h"
#include "queues/out_of_band.h"

struct search {
    uint32_t number;
    struct queue_pair *found;
};

static void compare_number(void *object, void *argument) {
    struct queue_pair *pair = object;
    struct search *search = argument;
    if (pair->ibv.qp_num == search->number) {
        search->found = pair;
    }
}

/* Only for rdma_cm: it walks through all queue pairs. */
struct queue_pair *find_queue_pair(struct device *device, uint32_t number) {
    struct search search = {.number = number};
    pthread_mutex_lock(&device->control);
    for_each_object(&device->queue_pairs, compare_number, &search);
    pthread_mutex_unlock(&device->control);
    return search.found;
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

/* A handle that no queue pair of the device has, with control held. The daemon's numbers are larger. */
static uint32_t free_handle(struct device *device) {
    do {
        device->last_queue_pair = index_of(device->last_queue_pair + 1);
    } while (device->last_queue_pair == 0 || find_object(&device->queue_pairs, device->last_queue_pair) != NULL);
    return device->last_queue_pair;
}

/* Gives the queue pair its handle, a number, and its share of the requests that the session may have outstanding. */
static int enter(struct device *device, struct queue_pair *pair, uint32_t number) {
    int error = ENOMEM;
    pthread_mutex_lock(&device->control);
    uint32_t requests = most_requests(pair);
    if (requests > device->limits.completions - device->reserved) {
        verbs_log("no queue pair with %u requests: %u of %u of the session are taken (largest-completions in the"
                  " daemon's configuration)",
            requests, device->reserved, device->limits.completions);
    } else {
        pair->ibv.handle = free_handle(device);
        pair->is_numbered = number != 0;
        pair->ibv.qp_num = number != 0 ? number : pair->ibv.handle;
        error = add_object(&device->queue_pairs, pair->ibv.handle, pair) ? 0 : ENOMEM;
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
    return create_queue_pair(pd, wanted, true);
}

struct ibv_qp *create_queue_pair(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted, bool numbered) {
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
    uint32_t number = 0;
    error = pair->sent == NULL || pair->received == NULL ? ENOMEM : numbered ? take_number(device, &number) : 0;
    if (error == 0) {
        error = enter(device, pair, number);
    }
    if (error != 0) {
        if (number != 0) {
            return_number(device, number);
        }
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
    remove_object(&device->queue_pairs, ibv->handle);
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
    device->reserved -= most_requests(pair);
    pthread_mutex_unlock(&device->control);
    if (pair->is_numbered) {
        return_number(device, ibv->qp_num);
    }
    forget_events(ibv->context, ibv);
    await_acknowledged(&ibv->mutex, &ibv->cond, &ibv->events_completed, &pair->events_reported);
    count_uses(pair, -1u);
    free_pair(pair);
    return 0;
}
