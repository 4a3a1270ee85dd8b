/* Options of connections. */
#include "connection.h"

#define LARGEST_DSCP 63U

static const struct rddp_connection_options DEFAULTS = RDDP_CONNECTION_DEFAULTS;

int check_options(const struct rddp_connection_options **chosen) {
    if (*chosen == NULL) {
        *chosen = &DEFAULTS;
    }
    const struct rddp_connection_options *options = *chosen;
    if (options->queue_count > 256) {
        return fail(RDDP_INVALID, "%u queues, at most 256", options->queue_count);
    }
    if (options->queue_count > 0 && options->receive_queue != NULL) {
        return fail(RDDP_INVALID, "shared receive queues are for RDMAP, queues for plain DDP: choose one");
    }
    if ((options->withheld_rights & ~(unsigned)(RDDP_REMOTE_READ | RDDP_REMOTE_WRITE | RDDP_REMOTE_ATOMIC)) != 0) {
        return fail(RDDP_INVALID, "withheld rights 0x%x: RDDP_REMOTE_READ, RDDP_REMOTE_WRITE and RDDP_REMOTE_ATOMIC can be",
            options->withheld_rights);
    }
    if (options->dscp > LARGEST_DSCP && options->dscp != RDDP_DSCP_AS_CONFIGURED) {
        return fail(RDDP_INVALID, "DSCP %u, at most %u, or RDDP_DSCP_AS_CONFIGURED", options->dscp, LARGEST_DSCP);
    }
    if ((unsigned)options->congestion > RDDP_DCTCP) {
        return fail(RDDP_INVALID, "congestion control %u, at most RDDP_DCTCP", (unsigned)options->congestion);
    }
    return RDDP_OK;
}

/* Flags of a connection's settings. */
#define ACKNOWLEDGED 1U
#define SEND_WITH_IMMEDIATE 2U
#define DSCP 4U
#define DSCP_SHIFT 8
#define CONGESTION_SHIFT 16

static uint32_t flags_of(const struct rddp_connection_options *options) {
    uint32_t flags = (options->acknowledged ? ACKNOWLEDGED : 0) | (options->send_with_immediate ? SEND_WITH_IMMEDIATE : 0)
        | (uint32_t)options->congestion << CONGESTION_SHIFT;
    return options->dscp == RDDP_DSCP_AS_CONFIGURED ? flags : flags | DSCP | options->dscp << DSCP_SHIFT;
}

void put_settings(struct message *message, const struct rddp_connection_options *options) {
    put_u32(message, options->held_octets);
    put_u32(message, options->tagged_notices);
    put_u16(message, options->queue_count);
    for (unsigned i = 0; i < options->queue_count; i++) {
        put_u32(message, options->queues[i]);
    }
    put_u32(message, options->receive_queue == NULL ? 0 : options->receive_queue->number);
    put_u32(message, options->ird);
    put_u32(message, options->ord);
    put_u32(message, options->revision);
    put_u32(message, options->peer_to_peer);
    put_u32(message, options->revision_1_retry);
    put_u32(message, options->domain);
    put_u32(message, flags_of(options));
    put_u32(message, options->withheld_rights);
}

int check_private_data(size_t length) {
    return length <= RDDP_MAX_PRIVATE_DATA
        ? RDDP_OK
        : fail(RDDP_INVALID, "private data of %zu octets, at most %d", length, RDDP_MAX_PRIVATE_DATA);
}
