/* Receives without a connection, and requests that are flushed without the daemon. */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"

void flush_request(struct queue_pair *pair, uint64_t id, enum ibv_wc_opcode opcode) {
    struct ibv_wc made = {.wr_id = id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = opcode, .qp_num = pair->ibv.qp_num};
    struct ibv_cq *queue = opcode == IBV_WC_RECV ? pair->ibv.recv_cq : pair->ibv.send_cq;
    add_completion(completion_queue_of(queue), &made, false);
}

void flush_early_receives(struct queue_pair *pair) {
    for (uint32_t i = 0; i < pair->early_count; i++) {
        flush_request(pair, pair->early[i].id, IBV_WC_RECV);
    }
    pair->early_count = 0;
}

int keep_receive(struct queue_pair *pair, const struct early_receive *receive) {
    if (pair->early_count >= pair->cap.max_recv_wr) {
        return ENOMEM;
    }
    if (pair->early_count == pair->early_room) {
        uint32_t room = pair->early_room == 0 ? 16 : 2 * pair->early_room;
        struct early_receive *early = realloc(pair->early, room * sizeof *early);
        if (early == NULL) {
            return ENOMEM;
        }
        pair->early = early;
        pair->early_room = room;
    }
    pair->early[pair->early_count++] = *receive;
    return 0;
}

bool keep_flushed_receive(struct queue_pair *pair, uint64_t id) {
    /* Only its end is left to it: the connection does not come back. */
    const struct early_receive receive = {.id = id};
    spin_lock(&pair->device->posting);
    bool kept = keep_receive(pair, &receive) == 0;
    spin_unlock(&pair->device->posting);
    return kept;
}
