/*
 * Many queue pairs that are connected by number at a time, between the interfaces "one" and "two". The arguments are the daemon's
 * socket and how many.
 */
#include "halves.h"

static unsigned count;

/* What all queue pairs of a device share. */
static void create_shared(struct half *shared, int device) {
    create(shared, device, NULL);
    CHECK(ibv_destroy_qp(shared->qp) == 0 && ibv_destroy_cq(shared->cq) == 0);
    shared->cq = ibv_create_cq(shared->context, (int)(2 * count), NULL, shared->channel, 0);
    CHECK(shared->cq != NULL);
}

static struct half create_one(const struct half *shared) {
    struct half half = *shared;
    struct ibv_qp_init_attr wanted = {.send_cq = half.cq, .recv_cq = half.cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    half.qp = ibv_create_qp(half.pd, &wanted);
    CHECK(half.qp != NULL);
    to_init(&half, 0);
    receive(&half, 1, MESSAGE);
    return half;
}

static void await_messages(struct half *shared) {
    struct end end = {.channel = shared->channel, .cq = shared->cq};
    for (unsigned i = 0; i < 2 * count; i++) {
        CHECK(next_completion(&end).status == IBV_WC_SUCCESS);
    }
}

static void dismantle_shared(struct half *shared) {
    CHECK(ibv_dereg_mr(shared->region) == 0 && ibv_destroy_cq(shared->cq) == 0);
    CHECK(ibv_destroy_comp_channel(shared->channel) == 0 && ibv_dealloc_pd(shared->pd) == 0);
    free(shared->memory);
}

int main(int words, char **arguments) {
    CHECK(words == 3);
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    count = (unsigned)atoi(arguments[2]);
    open_devices();
    struct half shared[2], *halves = calloc(2 * (size_t)count, sizeof *halves);
    CHECK(halves != NULL);
    create_shared(&shared[0], 0);
    create_shared(&shared[1], 1);
    for (unsigned i = 0; i < 2 * count; i += 2) {
        halves[i] = create_one(&shared[0]);
        halves[i + 1] = create_one(&shared[1]);
        connect_two(&halves[i], &halves[i + 1]);
        CHECK(post(&halves[i], 2, IBV_WR_SEND, MESSAGE, NULL) == 0);
        CHECK(post(&halves[i + 1], 2, IBV_WR_SEND, MESSAGE, NULL) == 0);
    }
    await_messages(&shared[0]);
    await_messages(&shared[1]);
    for (unsigned i = 0; i < 2 * count; i++) {
        CHECK(ibv_destroy_qp(halves[i].qp) == 0);
    }
    dismantle_shared(&shared[0]);
    dismantle_shared(&shared[1]);
    free(halves);
    CHECK(ibv_close_device(contexts[0]) == 0 && ibv_close_device(contexts[1]) == 0);
    puts("done");
    return 0;
}
