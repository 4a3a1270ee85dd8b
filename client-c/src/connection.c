/* Connections. */
#include <stdio.h>
#include <stdlib.h>

#include "connection.h"

/* Longer wait for a connect than its own timeout. */
#define CONNECT_MARGIN_MS 5000u

rddp_connection *find_connection(rddp_session *session, uint32_t number) {
    rddp_connection *connection = find_object(&session->connections, number);
    return connection != NULL && connection->number == number ? connection : NULL;
}

bool add_connection(rddp_connection *connection) {
    return add_object(&connection->session->connections, connection->number, connection);
}

rddp_connection *new_connection(rddp_session *session, const struct rddp_connection_options *options) {
    rddp_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        fail(RDDP_RESOURCES, "no memory for a connection");
        return NULL;
    }
    connection->session = session;
    connection->plain_ddp = options->queue_count > 0;
    return connection;
}

void free_connection(rddp_connection *connection) {
    rddp_session *session = connection->session;
    pthread_mutex_lock(&session->lock);
    /* Another connection may already have its index. */
    if (find_connection(session, connection->number) == connection) {
        remove_object(&session->connections, connection->number);
    }
    pthread_mutex_unlock(&session->lock);
    free(connection);
}

void set_state(rddp_connection *connection, enum rddp_connection_state state) {
    connection->info.state = state;
    atomic_store_explicit(&connection->state, (int)state, memory_order_release);
}

void end_connection(rddp_connection *connection, int reason, uint32_t detail, const char *text) {
    if (connection->info.state == RDDP_CLOSED) {
        return;
    }
    connection->info.reason = reason;
    connection->info.detail = detail;
    snprintf(connection->info.text, sizeof connection->info.text, "%s", text);
    set_state(connection, RDDP_CLOSED);
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

int start_connecting(struct message *message, rddp_connection *made, rddp_connection **connection) {
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
    int result = check_options(&options);
    if (result == RDDP_OK) {
        result = check_private_data(private_length);
    }
    if (result != RDDP_OK) {
        return result;
    }
    rddp_connection *made = new_connection(session, options);
    if (made == NULL) {
        return RDDP_RESOURCES;
    }
    struct message message;
    begin_message(&message, CONNECT);
    put_ipv6(&message, &in6addr_any);
    put_ipv6(&message, address);
    put_u32(&message, port);
    put_u32(&message, timeout_ms == 0 ? 1 : timeout_ms);
    put_settings(&message, options);
    put_octets(&message, private_data, private_length);
    return start_connecting(&message, made, connection);
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
    begin_message(&message, DISCONNECT);
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
    if (rddp_connection_state(connection) != RDDP_CLOSED) {
        disconnect(connection, false);
    }
    free_connection(connection);
}
