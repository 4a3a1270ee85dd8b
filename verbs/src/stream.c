/*
 * Streams: join a connection of librddp, a queue pair and an id of rdma_cm, and report to them what the daemon reports.
 */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"

#define END_TIMEOUT_MS 10000u
/* A peer's program that posts no receive for what it has been sent does not hear of the end behind that. */
#define ORDERLY_END_MS 1000u

/* Types of the Terminates of RFC 5040 section 4.8, in the details of reasons. */
#define RDMAP_REMOTE_PROTECTION 1u
#define DDP_TAGGED_BUFFER 1u

struct hearing hearing;

struct stream *new_stream(struct device *device, rddp_connection *connection, struct id *id) {
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream != NULL) {
        stream->device = device;
        stream->connection = connection;
        stream->id = id;
    }
    return stream;
}

/* ---- Ending connections ---- */

static struct stream *take_ending(struct device *device, enum wish *wish) {
    pthread_mutex_lock(&streams);
    struct stream *stream = device->ending;
    if (stream != NULL) {
        device->ending = stream->next_ending;
        stream->queued = false;
        *wish = stream->wish;
    }
    pthread_mutex_unlock(&streams);
    return stream;
}

/* Drops a connection that has ended or is no longer needed. */
static void forget_connection(struct stream *stream) {
    struct device *device = stream->device;
    spin_lock(&device->polling);
    drain(device);
    rddp_forget(stream->connection);
    spin_unlock(&device->polling);
}

void end_streams(struct device *device) {
    enum wish wish;
    pthread_mutex_lock(&device->disconnecting);
    for (struct stream *stream = take_ending(device, &wish); stream != NULL; stream = take_ending(device, &wish)) {
        if (wish == FREE) {
            forget_connection(stream);
            free(stream);
        } else if (!device->lost && stream->connection != NULL
            && rddp_disconnect(stream->connection, wish == END_GRACEFULLY) != RDDP_OK) {
            verbs_log("a connection does not end: %s", rddp_error());
        }
    }
    pthread_mutex_unlock(&device->disconnecting);
}

/* Cancels the noted end of a stream, and waits until no thread is asking the daemon for it. */
static void forget_wish(struct stream *stream) {
    struct device *device = stream->device;
    pthread_mutex_lock(&device->disconnecting);
    pthread_mutex_lock(&streams);
    struct stream **at = &device->ending;
    while (*at != NULL && *at != stream) {
        at = &(*at)->next_ending;
    }
    if (*at != NULL) {
        *at = stream->next_ending;
    }
    pthread_mutex_unlock(&streams);
    pthread_mutex_unlock(&device->disconnecting);
}

/* Ends the connection, and waits until the daemon has. In order, unless the peer takes too long for its part of that. */
static void end_now(struct stream *stream, bool graceful) {
    rddp_connection *connection = stream->connection;
    if (graceful) {
        (void)!rddp_disconnect(connection, true);
        graceful = rddp_await_closed(connection, ORDERLY_END_MS) == RDDP_OK;
    }
    if (!graceful && rddp_disconnect(connection, false) == RDDP_OK) {
        (void)!rddp_await_closed(connection, END_TIMEOUT_MS);
    }
}

void end_in_order(struct queue_pair *pair) {
    pthread_mutex_lock(&streams);
    struct stream *stream = pair->stream;
    pthread_mutex_unlock(&streams);
    if (stream != NULL) {
        end_now(stream, rddp_connection_state(stream->connection) == RDDP_ESTABLISHED);
    }
}

/* Frees a stream once neither a queue pair nor an id has it. */
static void free_stream(struct stream *stream) {
    struct device *device = stream->device;
    rddp_connection *connection = stream->connection;
    pthread_mutex_lock(&device->control);
    if (connection != NULL) {
        own_connection(connection, NULL);
    }
    forget_wish(stream);
    if (connection != NULL) {
        if (rddp_connection_state(connection) == RDDP_REQUESTED) {
            (void)!rddp_reject(connection, NULL, 0);
        } else {
            end_now(stream, false);
            forget_connection(stream);
        }
    }
    pthread_mutex_unlock(&device->control);
    free(stream);
}

/* ---- Joining and parting queue pairs and ids ---- */

int join_queue_pair(struct stream *stream, struct queue_pair *pair) {
    struct device *device = stream->device;
    int error = 0;
    spin_lock(&device->polling);
    spin_lock(&device->posting);
    if (pair->connection != NULL || stream->connection == NULL) {
        error = EINVAL;
    } else {
        pair->connection = stream->connection;
        rddp_attach(stream->connection, pair);
        pair->awaits_accept = rddp_connection_state(stream->connection) == RDDP_REQUESTED;
        if (!pair->awaits_accept) {
            post_early_receives(pair);
        }
    }
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
    if (error == 0) {
        pthread_mutex_lock(&streams);
        pair->stream = stream;
        stream->queue_pair = pair;
        if (!pair->by_number) {
            pair->ibv.state = stream->told_end ? IBV_QPS_ERR : stream->told_established ? IBV_QPS_RTS : pair->ibv.state;
        }
        pthread_mutex_unlock(&streams);
    }
    return error;
}

void accept_queue_pair(struct queue_pair *pair) {
    struct device *device = pair->device;
    spin_lock(&device->polling);
    spin_lock(&device->posting);
    pair->awaits_accept = false;
    post_early_receives(pair);
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
}

/* Nothing that the queue pair has posted is reported any more. */
static void detach(struct queue_pair *pair) {
    struct device *device = pair->device;
    spin_lock(&device->polling);
    drain(device);
    spin_lock(&device->posting);
    if (pair->connection != NULL) {
        rddp_attach(pair->connection, NULL);
        pair->connection = NULL;
        pair->awaits_accept = false;
    }
    spin_unlock(&device->posting);
    spin_unlock(&device->polling);
}

void part_queue_pair(struct queue_pair *pair) {
    pthread_mutex_lock(&streams);
    struct stream *stream = pair->stream;
    bool is_sound = stream != NULL && stream->wish != ABORT;
    pthread_mutex_unlock(&streams);
    if (stream == NULL) {
        return;
    }
    if (pair->by_number) {
        detach(pair);
    }
    if (stream->connection != NULL && rddp_connection_state(stream->connection) != RDDP_REQUESTED) {
        /* Programs that connect by number destroy a queue pair when its sends are reported: the peer must get them all. */
        end_now(stream, pair->by_number && is_sound && rddp_connection_state(stream->connection) == RDDP_ESTABLISHED);
    }
    detach(pair);
    pthread_mutex_lock(&streams);
    pair->stream = NULL;
    stream->queue_pair = NULL;
    bool last = stream->id == NULL;
    pthread_mutex_unlock(&streams);
    if (last) {
        free_stream(stream);
    }
}

void part_id(struct stream *stream) {
    pthread_mutex_lock(&streams);
    stream->id = NULL;
    bool last = stream->queue_pair == NULL;
    pthread_mutex_unlock(&streams);
    if (last) {
        free_stream(stream);
    }
}

/* ---- What the daemon reports ---- */

/* Whether the connection ended in an error, and by which event to report it. */
static bool is_error(const struct rddp_connection_info *info, enum ibv_event_type *type) {
    unsigned kind = (info->detail >> 8) & 0xfu;
    switch (info->reason) {
        case RDDP_RDMAP_ERROR:
            *type = kind == RDMAP_REMOTE_PROTECTION ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR;
            return true;
        case RDDP_DDP_ERROR:
            *type = kind == DDP_TAGGED_BUFFER ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR;
            return true;
        case RDDP_MPA_ERROR:
        case RDDP_TERMINATED: *type = IBV_EVENT_QP_FATAL; return true;
        default: return false;
    }
}

/* Reports changes of the connection's state to the queue pair and the id. */
static void tell_stream(void *owner) {
    struct stream *stream = owner;
    const struct rddp_connection_info *info = info_of(stream->connection);
    bool established = was_established(stream->connection);
    enum ibv_event_type type = IBV_EVENT_QP_FATAL;
    pthread_mutex_lock(&streams);
    struct queue_pair *pair = stream->queue_pair;
    if (established && !stream->told_established) {
        stream->told_established = true;
        if (pair != NULL && !pair->by_number && pair->ibv.state != IBV_QPS_ERR) {
            pair->ibv.state = IBV_QPS_RTS;
        }
        if (stream->id != NULL) {
            hearing.established(stream->id, info);
        }
    }
    if (info->peer_closed) {
        if (pair != NULL && pair->by_number && !pair->failed) {
            pair->peer_left = true;
        }
        want_end(stream, true);  /* as cards do: what the peer ends has ended in both directions */
    }
    if (info->state == RDDP_CLOSED && !stream->told_end) {
        stream->told_end = true;
        if (pair != NULL && !pair->peer_left) {
            pair->ibv.state = IBV_QPS_ERR;
            if (pair->by_number && info->reason == RDDP_REFUSED) {
                say_aside(info->text);
            }
            if (is_error(info, &type)) {
                add_asynchronous_event(pair->ibv.context, type, &pair->ibv);
            }
            if (pair->ibv.srq != NULL) {
                /* The daemon has completed the receive that the connection took. */
                add_asynchronous_event(pair->ibv.context, IBV_EVENT_QP_LAST_WQE_REACHED, &pair->ibv);
            }
        }
        if (stream->id != NULL) {
            hearing.end(stream->id, info, established);
        }
    }
    pthread_mutex_unlock(&streams);
}

static void report_loss(void *argument) {
    struct device *device = argument;
    atomic_store(&device->lost, true);
    pthread_mutex_lock(&streams);
    for (struct context *context = device->first_context; context != NULL; context = context->next) {
        add_asynchronous_event(&context->verbs.context, IBV_EVENT_DEVICE_FATAL, NULL);
    }
    hearing.removal(device);
    pthread_mutex_unlock(&streams);
    wake_device_thread(device);
}

static void tell_requests(void *owner) {
    pthread_mutex_lock(&streams);
    hearing.requests(owner);
    pthread_mutex_unlock(&streams);
}

static void report_limit(void *owner) {
    struct shared_queue *shared = owner;
    shared->limit = 0;  /* until the program arms it again */
    report_event(shared->ibv.context, IBV_EVENT_SRQ_LIMIT_REACHED, &shared->ibv);
}

const struct observer stream_observer = {tell_requests, report_limit, tell_stream, report_loss};
