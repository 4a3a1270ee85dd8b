/* Shared receive queues. */
#include <stdlib.h>

#include "internal.h"

rddp_receive_queue *find_receive_queue(rddp_session *session, uint32_t number) {
    rddp_receive_queue *queue = find_object(&session->receive_queues, number);
    return queue != NULL && queue->number == number ? queue : NULL;
}

static void on_queue_created(struct pending *pending) {
    if (pending->reply.type == RECEIVE_QUEUE_CREATED) {
        rddp_receive_queue *queue = pending->argument;
        queue->number = get_u32(&pending->reply);
        add_object(&queue->session->receive_queues, queue->number, queue);
    }
}

int rddp_create_receive_queue(
    rddp_session *session, uint32_t size, uint32_t domain, rddp_receive_queue **queue) {
    rddp_receive_queue *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(RDDP_RESOURCES, "no memory for a receive queue");
    }
    made->session = session;
    made->size = size;
    struct message message;
    begin_message(&message, CREATE_RECEIVE_QUEUE);
    put_u32(&message, size);
    put_u32(&message, domain);
    struct pending pending = {.arrived = on_queue_created, .argument = made};
    int result = request(session, &message, RECEIVE_QUEUE_CREATED, 0, &pending);
    if (result != RDDP_OK) {
        free(made);
        return result;
    }
    *queue = made;
    return RDDP_OK;
}

int rddp_arm_receive_queue(rddp_receive_queue *queue, uint32_t limit) {
    struct message message;
    begin_message(&message, ARM_RECEIVE_QUEUE);
    put_u32(&message, queue->number);
    put_u32(&message, limit);
    atomic_store(&queue->limit_reached, false);
    return request_done(queue->session, &message);
}

bool rddp_take_receive_queue_limit(rddp_receive_queue *queue) {
    return atomic_exchange(&queue->limit_reached, false);
}

int end_receive_queue(rddp_receive_queue *queue) {
    struct message message;
    begin_message(&message, DESTROY_RECEIVE_QUEUE);
    put_u32(&message, queue->number);
    int result = request_done(queue->session, &message);
    return result == RDDP_LOST ? RDDP_OK : result;
}

void free_receive_queue(rddp_receive_queue *queue) {
    rddp_session *session = queue->session;
    pthread_mutex_lock(&session->lock);
    remove_object(&session->receive_queues, queue->number);
    pthread_mutex_unlock(&session->lock);
    free(queue);
}

int rddp_destroy_receive_queue(rddp_receive_queue *queue) {
    int result = end_receive_queue(queue);
    if (result == RDDP_OK) {
        free_receive_queue(queue);
    }
    return result;
}
