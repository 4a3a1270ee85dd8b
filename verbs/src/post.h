/* What files that post share. The functions return errno values. */
#ifndef RDDP_VERBS_POST_H
#define RDDP_VERBS_POST_H

#include "objects.h"

/* Makes a bind's request, of a window of that type. EINVAL, or EPERM for objects of another protection domain. */
int make_bind(const struct queue_pair *pair, const struct ibv_send_wr *work, enum ibv_mw_type type,
    struct rddp_request *request, struct rddp_piece *piece);

int post_shared_receives(struct ibv_srq *ibv, struct ibv_recv_wr *work, struct ibv_recv_wr **bad);

#endif
