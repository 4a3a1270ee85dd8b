/* Completion queues. The session has one ring of completions: polling any queue drains it into all of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "queues/channel.h"

/* An engine, and a program at either end. */
#define BUSY_THREADS 3
#define IMMEDIATE_SHIFT 32

static bool yields;

/* With fewer processors than busy threads, a thread yields when it has polled without success. */
__attribute__((constructor)) static void choose_to_yield(void) {
    const char *wanted = getenv("RDDP_VERBS_YIELD");
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (wanted != NULL) {
        yields = strcmp(wanted, "0") != 0;
    } else if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
        yields = CPU_COUNT(&usable) < BUSY_THREADS;
    }
}

/* ---- From the daemon's completions to those of verbs ---- */

static enum ibv_wc_status status_of(const struct queue_pair *pair, const struct rddp_completion *completion) {
    switch ((enum rddp_status)completion->status) {
        case RDDP_SUCCESS: return IBV_WC_SUCCESS;
        case RDDP_LOCAL_LENGTH_ERROR: return IBV_WC_LOC_LEN_ERR;
        case RDDP_LOCAL_PROTECTION_ERROR: return IBV_WC_LOC_PROT_ERR;
        case RDDP_LOCAL_OPERATION_ERROR:
            /* The daemon also reports this for a request that it reads after it has forgotten the connection. */
            return rddp_connection_state(pair->connection) == RDDP_CLOSED ? IBV_WC_WR_FLUSH_ERR : IBV_WC_LOC_QP_OP_ERR;
        case RDDP_FLUSHED: return IBV_WC_WR_FLUSH_ERR;
        case RDDP_REMOTE_ACCESS_ERROR: return IBV_WC_REM_ACCESS_ERR;
        case RDDP_REMOTE_OPERATION_ERROR: return IBV_WC_REM_OP_ERR;
        case RDDP_MW_BIND_ERROR: return IBV_WC_MW_BIND_ERR;
        case RDDP_FATAL_ERROR:
        default: return IBV_WC_FATAL_ERR;
    }
}

/*
 * A connection by number has ended. To a card's queue pair, sends that nobody acknowledges are the only sign of that, and
 * receives stay posted when the peer has left in order. Returns false if the completion is not for the program.
 */
static bool adapt_flush(struct queue_pair *pair, bool is_receive, struct ibv_wc *made) {
    if (!is_receive) {
        made->status = IBV_WC_RETRY_EXC_ERR;
    }
    return !is_receive || !pair->peer_left || !keep_flushed_receive(pair, made->wr_id);
}

/* Receives that were kept when the peer left fail with the first send. */
static void flush_kept_receives(struct queue_pair *pair) {
    spin_lock(&pair->device->posting);
    flush_early_receives(pair);
    spin_unlock(&pair->device->posting);
}

static void complete_receive(struct queue_pair *pair, const struct rddp_completion *completion, struct ibv_wc *made) {
    made->opcode = IBV_WC_RECV;
    if ((completion->flags & RDDP_HAS_IMMEDIATE) != 0) {
        bool is_send = (completion->flags & RDDP_OF_SEND) != 0;
        made->opcode = is_send ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM;
        made->wc_flags |= IBV_WC_WITH_IMM;
        made->imm_data = htonl((uint32_t)(completion->immediate >> (is_send ? 0 : IMMEDIATE_SHIFT)));
    }
    if ((completion->flags & RDDP_HAS_INVALIDATED) != 0) {
        made->wc_flags |= IBV_WC_WITH_INV;
        made->invalidated_rkey = completion->stag;
    }
    bool solicited = (completion->flags & RDDP_WAS_SOLICITED) != 0;
    add_completion(completion_queue_of(pair->ibv.recv_cq), made, solicited);
}

/* Returns the program's id of a completed receive, and frees its number. */
static uint64_t take_shared_id(struct shared_queue *queue, uint64_t number) {
    if (number >= queue->size) {
        return 0;
    }
    uint64_t id = queue->ids[number];
    uint64_t returned = atomic_load_explicit(&queue->returned, memory_order_relaxed);
    queue->free_numbers[returned % queue->size] = (uint32_t)number;
    atomic_store_explicit(&queue->returned, returned + 1, memory_order_release);
    return id;
}

static void complete(struct device *device, const struct rddp_completion *completion) {
    bool is_receive = completion->opcode == RDDP_RECEIVE;
    struct shared_queue *shared =
        is_receive && completion->object != 0 ? find_object(&device->shared_queues, completion->object) : NULL;
    uint64_t id = shared == NULL ? completion->id : take_shared_id(shared, completion->id);
    struct queue_pair *pair = completion->connection == NULL ? NULL : rddp_attachment(completion->connection);
    if (pair == NULL) {
        return;
    }
    struct ibv_wc made = {.wr_id = id, .status = status_of(pair, completion), .qp_num = pair->ibv.qp_num,
        .byte_len = (uint32_t)completion->octets, .vendor_err = completion->detail};
    bool was_reported = pair->reported;
    if (pair->by_number && !was_reported && made.status == IBV_WC_WR_FLUSH_ERR && shared == NULL
        && !adapt_flush(pair, is_receive, &made)) {
        return;
    }
    if (made.status != IBV_WC_SUCCESS && made.status != IBV_WC_WR_FLUSH_ERR) {
        verbs_log("queue pair %u: a request of opcode %u has failed: %s, detail 0x%x", pair->ibv.qp_num,
            completion->opcode, rddp_status_name(completion->status), completion->detail);
        fail_queue_pair(pair, false);
    }
    if (is_receive) {
        complete_receive(pair, completion, &made);
        return;
    }
    /* This request is the last one that the completion retires. */
    uint32_t retired = atomic_load_explicit(&sends_of(completion->connection)->retired, memory_order_relaxed);
    const struct posted *posted = &pair->sent[(retired - 1) & pair->sent_mask];
    made.opcode = posted->opcode;
    if (posted->quiet && made.status == IBV_WC_SUCCESS) {
        return;
    }
    if (was_reported) {
        made.status = IBV_WC_WR_FLUSH_ERR;  /* the queue pair was in the error state already */
    }
    add_completion(completion_queue_of(pair->ibv.send_cq), &made, false);
    if (pair->peer_left && pair->reported) {
        flush_kept_receives(pair);
    }
}

void drain(struct device *device) {
    struct rddp_completion completion;
    /* One by one: the counts of a queue must match its completion. */
    while (take_completion(device->session, &completion)) {
        complete(device, &completion);
    }
    publish_completions(device->session);
}

/* ---- Polling ---- */

static int poll_cq(struct ibv_cq *ibv, int max, struct ibv_wc *entries) {
    struct completion_queue *queue = completion_queue_of(ibv);
    struct device *device = queue->device;
    spin_lock(&device->polling);
    if (queue->read == queue->written) {
        drain(device);
    }
    int count = 0;
    while (count < max && queue->read != queue->written) {
        entries[count++] = queue->entries[queue->read++ & queue->mask];
    }
    spin_unlock(&device->polling);
    if (count == 0 && yields) {
        rddp_yield(device->session);
    }
    return count;
}

static int req_notify_cq(struct ibv_cq *ibv, int solicited_only) {
    struct completion_queue *queue = completion_queue_of(ibv);
    struct device *device = queue->device;
    if (ibv->channel == NULL) {
        return EINVAL;
    }
    spin_lock(&device->polling);
    drain(device);
    enum armed wanted = solicited_only != 0 ? ARMED_SOLICITED : ARMED;
    device->armed += queue->armed == NOT_ARMED;
    /* Asking for solicited events does not undo asking for all. */
    queue->armed = wanted > queue->armed ? wanted : queue->armed;
    while (device->armed > 0 && !device->lost && !await_completion(device->session)) {
        drain(device);
    }
    spin_unlock(&device->polling);
    return 0;
}

/* ---- Creation ---- */

static uint32_t entries_for(uint32_t wanted) {
    uint32_t entries = 1;
    while (entries < wanted) {
        entries *= 2;
    }
    return entries;
}

struct completion_queue *create_completion_queue(struct ibv_context *context, uint32_t entries, void *program,
    struct ibv_comp_channel *channel, uint32_t vector) {
    if (entries < 1 || entries > MAX_COMPLETIONS || vector != 0) {
        errno = EINVAL;
        return NULL;
    }
    struct completion_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL) {
        return NULL;
    }
    uint32_t room = entries_for(entries);
    queue->entries = calloc(room, sizeof *queue->entries);
    if (queue->entries == NULL) {
        free(queue);
        return NULL;
    }
    queue->mask = room - 1;
    queue->device = device_of(context);
    /* The session may be replaced until the device has an object. */
    pthread_mutex_lock(&queue->device->control);
    queue->device->objects++;
    pthread_mutex_unlock(&queue->device->control);
    queue->ibv.context = context;
    queue->ibv.channel = channel;
    queue->ibv.cq_context = program;
    queue->ibv.cqe = (int)room;
    pthread_mutex_init(&queue->ibv.mutex, NULL);
    pthread_cond_init(&queue->ibv.cond, NULL);
    if (channel != NULL) {
        use_channel(channel, 1);
    }
    return queue;
}

VERBS struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *program,
    struct ibv_comp_channel *channel, int vector) {
    struct completion_queue *queue =
        create_completion_queue(context, entries < 0 ? 0 : (uint32_t)entries, program, channel, (uint32_t)vector);
    return queue == NULL ? NULL : &queue->ibv;
}

VERBS int ibv_resize_cq(struct ibv_cq *ibv, int wanted) {
    struct completion_queue *queue = completion_queue_of(ibv);
    if (wanted < 1 || wanted > MAX_COMPLETIONS) {
        return EINVAL;
    }
    uint32_t room = entries_for((uint32_t)wanted);
    struct ibv_wc *entries = calloc(room, sizeof *entries);
    if (entries == NULL) {
        return ENOMEM;
    }
    spin_lock(&queue->device->polling);
    uint32_t count = queue->written - queue->read;
    bool fits = count <= room;
    if (fits) {
        for (uint32_t i = 0; i < count; i++) {
            entries[i] = queue->entries[(queue->read + i) & queue->mask];
        }
        struct ibv_wc *before = queue->entries;
        queue->entries = entries;
        queue->mask = room - 1;
        queue->read = 0;
        queue->written = count;
        ibv->cqe = (int)room;
        entries = before;
    }
    spin_unlock(&queue->device->polling);
    free(entries);
    return fits ? 0 : EINVAL;
}

VERBS int ibv_destroy_cq(struct ibv_cq *ibv) {
    struct completion_queue *queue = completion_queue_of(ibv);
    if (queue->uses > 0) {
        return EBUSY;
    }
    spin_lock(&queue->device->polling);
    queue->device->armed -= queue->armed != NOT_ARMED;
    queue->armed = NOT_ARMED;
    forget_channel_events(queue);
    spin_unlock(&queue->device->polling);
    await_acknowledged(&ibv->mutex, &ibv->cond, &ibv->comp_events_completed, &queue->events_reported);
    forget_events(ibv->context, ibv);
    await_acknowledged(&ibv->mutex, &ibv->cond, &ibv->async_events_completed, &queue->errors_reported);
    if (ibv->channel != NULL) {
        use_channel(ibv->channel, -1);
    }
    pthread_mutex_destroy(&ibv->mutex);
    pthread_cond_destroy(&ibv->cond);
    queue->device->objects--;
    free(queue->entries);
    free(queue);
    return 0;
}

void offer_completions(struct verbs_context *verbs) {
    verbs->context.ops.poll_cq = poll_cq;
    verbs->context.ops.req_notify_cq = req_notify_cq;
}
