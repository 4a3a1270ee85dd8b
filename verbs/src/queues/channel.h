/* Completion channels. */
#ifndef RDDP_VERBS_QUEUES_CHANNEL_H
#define RDDP_VERBS_QUEUES_CHANNEL_H

#include "objects.h"

/* Adds an event of the queue to its channel, with polling held. */
void signal_channel(struct completion_queue *queue);

/* Drops the events of a queue that is being destroyed, with polling held. */
void forget_channel_events(struct completion_queue *queue);

/* Counts the queues that use a channel. */
void use_channel(struct ibv_comp_channel *channel, int more);

struct completion_queue *create_completion_queue(struct ibv_context *context, uint32_t entries, void *program,
    struct ibv_comp_channel *channel, uint32_t vector);

#endif
