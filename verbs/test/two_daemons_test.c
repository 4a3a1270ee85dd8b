/*
 * Queue pairs that are connected by number, of two processes with a daemon each. The arguments are the sockets of the daemons
 * of the interfaces "one" and "two". Prints "kill" when the second daemon may be killed, and "start" when the next one may
 * start in its place; reads a line when that is done.
 */
#include "halves.h"

#define ROUNDS 20
#define BOTH 2

/* Of the two processes: this one, and the way to the other one. */
static int own, other;

/* Waits until the other process is as far. */
static void meet(void) {
    tell(other, (struct word){0});
}

static void create_here(struct half *half) {
    create(half, 0, NULL);
    to_init(half, 0);
}

static void make_ready(struct half *half, struct word peer) {
    to_rtr_with(half, peer);
    to_rts(half);
}

/* Each has a message of the other one, and knows that its own has come. */
static void talk(struct half *half) {
    struct end end = {.channel = half->channel, .cq = half->cq};
    receive(half, 1, MESSAGE);
    CHECK(post(half, 2, IBV_WR_SEND, MESSAGE, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(next_completion(&end).status == IBV_WC_SUCCESS);
    }
    meet();
}

/* first: 0 or 1, the end that is at RTS before the other one begins; or BOTH at once. */
static void connect_in_order(struct half *half, int first) {
    struct word peer = tell(other, word_of(half));
    if (first == !own) {
        meet();
    }
    make_ready(half, peer);
    if (first == own) {
        meet();
    }
    talk(half);
}

static void should_connect_in_each_order(void) {
    for (int i = 0; i < ROUNDS; i++) {
        for (int first = 0; first <= BOTH; first++) {
            struct half half;
            create_here(&half);
            connect_in_order(&half, first);
            destroy(&half);
        }
    }
}

static void should_connect_again_after_a_reset(void) {
    struct half half;
    create_here(&half);
    for (int i = 0; i < ROUNDS; i++) {
        connect_in_order(&half, i % (BOTH + 1));
        to_state(&half, IBV_QPS_RESET);
        to_init(&half, 0);
    }
    destroy(&half);
}

static void *serve_by_cm(void *ready) {
    serve(*(int *)ready);
    return NULL;
}

/* The second process listens, also for the tests that follow. */
static void should_connect_beside_rdma_cm(void) {
    struct half half;
    create_here(&half);
    if (own == 1) {
        static int ready[2];
        char octet;
        pthread_t thread;
        CHECK(pipe(ready) == 0 && pthread_create(&thread, NULL, serve_by_cm, &ready[1]) == 0);
        CHECK(read(ready[0], &octet, 1) == 1);
        meet();
        connect_in_order(&half, BOTH);
    } else {
        struct rdma_event_channel *events = rdma_create_event_channel();
        struct end end;
        meet();
        connect_end(events, &end);
        connect_in_order(&half, BOTH);
        struct ibv_sge piece = {.addr = (uintptr_t)end.memory, .length = MESSAGE, .lkey = end.region->lkey};
        struct ibv_send_wr *bad, work = {.opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1,
            .send_flags = IBV_SEND_SIGNALED};
        CHECK(ibv_post_send(end.id->qp, &work, &bad) == 0);
        CHECK(next_completion(&end).status == IBV_WC_SUCCESS && next_completion(&end).status == IBV_WC_SUCCESS);
        CHECK(rdma_disconnect(end.id) == 0);
        await_event(events, RDMA_CM_EVENT_DISCONNECTED);
        dismantle(&end);
        rdma_destroy_event_channel(events);
    }
    destroy(&half);
}

static void ask_for(const char *what) {
    char line[16];
    puts(what);
    fflush(stdout);
    CHECK(fgets(line, sizeof line, stdin) != NULL);
}

/* The queue pair of the first process fails, and connects with another one of the next daemon. */
static void should_connect_with_the_next_daemon(void) {
    struct half half;
    create_here(&half);
    connect_in_order(&half, BOTH);
    receive(&half, 3, MESSAGE);
    if (own == 0) {
        ask_for("kill");
        CHECK(post(&half, 4, IBV_WR_SEND, MESSAGE, NULL) == 0);
        ask_for("start");
        await(&half, IBV_WC_RETRY_EXC_ERR, 4);
        await(&half, IBV_WC_WR_FLUSH_ERR, 3);
        to_state(&half, IBV_QPS_RESET);
        to_init(&half, 0);
        meet();
    } else {
        await(&half, IBV_WC_WR_FLUSH_ERR, 3);
        destroy(&half);
        CHECK(ibv_close_device(contexts[0]) == 0);
        meet();
        open_some_devices(1);
        create_here(&half);
    }
    connect_in_order(&half, BOTH);
    destroy(&half);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    unsetenv("RDDP_INTERFACE");
    int sockets[2];
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    own = child == 0;
    other = sockets[own];
    CHECK(close(sockets[!own]) == 0);
    setenv("RDDP_SOCKET", arguments[1 + own], 1);
    open_some_devices(1);
    should_connect_in_each_order();
    should_connect_again_after_a_reset();
    should_connect_beside_rdma_cm();
    should_connect_with_the_next_daemon();
    if (own == 1) {
        fflush(NULL);
        _exit(0);  /* the thread that listens is in the midst of it */
    }
    int status;
    CHECK(ibv_close_device(contexts[0]) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    puts("done");
    return 0;
}
