/* Posting one work request; with posting held, returning errno values. */
#ifndef RDDP_VERBS_POST_H
#define RDDP_VERBS_POST_H

#include "objects.h"

int post_work(struct queue_pair *pair, const struct ibv_send_wr *work);

int post_shared_receives(struct ibv_srq *ibv, struct ibv_recv_wr *work, struct ibv_recv_wr **bad);

#endif
