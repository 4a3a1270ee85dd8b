/* Events of connections, requests and receive queues, on the session's thread with its lock held. */
#include <stdlib.h>
#include <string.h>

#include "connection.h"

static void tell_changed(const rddp_session *session, const rddp_connection *connection) {
    if (session->observer != NULL && connection->owner != NULL) {
        session->observer->changed(connection->owner);
    }
}

static void get_addresses(struct message *event, struct rddp_connection_info *info) {
    info->local_ipv6 = get_ipv6(event);
    info->local_address = unmapped(&info->local_ipv6);
    info->local_port = (uint16_t)get_u32(event);
    info->remote_ipv6 = get_ipv6(event);
    info->remote_address = unmapped(&info->remote_ipv6);
    info->remote_port = (uint16_t)get_u32(event);
}

static void get_startup(struct message *event, struct rddp_startup *startup) {
    startup->revision = get_u32(event);
    startup->peer_to_peer = get_bool(event);
    startup->peer_ird = get_u32(event);
    startup->peer_ord = get_u32(event);
    startup->ird = get_u32(event);
    startup->ord = get_u32(event);
    startup->send_with_immediate = get_bool(event);
}

static void get_private_data(struct message *event, struct rddp_connection_info *info) {
    uint8_t octets[RDDP_MAX_PRIVATE_DATA];
    size_t length = get_octets(event, octets, sizeof octets);
    /* The reply's private data; the request's stay if the reply has none. */
    if (length > 0) {
        memcpy(info->private_data, octets, length);
        info->private_length = length;
    }
}

static void on_requested(rddp_session *session, struct message *event) {
    rddp_listener *listener = session->listeners;
    uint32_t number = get_u32(event);
    while (listener != NULL && listener->number != number) {
        listener = listener->next;
    }
    if (listener == NULL) {
        return;  /* the listener is being closed, which rejects the request */
    }
    rddp_connection *connection = new_connection(session, &listener->options);
    if (connection == NULL) {
        return;  /* the peer gets no answer until its time is over */
    }
    connection->number = get_u32(event);
    get_addresses(event, &connection->info);
    get_startup(event, &connection->info.startup);
    get_private_data(event, &connection->info);
    set_state(connection, RDDP_REQUESTED);
    add_request(listener, connection);
    if (session->observer != NULL && listener->owner != NULL) {
        session->observer->requested(listener->owner);
    }
}

static void on_established(rddp_connection *connection, struct message *event) {
    get_addresses(event, &connection->info);
    get_startup(event, &connection->info.startup);
    get_private_data(event, &connection->info);
    connection->was_established = true;
    set_state(connection, RDDP_ESTABLISHED);
}

static void on_rejected(rddp_connection *connection, struct message *event) {
    get_startup(event, &connection->info.startup);
    get_private_data(event, &connection->info);
    end_connection(connection, RDDP_REFUSED, 0, "rejected by the peer");
}

static void on_ended(rddp_connection *connection, struct message *event) {
    int reason = (int)get_u32(event);
    uint32_t detail = get_u32(event);
    char text[256];
    get_text(event, text, sizeof text);
    end_connection(connection, reason, detail, text);
}

static void on_stream_failed(rddp_connection *connection, struct message *event) {
    char header[256];
    connection->info.reason = (int)get_u32(event);
    connection->info.detail = get_u32(event);
    get_text(event, header, sizeof header);
    get_u32(event);
    get_text(event, connection->info.text, sizeof connection->info.text);
    set_state(connection, RDDP_STREAM_FAILED);
}

static void on_limit(rddp_session *session, uint32_t number) {
    rddp_receive_queue *queue = find_receive_queue(session, number);
    if (queue == NULL) {
        return;
    }
    atomic_store(&queue->limit_reached, true);
    if (session->observer != NULL && queue->owner != NULL) {
        session->observer->limit_reached(queue->owner);
    }
}

void handle_event(rddp_session *session, struct message *event) {
    if (event->type == CONNECTION_REQUESTED) {
        on_requested(session, event);
        return;
    }
    uint32_t number = get_u32(event);
    if (event->type == RECEIVE_QUEUE_LIMIT) {
        on_limit(session, number);
        return;
    }
    rddp_connection *connection = find_connection(session, number);
    if (connection == NULL) {
        if (event->type == FAILED) {
            drop_request(session, number);
        }
        return;
    }
    switch (event->type) {
        case ESTABLISHED: on_established(connection, event); break;
        case REJECTED: on_rejected(connection, event); break;
        case FAILED:
        case CLOSED: on_ended(connection, event); break;
        case PEER_CLOSED: connection->info.peer_closed = true; break;
        case STREAM_FAILED: on_stream_failed(connection, event); break;
        default: return;  /* of a later version, for information only */
    }
    tell_changed(session, connection);
}

static void end_lost(void *object, void *argument) {
    rddp_session *session = argument;
    rddp_connection *connection = object;
    if (connection->info.state != RDDP_CLOSED) {
        end_connection(connection, RDDP_STOPPING, 0, session->why_lost);
        tell_changed(session, connection);
    }
}

void end_connections(rddp_session *session) {
    for_each_object(&session->connections, end_lost, session);
    for (rddp_listener *listener = session->listeners; listener != NULL; listener = listener->next) {
        free_requests(listener);
    }
    if (session->observer != NULL) {
        session->observer->lost(session->observer_argument);
    }
}
