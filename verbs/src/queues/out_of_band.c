#include "queues/out_of_band.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PSNS 0xffffffu
#define PEER_RIGHTS (unsigned)(RDDP_REMOTE_READ | RDDP_REMOTE_WRITE | RDDP_REMOTE_ATOMIC)
/* A card counts from a request that is sent again at once; a program needs longer to come. */
#define LEAST_WAIT_MS 3000u
#define MOST_WAIT_MS 600000u

int take_number(struct device *device, uint32_t *number) {
    int result = rddp_create_number(device->session, number);
    if (result == RDDP_OK) {
        return 0;
    }
    *number = 0;
    verbs_log("queue pairs cannot be connected by number: %s", rddp_error());
    return result == RDDP_RESOURCES ? ENOMEM : 0;
}

void return_number(struct device *device, uint32_t number) {
    if (!device->lost && rddp_free_number(device->session, number) != RDDP_OK) {
        verbs_log("the number %u is not given back: %s", number, rddp_error());
    }
}

static bool is_ipv4(const struct in6_addr *address) {
    return IN6_IS_ADDR_V4MAPPED(address);
}

/* Whom the attributes name. Returns an errno value. */
static int name_peer(const struct queue_pair *pair, const struct ibv_qp_attr *set, struct rddp_expectation *made) {
    union ibv_gid own;
    const struct ibv_global_route *to = &set->ah_attr.grh;
    if (!pair->is_numbered) {
        say_once("a queue pair cannot be connected by number: it is that of an id (rdma_create_qp), the daemon's"
                 " configuration has queue-pair-port = 0, or no number was left; connect it by rdma_cm (perftest with -R)");
        return EOPNOTSUPP;
    }
    if (set->ah_attr.is_global == 0) {
        say_once("the program names its peer without a GID; have both ends use one (ibv_rc_pingpong -g 0, perftest -x 0)");
        return EINVAL;
    }
    if (ibv_query_gid(pair->ibv.context, PORT, to->sgid_index, &own) != 0) {
        return EINVAL;
    }
    *made = (struct rddp_expectation){.number = pair->ibv.qp_num, .remote_number = set->dest_qp_num,
        .psn = RDDP_UNKNOWN_PSN, .remote_psn = set->rq_psn & PSNS};
    memcpy(&made->local, own.raw, sizeof made->local);
    memcpy(&made->remote, to->dgid.raw, sizeof made->remote);
    if (is_ipv4(&made->local) != is_ipv4(&made->remote)) {
        say_once("one end uses a GID of IPv4, and the other one of IPv6: have both use the same index (ibv_rc_pingpong -g 0)");
        return EINVAL;
    }
    return 0;
}

static struct rddp_connection_options options_for(const struct queue_pair *pair, const struct ibv_qp_attr *set) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.held_octets = HELD_OCTETS;
    options.acknowledged = true;  /* as programs for InfiniBand understand a completion: the peer has it */
    options.send_with_immediate = true;
    options.domain = domain_of(pair->ibv.pd)->number;
    options.withheld_rights = PEER_RIGHTS & ~rights_of(set->qp_access_flags);
    if (set->ah_attr.grh.traffic_class != 0) {  /* 0, which most programs leave it at, is the interface's */
        options.dscp = set->ah_attr.grh.traffic_class >> 2;
    }
    if (pair->ibv.srq != NULL) {
        options.receive_queue = shared_queue_of(pair->ibv.srq)->queue;
    }
    return options;
}

int expect_peer(struct queue_pair *pair, const struct ibv_qp_attr *set) {
    struct device *device = pair->device;
    struct rddp_expectation expectation;
    rddp_connection *connection;
    int error = name_peer(pair, set, &expectation);
    if (error != 0) {
        return error;
    }
    struct rddp_connection_options options = options_for(pair, set);
    int result = rddp_expect(device->session, &expectation, &options, &connection);
    if (result != RDDP_OK) {
        verbs_log("queue pair %u cannot be connected: %s", pair->ibv.qp_num, rddp_error());
        return error_of(result);
    }
    struct stream *stream = new_stream(device, connection, NULL);
    pair->by_number = true;
    error = stream == NULL ? ENOMEM : join_queue_pair(stream, pair);
    if (error != 0) {
        pair->by_number = false;
        (void)!rddp_disconnect(connection, false);  /* may wait, not under the lock */
        spin_lock(&device->polling);
        rddp_forget(connection);
        spin_unlock(&device->polling);
        free(stream);
        return error;
    }
    /* It may be established, or have failed, since. */
    own_connection(connection, stream);
    return 0;
}

/* How long requests wait for the peer. InfiniBand's timeout of 0 is no limit. */
static uint32_t longest_wait_ms(const struct ibv_qp_attr *set) {
    if (set->timeout == 0) {
        return 0;
    }
    uint64_t ms = (4096ull << (set->timeout & 31)) / 1000000 * (set->retry_cnt + 1u);
    return ms < LEAST_WAIT_MS ? LEAST_WAIT_MS : ms > MOST_WAIT_MS ? MOST_WAIT_MS : (uint32_t)ms;
}

int tell_own_psn(struct queue_pair *pair, const struct ibv_qp_attr *set) {
    int result = rddp_expect_psn(pair->connection, set->sq_psn & PSNS, longest_wait_ms(set));
    /* The peer may have refused since RTR. A card learns of that by its first send only, and so does the program. */
    return result != RDDP_OK && rddp_connection_state(pair->connection) != RDDP_CLOSED ? error_of(result) : 0;
}
