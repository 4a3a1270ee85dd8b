/* Regions that the program changes (ibv_rereg_mr). The argument is the daemon's socket. */
#include "peer.h"

#define ASK 60
#define ASKED 2048  /* offset of what the test sends */
#define PART 1024   /* offset of what the peer writes */

static struct rdma_event_channel *events;

static void post_command(struct end *end, const struct ibv_mr *from, struct command command) {
    memcpy(end->memory + ASKED, &command, sizeof command);
    struct ibv_sge piece = {.addr = (uintptr_t)end->memory + ASKED, .length = sizeof command, .lkey = from->lkey};
    struct ibv_send_wr *bad, work = {.wr_id = ASK, .opcode = IBV_WR_SEND, .sg_list = &piece, .num_sge = 1};
    CHECK(ibv_post_send(end->id->qp, &work, &bad) == 0);
}

/* The peer writes the text to an address. */
static void check_open(struct end *end, const struct ibv_mr *region, char *at, const char *text) {
    struct command command = {.kind = COMMAND_WRITE, .address = (uintptr_t)at, .rkey = region->rkey};
    strcpy(command.text, text);
    post_command(end, end->region, command);
    struct ibv_wc answer = next_completion(end);
    CHECK(answer.status == IBV_WC_SUCCESS && answer.opcode == IBV_WC_RECV);
    post_receive(end, answer.wr_id);
    CHECK(strcmp(at, text) == 0);
}

/* The peer's write is refused, and ends the connection. */
static void check_closed(struct end *end, uint32_t rkey, char *at) {
    char before[sizeof((struct command *)0)->text];
    memcpy(before, at, sizeof before);
    post_command(end, end->region,
        (struct command){.kind = COMMAND_WRITE, .text = "refused", .address = (uintptr_t)at, .rkey = rkey});
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    CHECK(memcmp(before, at, sizeof before) == 0);
}

static struct ibv_mr *register_memory_of(struct end *end, unsigned access) {
    struct ibv_mr *region = ibv_reg_mr(end->id->pd, end->memory, MEMORY, access);
    CHECK(region != NULL);
    return region;
}

static void should_change_rights(void) {
    struct end end;
    connect_end(events, &end);
    char *at = (char *)end.memory + PART;
    struct ibv_mr *region = register_memory_of(&end, IBV_ACCESS_LOCAL_WRITE);
    uint32_t closed = region->rkey;
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
        == 0);
    check_open(&end, region, at, "with rights");
    CHECK(region->rkey != closed);
    uint32_t open = region->rkey;
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_LOCAL_WRITE) == 0);
    check_closed(&end, open, at);
    CHECK(ibv_dereg_mr(region) == 0);
    dismantle(&end);
}

static void should_change_the_address(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_mr *region = register_memory_of(&end, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    uint32_t lkey = region->lkey, before = region->rkey;
    char *other = aligned_alloc(4096, 2 * MEMORY);
    CHECK(other != NULL);
    memset(other, 0, 2 * MEMORY);
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, other, 2 * MEMORY, 0) == 0);
    CHECK(region->addr == other && region->length == 2 * MEMORY && region->lkey == lkey);
    check_open(&end, region, other + MEMORY + PART, "elsewhere");
    check_closed(&end, before, (char *)end.memory + PART);
    CHECK(ibv_dereg_mr(region) == 0);
    free(other);
    dismantle(&end);
}

static void should_change_the_domain(void) {
    struct end end;
    connect_end(events, &end);
    struct ibv_pd *other = ibv_alloc_pd(end.id->verbs);
    struct ibv_mr *region = register_memory_of(&end, IBV_ACCESS_LOCAL_WRITE);
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0) == 0);
    CHECK(region->pd == other && ibv_dealloc_pd(other) == EBUSY);
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_PD, end.id->pd, NULL, 0, 0) == 0);
    check_open(&end, end.region, (char *)end.memory + PART, "back");
    CHECK(ibv_rereg_mr(region, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0) == 0);
    post_command(&end, region, (struct command){.kind = COMMAND_WRITE});
    expect(&end, IBV_WC_LOC_PROT_ERR, ASK);
    CHECK(ibv_dereg_mr(region) == 0 && ibv_dealloc_pd(other) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    dismantle(&end);
}

static void should_leave_a_region_that_cannot_be_changed(void) {
    struct end end;
    connect_end(events, &end);
    char *at = (char *)end.memory + PART;
    struct ibv_mr *region =
        register_memory_of(&end, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
    int refused = IBV_REREG_MR_ERR_INPUT, moves = IBV_REREG_MR_CHANGE_TRANSLATION, governs = IBV_REREG_MR_CHANGE_ACCESS;
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, 0, NULL, NULL, 0, 0) == refused);
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, 8, NULL, NULL, 0, 0) == refused);
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, moves, NULL, NULL, MEMORY, 0) == refused);
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, moves, NULL, end.memory, 0, 0) == refused);
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, moves, NULL, end.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE) == refused);
    CHECK_ERRNO(EINVAL, ibv_rereg_mr(region, governs, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE) == refused);
    CHECK_ERRNO(EOPNOTSUPP, ibv_rereg_mr(region, governs, NULL, NULL, 0, IBV_ACCESS_ON_DEMAND) == refused);
    CHECK_ERRNO(EFAULT, ibv_rereg_mr(region, moves, NULL, (void *)4096, MEMORY, 0) == refused);
    struct ibv_mw *window = ibv_alloc_mw(end.id->pd, IBV_MW_TYPE_1);
    struct ibv_mw_bind bind = {.wr_id = ASK, .send_flags = IBV_SEND_SIGNALED,
        .bind_info = {.mr = region, .addr = (uintptr_t)at, .length = 1, .mw_access_flags = IBV_ACCESS_REMOTE_READ}};
    CHECK(window != NULL && ibv_bind_mw(end.id->qp, window, &bind) == 0);
    expect(&end, IBV_WC_SUCCESS, ASK);
    CHECK_ERRNO(EBUSY, ibv_rereg_mr(region, governs, NULL, NULL, 0, IBV_ACCESS_LOCAL_WRITE) == refused);
    check_open(&end, region, at, "as it was");
    CHECK(ibv_dealloc_mw(window) == 0 && ibv_dereg_mr(region) == 0);
    CHECK(rdma_disconnect(end.id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    dismantle(&end);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    start_peer(arguments[1]);
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    RUN(should_change_rights);
    RUN(should_change_the_address);
    RUN(should_change_the_domain);
    RUN(should_leave_a_region_that_cannot_be_changed);
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
