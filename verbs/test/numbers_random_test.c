/*
 * Two processes, of four threads each, that connect queue pairs by number and end them at random. The arguments are the sockets
 * of the first one's daemon and of the second one's, which may be one daemon with two interfaces, then the seed if the test is
 * to be repeated.
 */
#include "halves.h"

#define THREADS 4
#define ROUNDS 8
#define STEPS 6

struct pair_of_threads {
    int socket, end, device;
    unsigned seed;  /* of what both do, then of what each does for itself */
};

static void meet(struct half *half, struct word peer) {
    to_rtr_with(half, peer);
    int error = modify_to_rts(half);
    CHECK(error == 0 || (error == EINVAL && state_now(half) == IBV_QPS_ERR));  /* the peer may have ended since */
}

/* Polls what is there, whatever its status. */
static void poll_some(struct half *half) {
    struct ibv_wc completions[4];
    CHECK(ibv_poll_cq(half->cq, 4, completions) >= 0);
}

/* Something that the other end does not know of. It may have ended before. */
static void act(struct half *half, unsigned *seed) {
    struct ibv_sge piece = {.addr = (uintptr_t)half->memory, .length = MESSAGE, .lkey = half->region->lkey};
    struct ibv_recv_wr receive_work = {.wr_id = 1, .sg_list = &piece, .num_sge = 1}, *bad_receive;
    switch (rand_r(seed) % 5) {
        case 0: poll_some(half); break;
        case 1: (void)!ibv_post_recv(half->qp, &receive_work, &bad_receive); break;
        case 2: to_state(half, IBV_QPS_ERR); break;
        default: (void)!post(half, 2, IBV_WR_SEND, MESSAGE, NULL); break;
    }
}

/* Both exchange messages, and know that they have come. */
static void talk(struct half *half, int socket) {
    struct end end = {.channel = half->channel, .cq = half->cq};
    receive(half, 1, MESSAGE);
    tell(socket, (struct word){0});
    CHECK(post(half, 2, IBV_WR_SEND, MESSAGE, NULL) == 0);
    CHECK(next_completion(&end).status == IBV_WC_SUCCESS && next_completion(&end).status == IBV_WC_SUCCESS);
}

static void run_round(struct pair_of_threads *pair, unsigned *common) {
    struct half half;
    create(&half, pair->device, NULL);
    to_init(&half, 0);
    int kind = rand_r(common) % 3;
    struct word peer = tell(pair->socket, word_of(&half));
    meet(&half, peer);
    if (kind > 0) {
        talk(&half, pair->socket);
    }
    if (kind == 1) {
        to_state(&half, IBV_QPS_RESET);
        to_init(&half, 0);
        meet(&half, tell(pair->socket, word_of(&half)));
        talk(&half, pair->socket);
    }
    for (int i = rand_r(&pair->seed) % STEPS; i > 0; i--) {
        act(&half, &pair->seed);
    }
    destroy(&half);
}

static void *run_rounds(void *argument) {
    struct pair_of_threads *pair = argument;
    unsigned common = pair->seed;
    pair->seed = 2 * pair->seed + (unsigned)pair->end;
    for (int i = 0; i < ROUNDS; i++) {
        run_round(pair, &common);
    }
    return NULL;
}

/* end: 0 or 1. device: its index at the end's daemon. */
static void run_program(int sockets[THREADS][2], int end, int device, unsigned seed) {
    struct pair_of_threads pairs[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pairs[i] = (struct pair_of_threads){sockets[i][end], end, device, seed + (unsigned)i};
        CHECK(pthread_create(&threads[i], NULL, run_rounds, &pairs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 3 || count == 4);
    unsetenv("RDDP_INTERFACE");
    bool one_daemon = strcmp(arguments[1], arguments[2]) == 0;
    unsigned seed = count == 4 ? (unsigned)strtoul(arguments[3], NULL, 10) : (unsigned)getpid();
    printf("seed %u\n", seed);
    fflush(stdout);
    int sockets[THREADS][2];
    for (int i = 0; i < THREADS; i++) {
        CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets[i]) == 0);
    }
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    int end = child == 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK(close(sockets[i][!end]) == 0);
    }
    setenv("RDDP_SOCKET", arguments[1 + end], 1);
    int devices = one_daemon ? 2 : 1;
    open_some_devices(devices);
    run_program(sockets, end, one_daemon ? end : 0, seed);
    for (int i = 0; i < devices; i++) {
        CHECK(ibv_close_device(contexts[i]) == 0);
    }
    if (child == 0) {
        return 0;
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    puts("done");
    return 0;
}
