/* What a library over librddp uses of its objects. */
#include "layer.h"

#include "internal.h"

/* ---- Events ---- */

void lock_session(rddp_session *session) {
    pthread_mutex_lock(&session->lock);
}

void unlock_session(rddp_session *session) {
    pthread_mutex_unlock(&session->lock);
}

void observe_session(rddp_session *session, const struct observer *observer, void *argument) {
    lock_session(session);
    session->observer = observer;
    session->observer_argument = argument;
    if (session->lost && observer != NULL) {
        observer->lost(argument);
    }
    unlock_session(session);
}

void own_connection(rddp_connection *connection, void *owner) {
    rddp_session *session = connection->session;
    lock_session(session);
    connection->owner = owner;
    if (session->observer != NULL && owner != NULL) {
        session->observer->changed(owner);
    }
    unlock_session(session);
}

void own_listener(rddp_listener *listener, void *owner) {
    rddp_session *session = listener->session;
    lock_session(session);
    listener->owner = owner;
    if (session->observer != NULL && owner != NULL) {
        session->observer->requested(owner);
    }
    unlock_session(session);
}

void own_receive_queue(rddp_receive_queue *queue, void *owner) {
    lock_session(queue->session);
    queue->owner = owner;
    unlock_session(queue->session);
}

bool has_request(const rddp_listener *listener) {
    return listener->first != NULL;
}

bool listens_at(rddp_session *session, uint16_t port) {
    lock_session(session);
    const rddp_listener *listener = session->listeners;
    while (listener != NULL && listener->port != port) {
        listener = listener->next;
    }
    unlock_session(session);
    return listener != NULL;
}

const struct rddp_connection_info *info_of(const rddp_connection *connection) {
    return &connection->info;
}

bool was_established(const rddp_connection *connection) {
    return connection->was_established;
}

/* ---- Completions and queues ---- */

void publish_completions(rddp_session *session) {
    publish_read(&session->rings);
}

bool await_completion(rddp_session *session) {
    return request_signal(&session->rings);
}

struct queue_count *sends_of(rddp_connection *connection) {
    return &connection->sends;
}

struct queue_count *receives_of(rddp_connection *connection) {
    return &connection->receives;
}

uint32_t number_of_queue(const rddp_receive_queue *queue) {
    return queue->number;
}
