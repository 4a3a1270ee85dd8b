/*
 * What a library over librddp uses of it beside rddp.h, as librddp-verbs does: events told to an observer, completions taken one by
 * one, and requests counted.
 */
#ifndef RDDP_LAYER_H
#define RDDP_LAYER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rddp.h"

/* A signal that the threads of sessions do not block, by which the library stops them; 0: none. */
extern int unblocked_signal;

/* ---- Events ---- */

/*
 * Called with the session's lock held, after an event has changed the object. Objects without an owner are passed over. All but
 * `lost` are called on the session's thread.
 */
struct observer {
    void (*requested)(void *listener_owner);
    void (*limit_reached)(void *receive_queue_owner);
    void (*changed)(void *connection_owner);
    void (*lost)(void *argument);  /* after `changed` of all connections; on any thread */
};

/* Sets the observer, or none, and tells it at once if the session is lost. */
void observe_session(rddp_session *session, const struct observer *observer, void *argument);

/* Sets an owner, or none. The observer is told at once: a connection may have changed, and requests may have come before. */
void own_connection(rddp_connection *connection, void *owner);
void own_listener(rddp_listener *listener, void *owner);
void own_receive_queue(rddp_receive_queue *queue, void *owner);

void lock_session(rddp_session *session);
void unlock_session(rddp_session *session);

/* Whether requests wait at a listener; with the lock held. */
bool has_request(const rddp_listener *listener);
/* Takes the first of them, and gives it an owner; NULL if there is none. With the lock held. */
rddp_connection *take_request(rddp_listener *listener, void *owner);

/* Whether the session has a listener at a port. */
bool listens_at(rddp_session *session, uint16_t port);

/* What a connection's events have said so far; the program's thread needs the lock for what may still change. */
const struct rddp_connection_info *info_of(const rddp_connection *connection);
bool was_established(const rddp_connection *connection);

/* ---- Completions ---- */

/*
 * Copies the next completion, and counts the requests that it retires; false if there is none. For the thread that
 * polls, which calls publish_completions() after the last one.
 */
bool take_completion(rddp_session *session, struct rddp_completion *completion);
void publish_completions(rddp_session *session);

/* Asks for rddp_descriptor() to become readable at the next completion; false if there is one already. */
bool await_completion(rddp_session *session);
/* Clears what has made it readable. For the thread that polls. */
void clear_events(rddp_session *session);

/* ---- Queues ---- */

/* Requests of a queue, counted by the thread that posts and the thread that polls. */
struct queue_count {
    uint32_t posted;
    _Atomic uint32_t retired;
};

/* Requests that are posted and not retired, for the thread that posts. */
static inline uint32_t outstanding(const struct queue_count *count) {
    return count->posted - atomic_load_explicit(&count->retired, memory_order_acquire);
}

struct queue_count *sends_of(rddp_connection *connection);
struct queue_count *receives_of(rddp_connection *connection);

uint32_t number_of_queue(const rddp_receive_queue *queue);

/* The two halves of rddp_destroy_receive_queue(): any thread may call the first, the second is for the thread that polls. */
int end_receive_queue(rddp_receive_queue *queue);
void free_receive_queue(rddp_receive_queue *queue);

#endif
