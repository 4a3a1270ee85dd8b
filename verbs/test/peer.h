/*
 * A peer in a process of its own, on the interface "two": it rejects whoever asks for that, and otherwise answers messages.
 * The test itself is on the interface "one".
 */
#ifndef PEER_H
#define PEER_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_errno.h"

#define PORT_OF_PEER 7471
#define ADDRESS_OF_PEER "10.0.0.2"
#define MESSAGE 64
#define RECEIVES 16
#define MEMORY 4096
#define ANSWER 100
#define DEADLINE_MS 20000

/* What a peer tells in its private data: its memory. */
struct advertisement {
    uint64_t address;
    uint32_t rkey;
    uint32_t foreign_rkey;  /* of the same memory, in another protection domain */
};

/* A message that asks the peer for more than an answer. */
struct command {
    char kind;  /* COMMAND_WRITE: the text goes to the address first. COMMAND_INVALIDATE: the answer invalidates the rkey */
    char text[15];
    uint64_t address;
    uint32_t rkey;
};

#define COMMAND_WRITE 'w'
#define COMMAND_INVALIDATE 'i'

/* One end of a connection, with all that it has. */
struct end {
    struct rdma_cm_id *id;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_mr *region;
    uint8_t *memory;
    struct advertisement peer;
};

static inline struct rdma_cm_event *next_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type) {
    struct pollfd polled = {.fd = channel->fd, .events = POLLIN};
    struct rdma_cm_event *event;
    CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
    CHECK(rdma_get_cm_event(channel, &event) == 0);
    if (event->event != type) {
        fprintf(stderr, "event %s instead of %s\n", rdma_event_str(event->event), rdma_event_str(type));
        exit(1);
    }
    return event;
}

static inline void await_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type) {
    CHECK(rdma_ack_cm_event(next_event(channel, type)) == 0);
}

static inline void post_receive(struct end *end, uint64_t id) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory + id * MESSAGE, .length = MESSAGE, .lkey = end->region->lkey};
    struct ibv_recv_wr work = {.wr_id = id, .sg_list = &piece, .num_sge = 1}, *bad;
    CHECK(ibv_post_recv(end->id->qp, &work, &bad) == 0);
}

/* Memory, a completion queue with a channel, and a queue pair for an id that has a device. */
static inline void equip(struct end *end) {
    end->memory = aligned_alloc(4096, MEMORY);
    CHECK(end->memory != NULL);
    memset(end->memory, 0, MEMORY);
    end->channel = ibv_create_comp_channel(end->id->verbs);
    CHECK(end->channel != NULL);
    end->cq = ibv_create_cq(end->id->verbs, 4 * RECEIVES, end, end->channel, 0);
    CHECK(end->cq != NULL);
    end->region = ibv_reg_mr(end->id->pd, end->memory, MEMORY,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
    CHECK(end->region != NULL);
    struct ibv_qp_init_attr wanted = {.send_cq = end->cq, .recv_cq = end->cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = RECEIVES, .max_recv_wr = RECEIVES, .max_send_sge = 2, .max_recv_sge = 2}};
    CHECK(rdma_create_qp(end->id, NULL, &wanted) == 0);
}

static inline void dismantle(struct end *end) {
    rdma_destroy_qp(end->id);
    CHECK(ibv_dereg_mr(end->region) == 0);
    CHECK(ibv_destroy_cq(end->cq) == 0);
    CHECK(ibv_destroy_comp_channel(end->channel) == 0);
    CHECK(rdma_destroy_id(end->id) == 0);
    free(end->memory);
}

/* Waits for the next completion, by events. */
static inline struct ibv_wc next_completion(struct end *end) {
    struct ibv_wc completion;
    while (ibv_poll_cq(end->cq, 1, &completion) == 0) {
        CHECK(ibv_req_notify_cq(end->cq, 0) == 0);
        if (ibv_poll_cq(end->cq, 1, &completion) == 1) {
            break;
        }
        struct pollfd polled = {.fd = end->channel->fd, .events = POLLIN};
        struct ibv_cq *cq;
        void *context;
        CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
        CHECK(ibv_get_cq_event(end->channel, &cq, &context) == 0);
        ibv_ack_cq_events(cq, 1);
    }
    return completion;
}

static inline struct ibv_wc expect(struct end *end, enum ibv_wc_status status, uint64_t id) {
    struct ibv_wc completion = next_completion(end);
    if (completion.status != status || completion.wr_id != id) {
        fprintf(stderr, "request %lu: %s instead of request %lu: %s\n", (unsigned long)completion.wr_id,
            ibv_wc_status_str(completion.status), (unsigned long)id, ibv_wc_status_str(status));
        exit(1);
    }
    return completion;
}

/* Resolves the peer's address; the id has a device then. */
static inline struct rdma_cm_id *resolve(struct rdma_event_channel *events, uint16_t port) {
    struct rdma_cm_id *id;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, ADDRESS_OF_PEER, &to.sin_addr);
    CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 2000) == 0);
    await_event(events, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(id, 2000) == 0);
    await_event(events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
}

static inline void connect_end(struct rdma_event_channel *events, struct end *end) {
    end->id = resolve(events, PORT_OF_PEER);
    equip(end);
    for (uint64_t i = 0; i < RECEIVES; i++) {
        post_receive(end, i);
    }
    struct rdma_conn_param param = {.private_data = "hello", .private_data_len = 5, .initiator_depth = 4,
        .responder_resources = 4};
    CHECK(rdma_connect(end->id, &param) == 0);
    struct rdma_cm_event *event = next_event(events, RDMA_CM_EVENT_ESTABLISHED);
    CHECK(event->param.conn.private_data_len == sizeof end->peer);
    memcpy(&end->peer, event->param.conn.private_data, sizeof end->peer);
    rdma_ack_cm_event(event);
}

/* ---- The other process ---- */

/* Carries out a command before its answer. */
static inline void obey(struct end *end, const struct command *command, struct ibv_send_wr *answer) {
    struct ibv_sge piece = {.addr = (uintptr_t)command->text, .length = sizeof command->text, .lkey = end->region->lkey};
    struct ibv_send_wr *bad, work = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &piece, .num_sge = 1,
        .wr.rdma = {.remote_addr = command->address, .rkey = command->rkey}};
    if (command->kind == COMMAND_WRITE) {
        CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
    } else if (command->kind == COMMAND_INVALIDATE) {
        answer->opcode = IBV_WR_SEND_WITH_INV;
        answer->invalidate_rkey = command->rkey;
    }
}

/* A message, or the immediate data of one, goes back to the sender. */
static inline void answer(struct end *end, const struct ibv_wc *completion) {
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory + completion->wr_id * MESSAGE, .length = completion->byte_len,
        .lkey = end->region->lkey};
    struct ibv_send_wr work = {.wr_id = ANSWER, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1}, *bad;
    if ((completion->wc_flags & IBV_WC_WITH_IMM) != 0) {
        memcpy(end->memory + completion->wr_id * MESSAGE, &completion->imm_data, sizeof completion->imm_data);
        piece.length = sizeof completion->imm_data;
    }
    /* A message that begins with s asks for a solicited answer. */
    work.send_flags = end->memory[completion->wr_id * MESSAGE] == 's' ? IBV_SEND_SOLICITED : 0;
    work.send_flags |= IBV_SEND_SIGNALED;
    if (completion->byte_len == sizeof(struct command)) {
        obey(end, (const struct command *)(end->memory + completion->wr_id * MESSAGE), &work);
    }
    CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
}

static inline void *serve_one(void *argument) {
    struct end *end = argument;
    struct ibv_wc completion = next_completion(end);
    while (completion.status == IBV_WC_SUCCESS) {
        if (completion.wr_id != ANSWER) {
            answer(end, &completion);
            post_receive(end, completion.wr_id);
        }
        completion = next_completion(end);
    }
    return NULL;
}

static inline void accept_one(struct rdma_event_channel *events, struct rdma_cm_id *id) {
    struct end *end = calloc(1, sizeof *end);
    end->id = id;
    equip(end);
    for (uint64_t i = 0; i < RECEIVES; i++) {
        post_receive(end, i);
    }
    struct ibv_pd *foreign = ibv_alloc_pd(id->verbs);
    CHECK(foreign != NULL);
    struct ibv_mr *again = ibv_reg_mr(foreign, end->memory, MEMORY, IBV_ACCESS_REMOTE_READ);
    CHECK(again != NULL);
    struct advertisement own = {
        .address = (uintptr_t)end->memory, .rkey = end->region->rkey, .foreign_rkey = again->rkey};
    struct rdma_conn_param param = {.private_data = &own, .private_data_len = sizeof own, .initiator_depth = 4,
        .responder_resources = 4};
    CHECK(rdma_accept(id, &param) == 0);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    id->context = end;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, serve_one, end) == 0);
    pthread_detach(thread);
}

static inline void serve(int ready) {
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct rdma_cm_id *listening;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT_OF_PEER)};
    CHECK(events != NULL && rdma_create_id(events, &listening, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&at) == 0 && rdma_listen(listening, 8) == 0);
    CHECK(write(ready, "r", 1) == 1);
    for (;;) {
        struct rdma_cm_event *event;
        CHECK(rdma_get_cm_event(events, &event) == 0);
        struct rdma_cm_id *id = event->id;
        bool rejects = event->param.conn.private_data_len == 3;
        enum rdma_cm_event_type type = event->event;
        rdma_ack_cm_event(event);
        if (type == RDMA_CM_EVENT_CONNECT_REQUEST && rejects) {
            CHECK(rdma_reject(id, "because", 7) == 0);
            CHECK(rdma_destroy_id(id) == 0);
        } else if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
            accept_one(events, id);
        }
    }
}

/* Starts the peer, and returns its process; it ends with this one. Call it before anything else. */
static inline pid_t start_peer(const char *socket) {
    int ready[2];
    char octet;
    setenv("RDDP_SOCKET", socket, 1);
    CHECK(pipe(ready) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("RDDP_INTERFACE", "two", 1);
        serve(ready[1]);
    }
    close(ready[1]);
    CHECK(read(ready[0], &octet, 1) == 1);
    close(ready[0]);
    setenv("RDDP_INTERFACE", "one", 1);
    return child;
}

#endif
