/*
 * Queue pairs that programs connect by ibv_modify_qp(), with a number and a GID that they have told each other: RoCE's way.
 *
 * The daemon gives the numbers, and connects: both ends say whom they expect, and either may be late. The queue pair has
 * its connection from RTR on, which keeps requests until the peer is there.
 */
#ifndef RDDP_VERBS_QUEUES_OUT_OF_BAND_H
#define RDDP_VERBS_QUEUES_OUT_OF_BAND_H

#include "objects.h"

/* A number that peers can name, and gives it back. The first returns an errno value, and 0 as number where the daemon gives none. */
int take_number(struct device *device, uint32_t *number);
void return_number(struct device *device, uint32_t number);

/* Connects the queue pair with the peer that the attributes name (RTR), and says the rest (RTS). They return errno values. */
int expect_peer(struct queue_pair *pair, const struct ibv_qp_attr *set);
int tell_own_psn(struct queue_pair *pair, const struct ibv_qp_attr *set);

#endif
