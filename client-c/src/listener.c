/* Listeners and connection requests. */
#include <stdlib.h>

#include "connection.h"

#define ACCEPT_TIMEOUT_MS 10000u

void add_request(rddp_listener *listener, rddp_connection *request) {
    if (listener->last == NULL) {
        listener->first = request;
    } else {
        listener->last->next_request = request;
    }
    listener->last = request;
}

void drop_request(rddp_session *session, uint32_t number) {
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

void free_requests(rddp_listener *listener) {
    while (listener->first != NULL) {
        rddp_connection *request = listener->first;
        listener->first = request->next_request;
        free(request);
    }
    listener->last = NULL;
}

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
    int result = check_options(&options);
    if (result != RDDP_OK) {
        return result;
    }
    rddp_listener *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(RDDP_RESOURCES, "no memory for a listener");
    }
    made->session = session;
    made->options = *options;
    made->options.queues = NULL;
    struct message message;
    begin_message(&message, LISTEN);
    put_ipv6(&message, address);
    put_u32(&message, port);
    put_u32(&message, backlog);
    put_settings(&message, options);
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

rddp_connection *take_request(rddp_listener *listener, void *owner) {
    while (listener->first != NULL) {
        rddp_connection *connection = listener->first;
        listener->first = connection->next_request;
        if (listener->first == NULL) {
            listener->last = NULL;
        }
        connection->next_request = NULL;
        if (add_connection(connection)) {
            connection->owner = owner;
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
    rddp_connection *taken = take_request(listener, NULL);
    while (taken == NULL && in_time && !session->lost) {
        in_time = wait_changed(session, deadline);
        taken = take_request(listener, NULL);
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
    begin_message(&message, ACCEPT);
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
    int result = check_private_data(private_length);
    if (result == RDDP_OK) {
        struct message message;
        begin_message(&message, REJECT);
        put_u32(&message, connection->number);
        put_octets(&message, private_data, private_length);
        result = request_done(connection->session, &message);
    }
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        rddp_forget(connection);
        restore_error(&saved);
        return result;
    }
    free_connection(connection);
    return RDDP_OK;
}

void rddp_close_listener(rddp_listener *listener) {
    if (listener == NULL) {
        return;
    }
    rddp_session *session = listener->session;
    struct message message;
    begin_message(&message, CLOSE_LISTENER);
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
