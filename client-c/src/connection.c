/* Connections and listeners. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define NANOS_PER_MS 1000000u

/* Longer wait for a connect than its own timeout. */
#define CONNECT_MARGIN_MS 5000u
#define ACCEPT_TIMEOUT_MS 10000u

rddp_connection *find_connection(rddp_session *session, uint32_t number) {
    rddp_connection *connection = find_object(&session->connections, number);
    return connection != NULL && connection->number == number ? connection : NULL;
}

static bool add_connection(rddp_connection *connection) {
    return add_object(&connection->session->connections, connection->number, connection);
}

/* Another connection may already have its index. */
static void remove_connection(rddp_connection *connection) {
    if (find_connection(connection->session, connection->number) == connection) {
        remove_object(&connection->session->connections, connection->number);
    }
}

/* ---- Events, on the session's thread with its lock held ---- */

static void notify(rddp_session *session, unsigned type, void *object) {
    if (session->observer != NULL) {
        session->observer(session->observer_argument, type, object);
    }
}

static void set_state(rddp_connection *connection, enum rddp_connection_state state) {
    connection->info.state = state;
    atomic_store_explicit(&connection->state, (int)state, memory_order_release);
}

static void end_connection(rddp_connection *connection, int reason, uint32_t detail, const char *text) {
    if (connection->info.state == RDDP_CLOSED) {
        return;
    }
    connection->info.reason = reason;
    connection->info.detail = detail;
    snprintf(connection->info.text, sizeof connection->info.text, "%s", text);
    set_state(connection, RDDP_CLOSED);
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
    startup->send_immediate = get_bool(event);
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

static rddp_connection *new_connection(rddp_session *session, const struct rddp_connection_options *options) {
    rddp_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        fail(RDDP_RESOURCES, "no memory for a connection");
        return NULL;
    }
    connection->session = session;
    if (options != NULL) {
        connection->plain_ddp = options->queue_count > 0;
    }
    return connection;
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
    if (listener->last == NULL) {
        listener->first = connection;
    } else {
        listener->last->next_request = connection;
    }
    listener->last = connection;
    notify(session, CONNECTION_REQUESTED, listener);
}

/* Drops an ended request that the program has not taken. */
static void drop_request(rddp_session *session, uint32_t number) {
    for (rddp_listener *listener = session->listeners; listener != NULL; listener = listener->next) {
        rddp_connection *before = NULL, *request = listener->first;
        while (request != NULL && request->number != number) {
            before = request;
            request = request->next_request;
        }
        if (request != NULL) {
            *(before == NULL ? &listener->first : &before->next_request) = request->next_request;
            if (listener->last == request) {
                listener->last = before;
            }
            free(request);
            return;
        }
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
    if (queue != NULL) {
        atomic_store(&queue->limit_reached, true);
        notify(session, RECEIVE_QUEUE_LIMIT, queue);
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
    notify(session, event->type, connection);
}

static void end_lost(void *object, void *argument) {
    rddp_session *session = argument;
    rddp_connection *connection = object;
    if (connection->info.state != RDDP_CLOSED) {
        end_connection(connection, RDDP_STOPPING, 0, session->why_lost);
        notify(session, CLOSED, connection);
    }
}

static void free_requests(rddp_listener *listener) {
    while (listener->first != NULL) {
        rddp_connection *request = listener->first;
        listener->first = request->next_request;
        free(request);
    }
    listener->last = NULL;
}

void end_connections(rddp_session *session) {
    for_each_object(&session->connections, end_lost, session);
    for (rddp_listener *listener = session->listeners; listener != NULL; listener = listener->next) {
        free_requests(listener);
    }
    notify(session, 0, NULL);
}

/* ---- Connections ---- */

static int check_options(const struct rddp_connection_options *options) {
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
    return RDDP_OK;
}

/* Flags of a connection's settings. */
#define ACKNOWLEDGED 1U
#define SEND_IMMEDIATE 2U

static void put_settings(struct message *message, const struct rddp_connection_options *options) {
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
    put_u32(message, (options->acknowledged ? ACKNOWLEDGED : 0) | (options->send_immediate ? SEND_IMMEDIATE : 0));
    put_u32(message, options->withheld_rights);
}

static const struct rddp_connection_options DEFAULTS = RDDP_CONNECTION_DEFAULTS;

static int check_private_data(size_t length) {
    return length <= RDDP_MAX_PRIVATE_DATA
        ? RDDP_OK
        : fail(RDDP_INVALID, "private data of %zu octets, at most %d", length, RDDP_MAX_PRIVATE_DATA);
}

/* Sets the connection's number before an event names it. */
static void on_connecting(struct pending *pending) {
    if (pending->reply.type == CONNECTING) {
        rddp_connection *connection = pending->argument;
        connection->number = get_u32(&pending->reply);
        if (!add_connection(connection)) {
            end_connection(connection, RDDP_RESOURCES, 0, "no memory for a connection");
        }
    }
}

/* Asks for a connection, which has its number then; frees it if it is refused. */
static int start_connecting(struct message *message, rddp_connection *made, rddp_connection **connection) {
    set_state(made, RDDP_CONNECTING);
    struct pending pending = {.arrived = on_connecting, .argument = made};
    int result = request(made->session, message, CONNECTING, 0, &pending);
    if (result != RDDP_OK) {
        free(made);
        return result;
    }
    *connection = made;
    return RDDP_OK;
}

int rddp_start_connect(rddp_session *session, uint32_t address, uint16_t port, const void *private_data,
    size_t private_length, unsigned timeout_ms, const struct rddp_connection_options *options,
    rddp_connection **connection) {
    struct in6_addr to = mapped(address);
    return rddp_start_connect_ipv6(
        session, &to, port, private_data, private_length, timeout_ms, options, connection);
}

int rddp_start_connect_ipv6(rddp_session *session, const struct in6_addr *address, uint16_t port,
    const void *private_data, size_t private_length, unsigned timeout_ms,
    const struct rddp_connection_options *options, rddp_connection **connection) {
    const struct rddp_connection_options *chosen = options == NULL ? &DEFAULTS : options;
    int result = check_options(chosen);
    if (result == RDDP_OK) {
        result = check_private_data(private_length);
    }
    if (result != RDDP_OK) {
        return result;
    }
    rddp_connection *made = new_connection(session, chosen);
    if (made == NULL) {
        return RDDP_RESOURCES;
    }
    struct message message;
    begin(&message, CONNECT);
    put_ipv6(&message, &in6addr_any);
    put_ipv6(&message, address);
    put_u32(&message, port);
    put_u32(&message, timeout_ms == 0 ? 1 : timeout_ms);
    put_settings(&message, chosen);
    put_octets(&message, private_data, private_length);
    return start_connecting(&message, made, connection);
}

int rddp_create_number(rddp_session *session, uint32_t *number) {
    struct message message;
    begin(&message, CREATE_NUMBER);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, NUMBER_CREATED, 0, &pending);
    if (result == RDDP_OK) {
        *number = get_u32(&pending.reply);
    }
    return result;
}

int rddp_free_number(rddp_session *session, uint32_t number) {
    struct message message;
    begin(&message, FREE_NUMBER);
    put_u32(&message, number);
    return request_done(session, &message);
}

int rddp_expect(rddp_session *session, const struct rddp_expectation *expectation,
    const struct rddp_connection_options *options, rddp_connection **connection) {
    const struct rddp_connection_options *chosen = options == NULL ? &DEFAULTS : options;
    int result = check_options(chosen);
    if (result != RDDP_OK) {
        return result;
    }
    rddp_connection *made = new_connection(session, chosen);
    if (made == NULL) {
        return RDDP_RESOURCES;
    }
    struct message message;
    begin(&message, EXPECT);
    put_u32(&message, expectation->number);
    put_ipv6(&message, &expectation->local);
    put_u32(&message, expectation->remote_number);
    put_ipv6(&message, &expectation->remote);
    put_u32(&message, expectation->psn);
    put_u32(&message, expectation->remote_psn);
    put_u32(&message, expectation->timeout_ms);
    put_settings(&message, chosen);
    return start_connecting(&message, made, connection);
}

int rddp_expect_psn(rddp_connection *connection, uint32_t psn, uint32_t timeout_ms) {
    struct message message;
    begin(&message, EXPECT_PSN);
    put_u32(&message, connection->number);
    put_u32(&message, psn);
    put_u32(&message, timeout_ms);
    return request_done(connection->session, &message);
}

/* Waits until a connection is past the states before `state`. */
static bool await_state(rddp_connection *connection, enum rddp_connection_state state, unsigned timeout_ms) {
    rddp_session *session = connection->session;
    uint64_t deadline = deadline_after((uint64_t)timeout_ms * NANOS_PER_MS);
    bool in_time = true;
    pthread_mutex_lock(&session->lock);
    while (connection->info.state < state && in_time) {
        in_time = wait_changed(session, deadline);
    }
    bool reached = connection->info.state >= state;
    pthread_mutex_unlock(&session->lock);
    return reached;
}

int rddp_await_established(rddp_connection *connection, unsigned timeout_ms) {
    if (!await_state(connection, RDDP_ESTABLISHED, timeout_ms)) {
        return fail(RDDP_TIMEOUT, "the connection is not established yet");
    }
    if (rddp_connection_state(connection) != RDDP_CLOSED) {
        return RDDP_OK;
    }
    struct rddp_connection_info info;
    rddp_connection_info(connection, &info);
    return fail(info.reason, "the connection failed: %s", info.text);
}

int rddp_connect(rddp_session *session, uint32_t address, uint16_t port, const void *private_data,
    size_t private_length, unsigned timeout_ms, const struct rddp_connection_options *options,
    rddp_connection **connection, struct rddp_connection_info *info) {
    struct in6_addr to = mapped(address);
    return rddp_connect_ipv6(
        session, &to, port, private_data, private_length, timeout_ms, options, connection, info);
}

int rddp_connect_ipv6(rddp_session *session, const struct in6_addr *address, uint16_t port, const void *private_data,
    size_t private_length, unsigned timeout_ms, const struct rddp_connection_options *options,
    rddp_connection **connection, struct rddp_connection_info *info) {
    rddp_connection *made;
    int result = rddp_start_connect_ipv6(
        session, address, port, private_data, private_length, timeout_ms, options, &made);
    if (result != RDDP_OK) {
        return result;
    }
    result = rddp_await_established(made, timeout_ms + CONNECT_MARGIN_MS);
    if (info != NULL) {
        rddp_connection_info(made, info);
    }
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        rddp_forget(made);
        restore_error(&saved);
        return result;
    }
    *connection = made;
    return RDDP_OK;
}

void rddp_connection_info(const rddp_connection *connection, struct rddp_connection_info *info) {
    pthread_mutex_lock(&connection->session->lock);
    *info = connection->info;
    pthread_mutex_unlock(&connection->session->lock);
}

enum rddp_connection_state rddp_connection_state(const rddp_connection *connection) {
    return (enum rddp_connection_state)atomic_load_explicit(&connection->state, memory_order_acquire);
}

void rddp_attach(rddp_connection *connection, void *attachment) {
    connection->attachment = attachment;
}

void *rddp_attachment(const rddp_connection *connection) {
    return connection->attachment;
}

static int disconnect(rddp_connection *connection, bool graceful) {
    if (rddp_connection_state(connection) == RDDP_CLOSED) {
        return RDDP_OK;
    }
    struct message message;
    begin(&message, DISCONNECT);
    put_u32(&message, connection->number);
    put_bool(&message, graceful);
    int result = request_done(connection->session, &message);
    /* It has ended in the meantime. */
    return result == RDDP_NOT_FOUND ? RDDP_OK : result;
}

int rddp_disconnect(rddp_connection *connection, bool graceful) {
    return disconnect(connection, graceful);
}

int rddp_await_closed(rddp_connection *connection, unsigned timeout_ms) {
    return await_state(connection, RDDP_CLOSED, timeout_ms)
        ? RDDP_OK
        : fail(RDDP_TIMEOUT, "the connection has not ended yet");
}

void rddp_forget(rddp_connection *connection) {
    if (connection == NULL) {
        return;
    }
    rddp_session *session = connection->session;
    if (rddp_connection_state(connection) != RDDP_CLOSED) {
        disconnect(connection, false);
    }
    pthread_mutex_lock(&session->lock);
    remove_connection(connection);
    pthread_mutex_unlock(&session->lock);
    free(connection);
}

/* ---- Listeners ---- */

static void on_listening(struct pending *pending) {
    if (pending->reply.type == LISTENING) {
        rddp_listener *listener = pending->argument;
        listener->number = get_u32(&pending->reply);
        get_address(&pending->reply);
        listener->port = (uint16_t)get_u32(&pending->reply);
        listener->next = listener->session->listeners;
        listener->session->listeners = listener;
    }
}

int rddp_listen(rddp_session *session, uint16_t port, uint32_t backlog, const struct rddp_connection_options *options,
    rddp_listener **listener) {
    struct in6_addr any_ipv4 = mapped(0);
    return rddp_listen_ipv6(session, &any_ipv4, port, backlog, options, listener);
}

int rddp_listen_ipv6(rddp_session *session, const struct in6_addr *address, uint16_t port, uint32_t backlog,
    const struct rddp_connection_options *options, rddp_listener **listener) {
    const struct rddp_connection_options *chosen = options == NULL ? &DEFAULTS : options;
    int result = check_options(chosen);
    if (result != RDDP_OK) {
        return result;
    }
    rddp_listener *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(RDDP_RESOURCES, "no memory for a listener");
    }
    made->session = session;
    made->options = *chosen;
    made->options.queues = NULL;
    struct message message;
    begin(&message, LISTEN);
    put_ipv6(&message, address);
    put_u32(&message, port);
    put_u32(&message, backlog);
    put_settings(&message, chosen);
    struct pending pending = {.arrived = on_listening, .argument = made};
    result = request(session, &message, LISTENING, 0, &pending);
    if (result != RDDP_OK) {
        free(made);
        return result;
    }
    *listener = made;
    return RDDP_OK;
}

uint16_t rddp_listener_port(const rddp_listener *listener) {
    return listener->port;
}

rddp_connection *take_request(rddp_listener *listener) {
    while (listener->first != NULL) {
        rddp_connection *connection = listener->first;
        listener->first = connection->next_request;
        if (listener->first == NULL) {
            listener->last = NULL;
        }
        connection->next_request = NULL;
        if (add_connection(connection)) {
            return connection;
        }
        free(connection);  /* the peer gets no answer until its time is over */
    }
    return NULL;
}

int rddp_next_request(rddp_listener *listener, unsigned timeout_ms, rddp_connection **connection) {
    rddp_session *session = listener->session;
    uint64_t deadline = deadline_after((uint64_t)timeout_ms * NANOS_PER_MS);
    bool in_time = true;
    pthread_mutex_lock(&session->lock);
    rddp_connection *taken = take_request(listener);
    while (taken == NULL && in_time && !session->lost) {
        in_time = wait_changed(session, deadline);
        taken = take_request(listener);
    }
    pthread_mutex_unlock(&session->lock);
    if (taken != NULL) {
        *connection = taken;
        return RDDP_OK;
    }
    return session->lost ? fail_lost(session) : fail(RDDP_TIMEOUT, "no connection request has come");
}

static const struct rddp_accept_options ACCEPT_DEFAULTS = RDDP_ACCEPT_DEFAULTS;

int rddp_start_accept(rddp_connection *connection, const void *private_data, size_t private_length,
    const struct rddp_accept_options *options) {
    const struct rddp_accept_options *chosen = options == NULL ? &ACCEPT_DEFAULTS : options;
    int result = check_private_data(private_length);
    if (result != RDDP_OK) {
        return result;
    }
    struct message message;
    begin(&message, ACCEPT);
    put_u32(&message, connection->number);
    put_u32(&message, chosen->receive_queue == NULL ? 0 : chosen->receive_queue->number);
    put_u32(&message, chosen->ird);
    put_u32(&message, chosen->ord);
    put_u32(&message, chosen->domain);
    put_octets(&message, private_data, private_length);
    return request_done(connection->session, &message);
}

int rddp_accept(rddp_connection *connection, const void *private_data, size_t private_length,
    const struct rddp_accept_options *options) {
    int result = rddp_start_accept(connection, private_data, private_length, options);
    return result == RDDP_OK ? rddp_await_established(connection, ACCEPT_TIMEOUT_MS) : result;
}

int rddp_reject(rddp_connection *connection, const void *private_data, size_t private_length) {
    rddp_session *session = connection->session;
    int result = check_private_data(private_length);
    if (result == RDDP_OK) {
        struct message message;
        begin(&message, REJECT);
        put_u32(&message, connection->number);
        put_octets(&message, private_data, private_length);
        result = request_done(session, &message);
    }
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        rddp_forget(connection);
        restore_error(&saved);
        return result;
    }
    pthread_mutex_lock(&session->lock);
    remove_connection(connection);
    pthread_mutex_unlock(&session->lock);
    free(connection);
    return RDDP_OK;
}

void rddp_close_listener(rddp_listener *listener) {
    if (listener == NULL) {
        return;
    }
    rddp_session *session = listener->session;
    struct message message;
    begin(&message, CLOSE_LISTENER);
    put_u32(&message, listener->number);
    request_done(session, &message);
    pthread_mutex_lock(&session->lock);
    rddp_listener **at = &session->listeners;
    while (*at != listener) {
        at = &(*at)->next;
    }
    *at = listener->next;
    free_requests(listener);
    pthread_mutex_unlock(&session->lock);
    free(listener);
}

void free_listeners(rddp_session *session) {
    while (session->listeners != NULL) {
        rddp_listener *listener = session->listeners;
        session->listeners = listener->next;
        free_requests(listener);
        free(listener);
    }
}
