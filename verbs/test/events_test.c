/* Events of objects that are destroyed before, or while, the program takes them. The argument is the daemon's socket. */
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "peer.h"

#define ROUNDS 100
#define EVENTS 16

static struct ibv_context *context;
static struct ibv_pd *domain;

static bool is_readable(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    CHECK(poll(&polled, 1, 0) >= 0);
    return (polled.revents & POLLIN) != 0;
}

static struct ibv_qp *create_queue_pair(struct ibv_cq *cq, struct ibv_srq *shared) {
    struct ibv_qp_init_attr wanted = {.send_cq = cq, .recv_cq = cq, .srq = shared, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1}};
    struct ibv_qp *pair = ibv_create_qp(domain, &wanted);
    CHECK(pair != NULL);
    return pair;
}

/* All that is posted is flushed; with a shared receive queue there is an event of the last receive. */
static void fail(struct ibv_qp *pair) {
    struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_ERR};
    CHECK(ibv_modify_qp(pair, &attributes, IBV_QP_STATE) == 0);
}

/* ---- Asynchronous events ---- */

struct shared {
    struct ibv_cq *cq;
    struct ibv_srq *srq;
};

static struct shared create_shared(void) {
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = 1, .max_sge = 1}};
    struct shared made = {.cq = ibv_create_cq(context, 1, NULL, NULL, 0), .srq = ibv_create_srq(domain, &wanted)};
    CHECK(made.cq != NULL && made.srq != NULL);
    return made;
}

static void destroy_shared(struct shared *shared) {
    CHECK(ibv_destroy_srq(shared->srq) == 0 && ibv_destroy_cq(shared->cq) == 0);
}

static void should_leave_no_count_of_asynchronous_events(void) {
    struct shared shared = create_shared();
    struct ibv_qp *first = create_queue_pair(shared.cq, shared.srq), *second = create_queue_pair(shared.cq, shared.srq);
    fail(first);
    fail(second);
    CHECK(is_readable(context->async_fd));
    CHECK(ibv_destroy_qp(first) == 0);
    struct ibv_async_event event;
    CHECK(ibv_get_async_event(context, &event) == 0 && event.element.qp == second);
    CHECK(!is_readable(context->async_fd));
    ibv_ack_async_event(&event);
    CHECK(ibv_destroy_qp(second) == 0);
    destroy_shared(&shared);
}

/* Lets another thread take events, by a function that returns whether there was one, while this one destroys objects. */
struct taker {
    bool (*take)(void *argument);
    void *argument;
    sem_t round;
    atomic_bool ends;
    pthread_t thread;
};

static void *take_events(void *argument) {
    struct taker *taker = argument;
    while (!atomic_load(&taker->ends)) {
        while (taker->take(taker->argument)) {
        }
        CHECK(sem_wait(&taker->round) == 0);
    }
    return NULL;
}

static void start_taker(struct taker *taker, int descriptor) {
    CHECK(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0);
    CHECK(sem_init(&taker->round, 0, 0) == 0);
    CHECK(pthread_create(&taker->thread, NULL, take_events, taker) == 0);
}

static void end_taker(struct taker *taker, int descriptor) {
    atomic_store(&taker->ends, true);
    CHECK(sem_post(&taker->round) == 0);
    CHECK(pthread_join(taker->thread, NULL) == 0);
    CHECK(sem_destroy(&taker->round) == 0);
    CHECK(!is_readable(descriptor));
    CHECK(fcntl(descriptor, F_SETFL, 0) == 0);
}

static bool take_asynchronous_event(void *argument) {
    struct ibv_async_event event;
    if (ibv_get_async_event(argument, &event) != 0) {
        return false;
    }
    ibv_ack_async_event(&event);
    return true;
}

static void should_keep_objects_whose_asynchronous_events_are_taken(void) {
    struct shared shared = create_shared();
    struct taker taker = {.take = take_asynchronous_event, .argument = context};
    start_taker(&taker, context->async_fd);
    for (int i = 0; i < ROUNDS; i++) {
        struct ibv_qp *pairs[EVENTS];
        for (int j = 0; j < EVENTS; j++) {
            pairs[j] = create_queue_pair(shared.cq, shared.srq);
            fail(pairs[j]);
        }
        CHECK(sem_post(&taker.round) == 0);
        for (int j = 0; j < EVENTS; j++) {
            CHECK(ibv_destroy_qp(pairs[j]) == 0);
        }
    }
    end_taker(&taker, context->async_fd);
    destroy_shared(&shared);
}

/* ---- Events of completion queues ---- */

/* A completion queue with an event: a receive of a queue pair has been flushed. */
static struct ibv_cq *create_queue_with_event(struct ibv_comp_channel *channel) {
    struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, channel, 0);
    CHECK(cq != NULL && ibv_req_notify_cq(cq, 0) == 0);
    struct ibv_qp *pair = create_queue_pair(cq, NULL);
    struct ibv_recv_wr work = {.num_sge = 0}, *bad;
    CHECK(ibv_post_recv(pair, &work, &bad) == 0);
    fail(pair);
    CHECK(ibv_destroy_qp(pair) == 0);
    return cq;
}

static void should_leave_no_count_of_completion_events(void) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct ibv_cq *first = create_queue_with_event(channel), *second = create_queue_with_event(channel), *taken;
    void *program;
    CHECK(ibv_destroy_cq(first) == 0);
    CHECK(ibv_get_cq_event(channel, &taken, &program) == 0 && taken == second);
    CHECK(!is_readable(channel->fd));
    ibv_ack_cq_events(second, 1);
    CHECK(ibv_destroy_cq(second) == 0);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

static bool take_completion_event(void *argument) {
    struct ibv_cq *cq;
    void *program;
    if (ibv_get_cq_event(argument, &cq, &program) != 0) {
        return false;
    }
    ibv_ack_cq_events(cq, 1);
    return true;
}

static void should_keep_queues_whose_completion_events_are_taken(void) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct taker taker = {.take = take_completion_event, .argument = channel};
    start_taker(&taker, channel->fd);
    for (int i = 0; i < ROUNDS; i++) {
        struct ibv_cq *queues[EVENTS];
        for (int j = 0; j < EVENTS; j++) {
            queues[j] = create_queue_with_event(channel);
        }
        CHECK(sem_post(&taker.round) == 0);
        for (int j = 0; j < EVENTS; j++) {
            CHECK(ibv_destroy_cq(queues[j]) == 0);
        }
    }
    end_taker(&taker, channel->fd);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

/* ---- Events of the connection manager ---- */

/* An id with an event that nobody has taken. */
static struct rdma_cm_id *create_id_with_event(struct rdma_event_channel *events) {
    struct rdma_cm_id *id;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT_OF_PEER)};
    inet_pton(AF_INET, ADDRESS_OF_PEER, &to.sin_addr);
    CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 2000) == 0);
    return id;
}

static void should_leave_no_count_of_an_id(void) {
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct rdma_cm_id *first = create_id_with_event(events), *second = create_id_with_event(events);
    CHECK(rdma_destroy_id(first) == 0);
    await_event(events, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(!is_readable(events->fd));
    CHECK(rdma_destroy_id(second) == 0);
    rdma_destroy_event_channel(events);
}

static void should_move_counts_with_an_id(void) {
    struct rdma_event_channel *from = rdma_create_event_channel(), *to = rdma_create_event_channel();
    struct rdma_cm_id *id = create_id_with_event(from);
    CHECK(rdma_migrate_id(id, to) == 0);
    CHECK(!is_readable(from->fd));
    rdma_destroy_event_channel(from);
    await_event(to, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(!is_readable(to->fd));
    CHECK(rdma_destroy_id(id) == 0);
    rdma_destroy_event_channel(to);
}

static void should_move_requests_with_their_listener(void) {
    struct rdma_event_channel *clients = rdma_create_event_channel(), *from = rdma_create_event_channel(),
                              *to = rdma_create_event_channel();
    struct rdma_cm_id *listening;
    struct sockaddr_in at = {.sin_family = AF_INET};
    inet_pton(AF_INET, "10.0.0.1", &at.sin_addr);
    CHECK(rdma_create_id(from, &listening, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&at) == 0 && rdma_listen(listening, 4) == 0);
    struct end client = {.id = NULL};
    at.sin_port = rdma_get_src_port(listening);
    CHECK(rdma_create_id(clients, &client.id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&at, 2000) == 0);
    await_event(clients, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(client.id, 2000) == 0);
    await_event(clients, RDMA_CM_EVENT_ROUTE_RESOLVED);
    equip(&client);
    struct rdma_conn_param param = {.initiator_depth = 1, .responder_resources = 1};
    CHECK(rdma_connect(client.id, &param) == 0);
    struct pollfd polled = {.fd = from->fd, .events = POLLIN};
    CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
    CHECK(rdma_migrate_id(listening, to) == 0);
    rdma_destroy_event_channel(from);
    CHECK(rdma_destroy_id(listening) == 0);
    CHECK(!is_readable(to->fd));
    await_event(clients, RDMA_CM_EVENT_REJECTED);
    dismantle(&client);
    rdma_destroy_event_channel(clients);
    rdma_destroy_event_channel(to);
}

#ifndef __SANITIZE_THREAD__
/* ---- Cancelled threads ---- */

/* The library holds locks where it waits for the daemon, and where it tells of a completion. */
static void *call_cancelled(void *channel) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    struct ibv_cq *cq = create_queue_with_event(channel);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return cq;
}

static void should_not_end_a_cancelled_thread_within_a_call(void) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    pthread_t thread;
    void *cq;
    CHECK(pthread_create(&thread, NULL, call_cancelled, channel) == 0 && pthread_join(thread, &cq) == 0);
    CHECK(cq != PTHREAD_CANCELED && is_readable(channel->fd));
    CHECK(ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0);
}
#endif

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    setenv("RDDP_SOCKET", arguments[1], 1);
    setenv("RDDP_INTERFACE", "one", 1);
    struct ibv_device **devices = ibv_get_device_list(NULL);
    CHECK(devices != NULL && devices[0] != NULL);
    context = ibv_open_device(devices[0]);
    CHECK(context != NULL);
    domain = ibv_alloc_pd(context);
    CHECK(domain != NULL);
    RUN(should_leave_no_count_of_asynchronous_events);
    RUN(should_keep_objects_whose_asynchronous_events_are_taken);
    RUN(should_leave_no_count_of_completion_events);
    RUN(should_keep_queues_whose_completion_events_are_taken);
    RUN(should_leave_no_count_of_an_id);
    RUN(should_move_counts_with_an_id);
    RUN(should_move_requests_with_their_listener);
#ifndef __SANITIZE_THREAD__  /* its system calls are libc's: see own_calls.h */
    RUN(should_not_end_a_cancelled_thread_within_a_call);
#endif
    CHECK(ibv_dealloc_pd(domain) == 0 && ibv_close_device(context) == 0);
    ibv_free_device_list(devices);
    puts("done");
    return 0;
}
