/* Connecting, accepting, rejecting and disconnecting. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"

#define CONNECT_TIMEOUT_MS 60000u

/* RFC 6581: lets the accepting end send first, as programs expect of InfiniBand. Not all peers support it. */
static enum rddp_choice peer_to_peer(enum rddp_choice otherwise) {
    const char *wanted = getenv("RDDP_PEER_TO_PEER");
    if (wanted == NULL) {
        return otherwise;
    }
    if (strcmp(wanted, "yes") == 0) {
        return RDDP_YES;
    }
    return strcmp(wanted, "no") == 0 ? RDDP_NO : RDDP_AS_CONFIGURED;
}

/* Whether to ask the peer for Sends with immediate data, by 12 octets behind the private data. */
static bool asks_for_send_with_immediate(void) {
    const char *wanted = getenv("RDDP_SEND_WITH_IMM");
    return wanted != NULL && strcmp(wanted, "yes") == 0;
}

struct rddp_connection_options connection_options(const struct rdma_conn_param *param, struct ibv_srq *shared) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.held_octets = HELD_OCTETS;
    options.send_with_immediate = asks_for_send_with_immediate();
    options.peer_to_peer = peer_to_peer(RDDP_YES);
    if (param != NULL && param->responder_resources != RDMA_MAX_RESP_RES) {
        options.ird = param->responder_resources;
    }
    if (param != NULL && param->initiator_depth != RDMA_MAX_INIT_DEPTH) {
        options.ord = param->initiator_depth;
    }
    if (shared != NULL) {
        options.receive_queue = shared_queue_of(shared)->queue;
    }
    return options;
}

/* Accepts peers that do not ask for peer-to-peer (Linux's siw): in most programs the connecting end sends first. */
struct rddp_connection_options listening_options(struct ibv_srq *shared) {
    struct rddp_connection_options options = connection_options(NULL, shared);
    options.peer_to_peer = peer_to_peer(RDDP_AS_CONFIGURED);
    options.send_with_immediate = true;
    return options;
}

uint32_t dscp_of(const struct id *id) {
    return id->has_dscp ? id->dscp : RDDP_DSCP_AS_CONFIGURED;
}

static uint32_t smaller(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

/* No more than the request has: the peer has said how many it wants and how many it serves. */
static struct rddp_accept_options accept_options_of(
    const rddp_connection *connection, const struct rdma_conn_param *param, const struct queue_pair *pair) {
    struct rddp_accept_options options = RDDP_ACCEPT_DEFAULTS;
    options.domain = domain_of(pair->ibv.pd)->number;
    struct rddp_connection_info info;
    rddp_connection_info(connection, &info);
    if (param != NULL && param->responder_resources != RDMA_MAX_RESP_RES) {
        options.ird = smaller(param->responder_resources, info.startup.ird);
    }
    if (param != NULL && param->initiator_depth != RDMA_MAX_INIT_DEPTH) {
        options.ord = smaller(param->initiator_depth, info.startup.ord);
    }
    if (pair->ibv.srq != NULL) {
        options.receive_queue = shared_queue_of(pair->ibv.srq)->queue;
    }
    return options;
}

/* The queue pair of an id, or the one that the program names; null with errno if there is none. */
static struct queue_pair *queue_pair_for(struct id *id, const struct rdma_conn_param *param) {
    struct queue_pair *pair = id->ibv.qp != NULL ? queue_pair_of(id->ibv.qp)
        : param != NULL                          ? find_queue_pair(id->device, param->qp_num)
                                                 : NULL;
    if (pair == NULL) {
        verbs_log("a connection needs a queue pair: rdma_create_qp(), or qp_num in struct rdma_conn_param");
        errno = EINVAL;
    }
    return pair;
}

VERBS int rdma_connect(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
    struct id *id = id_of(ibv);
    if (id->device == NULL || id->stream != NULL) {
        return fails(EINVAL);
    }
    struct queue_pair *pair = queue_pair_for(id, param);
    if (pair == NULL) {
        return -1;
    }
    struct rddp_connection_options options = connection_options(param, pair->ibv.srq);
    options.domain = domain_of(pair->ibv.pd)->number;
    options.dscp = dscp_of(id);
    struct in6_addr to = address_in(&ibv->route.addr.dst_addr);
    rddp_session *session = id->device->session;
    rddp_connection *connection;
    const void *data = param == NULL ? NULL : param->private_data;
    size_t length = data == NULL ? 0 : param->private_data_len;
    int result = rddp_start_connect_ipv6(session, &to, ntohs(rdma_get_dst_port(ibv)), data, length,
        CONNECT_TIMEOUT_MS, &options, &connection);
    if (result != RDDP_OK) {
        verbs_log("cannot connect: %s", rddp_error());
        return fails(error_of(result));
    }
    id->stream = new_stream(id->device, connection, id);
    if (id->stream == NULL) {
        return fails(ENOMEM);
    }
    int error = join_queue_pair(id->stream, pair);
    if (error != 0) {
        return fails(error);
    }
    /* It may have been established, or have failed, in the meantime. */
    own_connection(connection, id->stream);
    return complete_request(id);
}

/* From now on the program gets the end of a request, which may already have come after the daemon took the answer. */
static void hear_on(struct id *id) {
    const struct stream *stream = id->stream;
    lock_session(stream->device->session);
    pthread_mutex_lock(&streams);
    id->unanswered = false;
    if (stream->told_end && !stream->told_established) {
        hear_end(id, info_of(stream->connection), false);
    }
    pthread_mutex_unlock(&streams);
    unlock_session(stream->device->session);
}

VERBS int rdma_accept(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
    struct id *id = id_of(ibv);
    if (id->stream == NULL || id->stream->connection == NULL) {
        return fails(EINVAL);
    }
    struct queue_pair *pair = queue_pair_for(id, param);
    if (pair == NULL) {
        return -1;
    }
    if (pair->stream == NULL) {
        int error = join_queue_pair(id->stream, pair);
        if (error != 0) {
            return fails(error);
        }
    }
    struct rddp_accept_options options = accept_options_of(id->stream->connection, param, pair);
    const void *data = param == NULL ? NULL : param->private_data;
    int result = rddp_start_accept(id->stream->connection, data, data == NULL ? 0 : param->private_data_len, &options);
    if (result != RDDP_OK) {
        verbs_log("cannot accept: %s", rddp_error());
        return fails(error_of(result));
    }
    accept_queue_pair(pair);
    hear_on(id);
    return complete_request(id);
}

/* Rejects once the id no longer uses the connection, which the call frees. */
VERBS int rdma_reject(struct rdma_cm_id *ibv, const void *data, uint8_t length) {
    struct id *id = id_of(ibv);
    struct stream *stream = id->stream;
    if (stream == NULL || stream->connection == NULL) {
        return fails(EINVAL);
    }
    struct device *device = stream->device;
    rddp_connection *connection = stream->connection;
    if (rddp_connection_state(connection) != RDDP_REQUESTED) {
        return fails(EINVAL);
    }
    if (stream->queue_pair != NULL) {
        part_queue_pair(stream->queue_pair);
    }
    /* The device's thread may be about to end it. */
    pthread_mutex_lock(&device->disconnecting);
    own_connection(connection, NULL);
    pthread_mutex_lock(&streams);
    stream->connection = NULL;
    pthread_mutex_unlock(&streams);
    pthread_mutex_unlock(&device->disconnecting);
    int result = rddp_reject(connection, data, data == NULL ? 0 : length);
    return result == RDDP_OK ? 0 : fails(error_of(result));
}

VERBS int rdma_reject_ece(struct rdma_cm_id *ibv, const void *data, uint8_t length) {
    return rdma_reject(ibv, data, length);
}

VERBS int rdma_disconnect(struct rdma_cm_id *ibv) {
    struct id *id = id_of(ibv);
    if (id->stream == NULL) {
        return fails(EINVAL);
    }
    pthread_mutex_lock(&streams);
    want_end(id->stream, true);
    pthread_mutex_unlock(&streams);
    return complete_request(id);
}

/* For programs that connect queue pairs without rdma_create_qp(): rdma_connect() and rdma_accept() have done it all. */
VERBS int rdma_establish(struct rdma_cm_id *ibv) {
    return id_of(ibv)->stream == NULL ? fails(EINVAL) : 0;
}
