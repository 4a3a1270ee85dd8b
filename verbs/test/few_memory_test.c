/*
 * Memory runs out while a connection request is heard: nothing is kept of it. Links with --wrap=calloc. The argument is the
 * daemon's socket.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cm/cm.h"
#include "peer.h"

#define PORT_OF_TEST 7480

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

/* The next object of this size that another thread than the first wants is not there. */
static _Atomic size_t missing;
static sem_t missed;
static _Thread_local bool is_first;

void *__wrap_calloc(size_t count, size_t size) {
    size_t wanted = size;
    if (!is_first && atomic_compare_exchange_strong(&missing, &wanted, 0)) {
        sem_post(&missed);
        return NULL;
    }
    return __real_calloc(count, size);
}

static unsigned count_ids(void) {
    unsigned count = 0;
    pthread_mutex_lock(&streams);
    for (const struct id *each = ids; each != NULL; each = each->next) {
        count++;
    }
    pthread_mutex_unlock(&streams);
    return count;
}

static void keep_nothing_of_a_request_without(size_t size) {
    struct rdma_event_channel *events = rdma_create_event_channel(), *others = rdma_create_event_channel();
    struct rdma_cm_id *listening;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT_OF_TEST)};
    CHECK(events != NULL && others != NULL && rdma_create_id(others, &listening, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&at) == 0 && rdma_listen(listening, 8) == 0);
    struct end end = {.id = resolve(events, PORT_OF_TEST)};
    equip(&end);
    unsigned before = count_ids();
    missing = size;
    struct rdma_conn_param param = {.initiator_depth = 1};
    CHECK(rdma_connect(end.id, &param) == 0 && sem_wait(&missed) == 0);
    CHECK(count_ids() == before);
    dismantle(&end);
    CHECK(rdma_destroy_id(listening) == 0);
    rdma_destroy_event_channel(events);
    rdma_destroy_event_channel(others);
    CHECK(count_ids() == 0);
}

static void should_keep_nothing_without_an_id(void) {
    keep_nothing_of_a_request_without(sizeof(struct id));
}

static void should_keep_nothing_without_a_stream(void) {
    keep_nothing_of_a_request_without(sizeof(struct stream));
}

static void should_keep_nothing_without_an_event(void) {
    keep_nothing_of_a_request_without(sizeof(struct event));
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    is_first = true;
    CHECK(sem_init(&missed, 0, 0) == 0);
    RUN(should_keep_nothing_without_an_id);
    RUN(should_keep_nothing_without_a_stream);
    RUN(should_keep_nothing_without_an_event);
    puts("done");
    return 0;
}
