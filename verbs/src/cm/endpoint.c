/* Queue pairs of ids, and endpoints: ids with their queue pair, queues and channels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"

#define RESOLVE_TIMEOUT_MS 2000

/* A completion queue with a channel of its own, as rdma_get_send_comp() and rdma_get_recv_comp() expect. */
static int create_queue(struct rdma_cm_id *ibv, uint32_t entries, struct ibv_comp_channel **channel,
    struct ibv_cq **queue) {
    *channel = ibv_create_comp_channel(ibv->verbs);
    if (*channel == NULL) {
        return -1;
    }
    *queue = ibv_create_cq(ibv->verbs, entries == 0 ? 1 : (int)entries, ibv, *channel, 0);
    if (*queue == NULL) {
        int error = errno;
        ibv_destroy_comp_channel(*channel);
        *channel = NULL;
        return fails(error);
    }
    return 0;
}

static void destroy_queue(struct ibv_comp_channel **channel, struct ibv_cq **queue, bool *owned) {
    if (*owned) {
        ibv_destroy_cq(*queue);
        ibv_destroy_comp_channel(*channel);
        *queue = NULL;
        *channel = NULL;
        *owned = false;
    }
}

static void destroy_queues(struct id *id) {
    destroy_queue(&id->ibv.send_cq_channel, &id->ibv.send_cq, &id->owns_send_cq);
    destroy_queue(&id->ibv.recv_cq_channel, &id->ibv.recv_cq, &id->owns_recv_cq);
}

static int create_queues(struct id *id, struct ibv_qp_init_attr *wanted) {
    if (wanted->send_cq == NULL) {
        if (create_queue(&id->ibv, wanted->cap.max_send_wr, &id->ibv.send_cq_channel, &id->ibv.send_cq) != 0) {
            return -1;
        }
        id->owns_send_cq = true;
        wanted->send_cq = id->ibv.send_cq;
    }
    if (wanted->recv_cq == NULL) {
        uint32_t entries = wanted->srq != NULL ? wanted->cap.max_send_wr : wanted->cap.max_recv_wr;
        if (create_queue(&id->ibv, entries, &id->ibv.recv_cq_channel, &id->ibv.recv_cq) != 0) {
            return -1;
        }
        id->owns_recv_cq = true;
        wanted->recv_cq = id->ibv.recv_cq;
    }
    if (id->ibv.send_cq == NULL) {
        id->ibv.send_cq = wanted->send_cq;
    }
    if (id->ibv.recv_cq == NULL) {
        id->ibv.recv_cq = wanted->recv_cq;
    }
    return 0;
}

static int join_now(struct id *id) {
    struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_INIT};
    int error = ibv_modify_qp(id->ibv.qp, &attributes, IBV_QP_STATE);
    if (error == 0 && id->stream != NULL) {
        error = join_queue_pair(id->stream, queue_pair_of(id->ibv.qp));
    }
    return error;
}

VERBS int rdma_create_qp(struct rdma_cm_id *ibv, struct ibv_pd *pd, struct ibv_qp_init_attr *wanted) {
    struct id *id = id_of(ibv);
    if (ibv->verbs == NULL || ibv->qp != NULL || (pd != NULL && pd->context->device != ibv->verbs->device)) {
        return fails(EINVAL);
    }
    if (wanted->srq == NULL) {
        wanted->srq = ibv->srq;
    }
    if (create_queues(id, wanted) != 0) {
        destroy_queues(id);
        return -1;
    }
    ibv->qp = create_queue_pair(pd == NULL ? ibv->pd : pd, wanted, false);
    int error = ibv->qp == NULL ? errno : join_now(id);
    if (error != 0) {
        if (ibv->qp != NULL) {
            ibv_destroy_qp(ibv->qp);
            ibv->qp = NULL;
        }
        destroy_queues(id);
        return fails(error);
    }
    ibv->pd = pd == NULL ? ibv->pd : pd;
    return 0;
}

VERBS int rdma_create_qp_ex(struct rdma_cm_id *ibv, struct ibv_qp_init_attr_ex *wanted) {
    struct ibv_pd *pd = (wanted->comp_mask & IBV_QP_INIT_ATTR_PD) != 0 ? wanted->pd : NULL;
    if ((wanted->comp_mask & ~(uint32_t)IBV_QP_INIT_ATTR_PD) != 0) {
        return fails(EOPNOTSUPP);
    }
    /* struct ibv_qp_init_attr_ex begins with the members of struct ibv_qp_init_attr. */
    struct ibv_qp_init_attr base;
    memcpy(&base, wanted, sizeof base);
    int result = rdma_create_qp(ibv, pd, &base);
    memcpy(wanted, &base, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
    return result;
}

VERBS void rdma_destroy_qp(struct rdma_cm_id *ibv) {
    if (ibv->qp != NULL) {
        ibv_destroy_qp(ibv->qp);
        ibv->qp = NULL;
    }
    destroy_queues(id_of(ibv));
}

VERBS int rdma_create_srq(struct rdma_cm_id *ibv, struct ibv_pd *pd, struct ibv_srq_init_attr *wanted) {
    if (ibv->srq != NULL || (pd == NULL && ibv->pd == NULL)) {
        return fails(EINVAL);
    }
    ibv->srq = ibv_create_srq(pd == NULL ? ibv->pd : pd, wanted);
    return ibv->srq == NULL ? -1 : 0;
}

VERBS void rdma_destroy_srq(struct rdma_cm_id *ibv) {
    if (ibv->srq != NULL && ibv_destroy_srq(ibv->srq) == 0) {
        ibv->srq = NULL;
    }
}

/* ---- Endpoints ---- */

static int bind_passive(struct id *id, struct rdma_addrinfo *info, const struct ibv_qp_init_attr *wanted) {
    if (rdma_bind_addr(&id->ibv, info->ai_src_addr) != 0) {
        return -1;
    }
    if (wanted == NULL) {
        return 0;
    }
    id->initial = malloc(sizeof *id->initial);
    if (id->initial == NULL) {
        return -1;
    }
    *id->initial = *wanted;
    id->initial->qp_type = IBV_QPT_RC;
    return 0;
}

static int resolve_active(struct id *id, struct rdma_addrinfo *info, struct ibv_pd *pd,
    struct ibv_qp_init_attr *wanted) {
    if (rdma_resolve_addr(&id->ibv, info->ai_src_addr, info->ai_dst_addr, RESOLVE_TIMEOUT_MS) != 0
        || rdma_resolve_route(&id->ibv, RESOLVE_TIMEOUT_MS) != 0) {
        return -1;
    }
    if (wanted == NULL) {
        return 0;
    }
    wanted->qp_type = IBV_QPT_RC;
    return rdma_create_qp(&id->ibv, pd, wanted);
}

VERBS int rdma_create_ep(struct rdma_cm_id **made, struct rdma_addrinfo *info, struct ibv_pd *pd,
    struct ibv_qp_init_attr *wanted) {
    if (info->ai_port_space != RDMA_PS_TCP) {
        return fails(EOPNOTSUPP);
    }
    struct id *id = new_id(NULL, NULL, RDMA_PS_TCP);
    if (id == NULL) {
        return -1;
    }
    id->ibv.pd = pd;
    int result = (info->ai_flags & RAI_PASSIVE) != 0 ? bind_passive(id, info, wanted)
                                                     : resolve_active(id, info, pd, wanted);
    if (result != 0) {
        int error = errno;
        rdma_destroy_id(&id->ibv);
        return fails(error);
    }
    *made = &id->ibv;
    return 0;
}

VERBS void rdma_destroy_ep(struct rdma_cm_id *ibv) {
    rdma_destroy_qp(ibv);
    rdma_destroy_srq(ibv);
    rdma_destroy_id(ibv);
}

VERBS int rdma_get_request(struct rdma_cm_id *listening, struct rdma_cm_id **made) {
    struct id *id = id_of(listening);
    struct rdma_cm_event *event;
    if (id->synchronous == 0) {
        return fails(EINVAL);
    }
    if (listening->event != NULL) {
        rdma_ack_cm_event(listening->event);
        listening->event = NULL;
    }
    if (rdma_get_cm_event(listening->channel, &event) != 0) {
        return -1;
    }
    if (event->status != 0 || event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
        int error = event->status != 0 ? -event->status : EINVAL;
        rdma_ack_cm_event(event);
        return fails(error);
    }
    struct rdma_cm_id *request = event->id;
    if (listening->pd != NULL) {
        request->pd = listening->pd;
    }
    int result = rdma_migrate_id(request, NULL);
    if (result == 0 && id->initial != NULL) {
        struct ibv_qp_init_attr wanted = *id->initial;
        wanted.qp_context = wanted.qp_context == NULL ? request : wanted.qp_context;
        wanted.srq = listening->srq != NULL ? listening->srq : wanted.srq;
        result = rdma_create_qp(request, listening->pd, &wanted);
    }
    if (result != 0) {
        int error = errno;
        rdma_ack_cm_event(event);
        rdma_destroy_id(request);
        return fails(error);
    }
    request->event = event;  /* acknowledged by its next request */
    *made = request;
    return 0;
}
