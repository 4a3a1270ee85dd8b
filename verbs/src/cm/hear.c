/* Turns events of the daemon into events of ids. With `streams` held. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"

static uint8_t depth_of(uint32_t peers, uint32_t own) {
    uint32_t depth = peers == UINT32_MAX ? own : peers;
    return (uint8_t)(depth > MAX_READS ? MAX_READS : depth);
}

static void describe(struct event *event, const struct rddp_connection_info *info) {
    if (event == NULL) {
        return;
    }
    struct rdma_conn_param *param = &event->ibv.param.conn;
    memcpy(event->private_data, info->private_data, info->private_length);
    /* The length has 8 bits: a peer without rdma_cm may send more. */
    param->private_data_len = (uint8_t)(info->private_length > UINT8_MAX ? UINT8_MAX : info->private_length);
    param->private_data = info->private_length > 0 ? event->private_data : NULL;
    param->responder_resources = depth_of(info->startup.peer_ord, info->startup.ird);
    param->initiator_depth = depth_of(info->startup.peer_ird, info->startup.ord);
}

static void set_addresses(struct id *id, const struct rddp_connection_info *info) {
    set_address(&id->ibv.route.addr.src_storage, &info->local_ipv6, htons(info->local_port));
    set_address(&id->ibv.route.addr.dst_storage, &info->remote_ipv6, htons(info->remote_port));
}

static void hear_established(struct id *id, const struct rddp_connection_info *info) {
    set_addresses(id, info);
    struct event *event = add_event(id, RDMA_CM_EVENT_ESTABLISHED, 0);
    describe(event, info);
}

/*
 * Withdraws an ended request that the program has not accepted. As with librdmacm the program is not told, and cannot
 * accept it. Drops one that it has not seen, unless that is the channel's only event: a thread that found the
 * descriptor readable must get an event.
 */
static void withdraw(const struct id *id) {
    struct event_channel *channel = (struct event_channel *)id->ibv.channel;
    struct event *event = channel->first == channel->last ? NULL : channel->first;
    while (event != NULL && (event->ibv.id != &id->ibv || event->ibv.event != RDMA_CM_EVENT_CONNECT_REQUEST)) {
        event = event->next;
    }
    if (event != NULL) {
        remove_request(channel, event);
    }
}

void hear_end(struct id *id, const struct rddp_connection_info *info, bool was_established) {
    if (info->reason == RDDP_LOCAL_CLOSE || info->reason == RDDP_PEER_CLOSE || info->reason == RDDP_LOCAL_ABORT) {
        verbs_log("a connection has ended as %s wanted", info->reason == RDDP_PEER_CLOSE ? "its peer" : "this end");
    } else {
        verbs_log("a connection has failed: %s", info->text);
    }
    if (id->unanswered && !was_established) {
        withdraw(id);
    } else if (was_established) {
        add_event(id, RDMA_CM_EVENT_DISCONNECTED, 0);
    } else if (info->reason == RDDP_REFUSED) {
        struct event *event = add_event(id, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
        describe(event, info);
    } else if (info->reason == RDDP_TIMEOUT || info->reason == RDDP_UNREACHABLE) {
        add_event(id, RDMA_CM_EVENT_UNREACHABLE, info->reason == RDDP_TIMEOUT ? -ETIMEDOUT : -ENETUNREACH);
    } else {
        add_event(id, RDMA_CM_EVENT_CONNECT_ERROR, -error_of(info->reason));
    }
}

/* Returns false without memory for it: the request waits with the listener. */
static bool hear_request(struct listening *place) {
    struct id *listening = place->id, *id = new_child(place);
    struct stream *stream = id == NULL ? NULL : new_stream(place->device, NULL, id);
    struct event *event = stream == NULL ? NULL : new_event(listening, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
    rddp_connection *connection = event == NULL ? NULL : take_request(place->listener, stream);
    if (connection == NULL) {
        free(event);
        free(stream);
        if (id != NULL) {
            unlist(id);
            free_id(id);
        }
        return false;
    }
    stream->connection = connection;
    id->stream = stream;
    id->unanswered = true;
    set_addresses(id, info_of(connection));
    describe(event, info_of(connection));
    event->ibv.id = &id->ibv;
    event->ibv.listen_id = &listening->ibv;
    append_event(event);
    return true;
}

static void hear_requests(struct listening *place) {
    while (has_request(place->listener) && hear_request(place)) {
    }
}

/* All devices are lost together, with the daemon: an id that listens at all of them gets one event. */
static bool is_concerned(const struct id *id, const struct device *device) {
    return !id->unanswered
        && (id->device == device || (id->device == NULL && id->places != NULL && id->places->device == device));
}

static void hear_removal(const struct device *device) {
    for (struct id *id = ids; id != NULL; id = id->next) {
        if (is_concerned(id, device)) {
            add_event(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
        }
    }
}

__attribute__((constructor)) static void begin_to_hear(void) {
    hearing = (struct hearing){hear_established, hear_end, hear_requests, hear_removal};
}
