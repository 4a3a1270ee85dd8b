/* Functions that iWARP or rddp does not have; each fails with an errno value. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

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

VERBS int ibv_destroy_ah(struct ibv_ah *handle) {
    (void)handle;
    return EOPNOTSUPP;
}

VERBS int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attributes,
    uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vlan) {
    (void)context;
    (void)attributes;
    (void)mac;
    (void)vlan;
    return EOPNOTSUPP;
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

/* ---- Sharing regions ---- */

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

/* Nothing has been imported. */
VERBS void ibv_unimport_pd(struct ibv_pd *pd) {
    (void)pd;
}

VERBS void ibv_unimport_mr(struct ibv_mr *region) {
    (void)region;
}

VERBS void ibv_unimport_dm(struct ibv_dm *memory) {
    (void)memory;
}

/*
 * Functions of newer releases of rdma-core than the headers. Without them libibverbs' own functions would take the
 * program's objects for theirs.
 */
struct ibv_buf;
struct ibv_mr_init_attr;
struct ibv_dmah;
struct ibv_dmah_init_attr;

VERBS int ibv_export_buf_dmabuf_fd(struct ibv_buf *buffer) {
    (void)buffer;
    return fails(EOPNOTSUPP);
}

VERBS struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *wanted) {
    (void)pd;
    (void)wanted;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *wanted) {
    (void)context;
    (void)wanted;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS int ibv_dealloc_dmah(struct ibv_dmah *handle) {
    (void)handle;
    return EOPNOTSUPP;
}

VERBS int ibv_dm_export_dmabuf_fd(struct ibv_dm *memory) {
    (void)memory;
    return fails(EOPNOTSUPP);
}

VERBS int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed) {
    (void)context;
    (void)port;
    (void)speed;
    return EOPNOTSUPP;
}

/* ---- Completion counters, of rdma-core 65 ---- */

struct ibv_comp_cntr;
struct ibv_comp_cntr_caps;
struct ibv_comp_cntr_init_attr;
struct ibv_qp_attach_comp_cntr_attr;

VERBS int _ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *capabilities, size_t size) {
    (void)context;
    memset(capabilities, 0, size);
    return EOPNOTSUPP;
}

VERBS struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *wanted) {
    (void)context;
    (void)wanted;
    errno = EOPNOTSUPP;
    return NULL;
}

VERBS int ibv_destroy_comp_cntr(struct ibv_comp_cntr *counter) {
    (void)counter;
    return EOPNOTSUPP;
}

VERBS int ibv_set_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value) {
    (void)counter;
    (void)value;
    return EOPNOTSUPP;
}

VERBS int ibv_set_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t value) {
    return ibv_set_comp_cntr(counter, value);
}

VERBS int ibv_inc_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount) {
    return ibv_set_comp_cntr(counter, amount);
}

VERBS int ibv_inc_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t amount) {
    return ibv_set_comp_cntr(counter, amount);
}

VERBS int ibv_read_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value) {
    (void)value;
    return ibv_set_comp_cntr(counter, 0);
}

VERBS int ibv_read_err_comp_cntr(struct ibv_comp_cntr *counter, uint64_t *value) {
    return ibv_read_comp_cntr(counter, value);
}

VERBS int ibv_qp_attach_comp_cntr(struct ibv_qp *pair, struct ibv_comp_cntr *counter,
    struct ibv_qp_attach_comp_cntr_attr *wanted) {
    (void)pair;
    (void)wanted;
    return ibv_set_comp_cntr(counter, 0);
}

/* ---- Addresses resolved by events, and events that a program writes: newer releases of rdma-core ---- */

VERBS int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
    const struct rdma_addrinfo *hints) {
    (void)id;
    (void)node;
    (void)service;
    (void)hints;
    return fails(EOPNOTSUPP);
}

VERBS int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info) {
    (void)info;
    return rdma_resolve_addrinfo(id, NULL, NULL, NULL);
}

VERBS int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status, uint64_t argument) {
    (void)type;
    (void)status;
    (void)argument;
    return rdma_resolve_addrinfo(id, NULL, NULL, NULL);
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

/* Registered memory works with fork(2) without it: see memory.h. */
VERBS int ibv_fork_init(void) {
    return 0;
}

VERBS enum ibv_fork_status ibv_is_fork_initialized(void) {
    return IBV_FORK_UNNEEDED;
}
