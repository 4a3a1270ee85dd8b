/*
 * The daemon ends again and again, and the program goes on with the next one. The argument is the daemon's socket. Prints
 * "end" when the daemon may end, and "start" when the next one may start; reads a line when that is done.
 */
#include <dirent.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "peer.h"

#define CONTEXTS 70

static struct rdma_event_channel *events;

struct both {
    struct end client, server;
    struct rdma_cm_id *listening;
};

/* Another thread lists the devices at the same time; nobody waits for it. */
static sem_t listings;
static atomic_bool ends;

static void *list_devices(void *argument) {
    while (sem_wait(&listings) == 0 && !atomic_load_explicit(&ends, memory_order_relaxed)) {
        struct ibv_device **devices = ibv_get_device_list(NULL);
        if (devices != NULL) {
            ibv_free_device_list(devices);
        }
    }
    return argument;
}

static void ask_for(const char *what) {
    puts(what);
    fflush(stdout);
    char line[16];
    CHECK(fgets(line, sizeof line, stdin) != NULL);
    CHECK(sem_post(&listings) == 0);
}

static int resolve_peer(struct rdma_cm_id *id, __be16 port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = port};
    inet_pton(AF_INET, ADDRESS_OF_PEER, &to.sin_addr);
    return rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 2000);
}

/* Both ends are of this program, at two devices. */
static void connect_both(struct both *both) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    inet_pton(AF_INET, ADDRESS_OF_PEER, &at.sin_addr);
    CHECK(rdma_create_id(events, &both->listening, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(both->listening, (struct sockaddr *)&at) == 0 && rdma_listen(both->listening, 4) == 0);
    CHECK(rdma_create_id(events, &both->client.id, NULL, RDMA_PS_TCP) == 0);
    CHECK(resolve_peer(both->client.id, rdma_get_src_port(both->listening)) == 0);
    await_event(events, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(both->client.id, 2000) == 0);
    await_event(events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    equip(&both->client);
    struct rdma_conn_param param = {.initiator_depth = 1, .responder_resources = 1};
    CHECK(rdma_connect(both->client.id, &param) == 0);
    struct rdma_cm_event *request = next_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
    both->server.id = request->id;
    rdma_ack_cm_event(request);
    equip(&both->server);
    post_receive(&both->server, 1);
    CHECK(rdma_accept(both->server.id, &param) == 0);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    struct ibv_sge piece = {.addr = (uintptr_t)both->client.memory, .length = 11, .lkey = both->client.region->lkey};
    struct ibv_send_wr work = {.wr_id = 2, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &piece,
        .num_sge = 1}, *bad;
    CHECK(ibv_post_send(both->client.id->qp, &work, &bad) == 0);
    CHECK(expect(&both->server, IBV_WC_SUCCESS, 1).byte_len == 11);
    expect(&both->client, IBV_WC_SUCCESS, 2);
}

/* Each of the two connections ends, and three ids lose their devices. */
static void await_removal(void) {
    int ended = 0, removed = 0;
    while (ended < 2 || removed < 3) {
        struct pollfd polled = {.fd = events->fd, .events = POLLIN};
        struct rdma_cm_event *event;
        CHECK(poll(&polled, 1, DEADLINE_MS) == 1 && rdma_get_cm_event(events, &event) == 0);
        ended += event->event == RDMA_CM_EVENT_DISCONNECTED;
        removed += event->event == RDMA_CM_EVENT_DEVICE_REMOVAL;
        CHECK(rdma_ack_cm_event(event) == 0);
    }
}

static void dismantle_both(struct both *both) {
    dismantle(&both->client);
    dismantle(&both->server);
    CHECK(rdma_destroy_id(both->listening) == 0);
}

static int count_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    CHECK(folder != NULL);
    int count = 0;
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void await_fatal(struct ibv_context *context) {
    struct pollfd polled = {.fd = context->async_fd, .events = POLLIN};
    struct ibv_async_event event;
    CHECK(poll(&polled, 1, DEADLINE_MS) == 1);
    CHECK(ibv_get_async_event(context, &event) == 0 && event.event_type == IBV_EVENT_DEVICE_FATAL);
    ibv_ack_async_event(&event);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    pthread_t lister;
    CHECK(sem_init(&listings, 0, 1) == 0 && pthread_create(&lister, NULL, list_devices, NULL) == 0);
    struct both old, new;
    connect_both(&old);
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *contexts[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) {
        contexts[i] = ibv_open_device(devices[0]);
        CHECK(contexts[i] != NULL);
    }
    ask_for("end");
    await_removal();
    for (int i = 0; i < CONTEXTS; i++) {
        await_fatal(contexts[i]);
        CHECK(ibv_close_device(contexts[i]) == 0);
    }
    /* There is no daemon. */
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(resolve_peer(id, htons(1)) == -1);
    CHECK(rdma_destroy_id(id) == 0);
    CHECK(ibv_open_device(devices[0]) == NULL);

    /* The program has what it had with the daemon before. */
    ask_for("start");
    connect_both(&new);
    contexts[0] = ibv_open_device(devices[0]);
    CHECK(contexts[0] != NULL && ibv_close_device(contexts[0]) == 0);
    ibv_free_device_list(devices);
    dismantle_both(&old);
    ask_for("end");
    await_removal();
    dismantle_both(&new);

    /* It has nothing any more: nothing grows. */
    int descriptors = 0;
    for (int i = 0; i < 3; i++) {
        ask_for("start");
        connect_both(&new);
        CHECK(i < 2 || count_descriptors() == descriptors);
        descriptors = count_descriptors();
        ask_for("end");
        await_removal();
        dismantle_both(&new);
    }
    atomic_store(&ends, true);
    CHECK(sem_post(&listings) == 0 && pthread_join(lister, NULL) == 0);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
