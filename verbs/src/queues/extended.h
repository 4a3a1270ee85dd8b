/* The post API of struct ibv_qp_ex and the poll API of struct ibv_cq_ex. */
#ifndef RDDP_VERBS_QUEUES_EXTENDED_H
#define RDDP_VERBS_QUEUES_EXTENDED_H

#include "objects.h"

/* Sets the functions of the post API in a new context. */
void offer_post_api(struct verbs_context *verbs);
void offer_poll_api(struct verbs_context *verbs);

#endif
