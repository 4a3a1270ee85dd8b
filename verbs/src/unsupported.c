/* What iWARP, or rddp, does not have: every function says so. */
#include <errno.h>
#include <rdma/rdma_cma.h>

#include "objects.h"

/* ---- Unreliable datagrams and multicast ---- */

VERBS struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attributes) {
    (void)pd;
    (void)attributes;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *completion, struct ibv_grh *header,
    uint8_t port) {
    (void)completion;
    (void)header;
    (void)port;
    return ibv_create_ah(pd, NULL);
}

VERBS int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *completion,
    struct ibv_grh *header, struct ibv_ah_attr *attributes) {
    (void)context;
    (void)port;
    (void)completion;
    (void)header;
    (void)attributes;
    return fails(EOPNOTSUPP);
}

VERBS int ibv_attach_mcast(struct ibv_qp *pair, const union ibv_gid *gid, uint16_t lid) {
    (void)pair;
    (void)gid;
    (void)lid;
    return EOPNOTSUPP;
}

VERBS int ibv_detach_mcast(struct ibv_qp *pair, const union ibv_gid *gid, uint16_t lid) {
    return ibv_attach_mcast(pair, gid, lid);
}

VERBS int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *address, void *context) {
    (void)id;
    (void)address;
    (void)context;
    return fails(EOPNOTSUPP);
}

VERBS int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attributes, void *context) {
    (void)attributes;
    return rdma_join_multicast(id, NULL, context);
}

VERBS int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *address) {
    return rdma_join_multicast(id, address, NULL);
}

/* ---- Changing and sharing regions ---- */

VERBS int ibv_rereg_mr(struct ibv_mr *region, int flags, struct ibv_pd *pd, void *address, size_t length, int access) {
    (void)region;
    (void)flags;
    (void)pd;
    (void)address;
    (void)length;
    (void)access;
    errno = EOPNOTSUPP;
    return IBV_REREG_MR_ERR_INPUT;
}

VERBS struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t base, int descriptor,
    int access) {
    (void)pd;
    (void)offset;
    (void)length;
    (void)base;
    (void)descriptor;
    (void)access;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle) {
    (void)context;
    (void)handle;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle) {
    (void)pd;
    (void)handle;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle) {
    (void)context;
    (void)handle;
    errno = EOPNOTSUPP;
    return NULL;
}

/* ---- Enhanced connection establishment ---- */

VERBS int ibv_set_ece(struct ibv_qp *pair, struct ibv_ece *ece) {
    (void)pair;
    (void)ece;
    return EOPNOTSUPP;
}

VERBS int ibv_query_ece(struct ibv_qp *pair, struct ibv_ece *ece) {
    return ibv_set_ece(pair, ece);
}

VERBS int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece) {
    (void)id;
    (void)ece;
    return fails(EOPNOTSUPP);
}

VERBS int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece) {
    return rdma_set_local_ece(id, ece);
}

VERBS int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *wanted) {
    (void)id;
    (void)wanted;
    return fails(EOPNOTSUPP);
}

/* ---- Fork ---- */

/* Registered memory and fork(2) go together by themselves: see memory.h. */
VERBS int ibv_fork_init(void) {
    return 0;
}

VERBS enum ibv_fork_status ibv_is_fork_initialized(void) {
    return IBV_FORK_UNNEEDED;
}
