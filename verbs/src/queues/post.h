/* Shared by the files that post. The functions return errno values. */
#ifndef RDDP_VERBS_QUEUES_POST_H
#define RDDP_VERBS_QUEUES_POST_H

#include "objects.h"

/* Makes the request that binds a window of a type. EINVAL, or EPERM for objects of another protection domain. */
int make_bind(const struct queue_pair *pair, const struct ibv_send_wr *work, enum ibv_mw_type type,
    struct rddp_request *request, struct rddp_piece *piece);

int post_shared_receives(struct ibv_srq *ibv, struct ibv_recv_wr *work, struct ibv_recv_wr **bad);

#endif
