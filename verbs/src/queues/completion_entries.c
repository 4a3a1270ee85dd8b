/* Entries of completion queues: added, and dropped. */
#include "objects.h"
#include "queues/channel.h"

void add_completion(struct completion_queue *queue, const struct ibv_wc *completion, bool solicited) {
    if (queue->written - queue->read > queue->mask) {
        if (!queue->overrun) {
            queue->overrun = true;
            report_event(queue->ibv.context, IBV_EVENT_CQ_ERR, &queue->ibv);
        }
        return;
    }
    queue->entries[queue->written++ & queue->mask] = *completion;
    bool wakes = queue->armed == ARMED
        || (queue->armed == ARMED_SOLICITED && (solicited || completion->status != IBV_WC_SUCCESS));
    if (wakes) {
        queue->armed = NOT_ARMED;
        queue->device->armed--;
        signal_channel(queue);
    }
}

void forget_completions(struct queue_pair *pair) {
    struct completion_queue *queues[] = {completion_queue_of(pair->ibv.send_cq), completion_queue_of(pair->ibv.recv_cq)};
    spin_lock(&pair->device->polling);
    for (int i = 0; i < 2; i++) {
        struct completion_queue *queue = queues[i];
        uint32_t kept = queue->read;
        for (uint32_t at = queue->read; at != queue->written; at++) {
            const struct ibv_wc *each = &queue->entries[at & queue->mask];
            if (each->qp_num != pair->ibv.qp_num) {
                queue->entries[kept++ & queue->mask] = *each;
            }
        }
        queue->written = kept;
    }
    spin_unlock(&pair->device->polling);
}
