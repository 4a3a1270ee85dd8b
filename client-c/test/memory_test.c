/* Memory that the program brings, between two interfaces of a running daemon, whose socket is the argument. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pair.h"

#define PAGE 4096u

/* A memfd of some pages whose size is sealed; mapped. */
static uint8_t *map_pages(unsigned pages, int *descriptor) {
    *descriptor = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(*descriptor >= 0 && ftruncate(*descriptor, pages * PAGE) == 0);
    uint8_t *address = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
    CHECK(address != MAP_FAILED);
    CHECK(fcntl(*descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    return address;
}

/* Shares pages of the program's, which stay mapped here. */
static rddp_memory *adopt_pages(struct end *end, unsigned pages, uint8_t **address) {
    int descriptor;
    rddp_memory *memory;
    *address = map_pages(pages, &descriptor);
    OK(rddp_adopt(end->session, descriptor, &memory));
    CHECK(close(descriptor) == 0);
    return memory;
}

/* To memory that peers know by its address in the program. */
static struct rddp_request at(const rddp_region *region, const void *address) {
    struct rddp_request request = {
        .flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(region), .remote_to = (uintptr_t)address};
    return request;
}

static void should_name_memory_to_peers_by_its_address(struct pair *pair) {
    uint8_t *address;
    rddp_memory *memory = adopt_pages(&pair->two, 2, &address);
    struct rddp_region_options options = {.access = ALL_RIGHTS, .base = (uintptr_t)address + 100};
    rddp_region *region;
    CHECK_RESULT(RDDP_INVALID, rddp_register(memory, 100, 2 * PAGE, &options, &region));
    OK(rddp_register(memory, 100, 2 * PAGE - 100, &options, &region));
    CHECK(rddp_region_base(region) == (uintptr_t)address + 100 && rddp_region_address(region) == NULL);

    memset(pair->one.memory, 'b', 300);
    post(&pair->one, 1, RDDP_WRITE, 0, 300, at(region, address + PAGE - 100));
    post(&pair->one, 2, RDDP_READ, 1000, 300, at(region, address + PAGE - 100));
    next_success(&pair->one, RDDP_WRITE, 1);
    next_success(&pair->one, RDDP_READ, 2);
    CHECK(memcmp(address + PAGE - 100, pair->one.memory, 300) == 0);
    CHECK(memcmp(pair->one.memory + 1000, pair->one.memory, 300) == 0);

    /* The program itself names offsets in the region. */
    memset(pair->one.memory + 2000, 'r', 50);
    struct rddp_request read = to(&pair->one, 2000);
    struct rddp_piece into = {.stag = rddp_region_stag(region), .offset = PAGE, .length = 50};
    read.id = 3;
    read.opcode = RDDP_READ;
    read.pieces = &into;
    read.piece_count = 1;
    OK(rddp_post(pair->two.connection, &read));
    next_success(&pair->two, RDDP_READ, 3);
    CHECK(memcmp(address + 100 + PAGE, pair->one.memory + 2000, 50) == 0);

    CHECK_RESULT(RDDP_STATE, rddp_free_memory(memory));
    OK(rddp_free(region));
    OK(rddp_free_memory(memory));
    CHECK(munmap(address, 2 * PAGE) == 0);
}

static void should_register_pieces_side_by_side(struct pair *pair) {
    uint8_t *first, *second;
    struct rddp_memory_piece pieces[3] = {
        {.memory = adopt_pages(&pair->two, 4, &first), .offset = 3 * PAGE - 50, .octets = PAGE + 50},
        {.memory = adopt_pages(&pair->two, 2, &second), .offset = PAGE, .octets = PAGE},
        {.memory = pieces[0].memory, .offset = 0, .octets = 70}};
    uint64_t octets = pieces[0].octets + pieces[1].octets + pieces[2].octets;
    struct rddp_region_options options = {.access = ALL_RIGHTS, .base = 1ull << 40};
    rddp_region *region;
    OK(rddp_register_pieces(pair->two.session, pieces, 3, &options, &region));
    CHECK(rddp_region_length(region) == octets && rddp_region_base(region) == options.base);

    for (unsigned i = 0; i < octets; i++) {
        pair->one.memory[i] = (uint8_t)(i * 31 / 7);
    }
    struct rddp_request everything = {
        .flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(region), .remote_to = options.base};
    post(&pair->one, 6, RDDP_WRITE, 0, octets, everything);
    post(&pair->one, 7, RDDP_READ, 20000, octets, everything);
    next_success(&pair->one, RDDP_WRITE, 6);
    next_success(&pair->one, RDDP_READ, 7);
    CHECK(memcmp(first + 3 * PAGE - 50, pair->one.memory, PAGE + 50) == 0);
    CHECK(memcmp(second + PAGE, pair->one.memory + PAGE + 50, PAGE) == 0);
    CHECK(memcmp(first, pair->one.memory + 2 * PAGE + 50, 70) == 0);
    CHECK(first[70] == 0 && first[3 * PAGE - 51] == 0 && second[0] == 0);
    CHECK(memcmp(pair->one.memory + 20000, pair->one.memory, octets) == 0);

    CHECK_RESULT(RDDP_STATE, rddp_free_memory(pieces[1].memory));
    OK(rddp_free(region));
    OK(rddp_free_memory(pieces[0].memory));
    pieces[0] = (struct rddp_memory_piece){.memory = pieces[1].memory, .offset = 0, .octets = PAGE - 1};
    CHECK_RESULT(RDDP_INVALID, rddp_register_pieces(pair->two.session, pieces, 2, &options, &region));
    CHECK_TEXT("piece 1 of 2, octets 0 to 4095 of its memory, does not end with a page");
    OK(rddp_free_memory(pieces[1].memory));
    CHECK(munmap(first, 4 * PAGE) == 0 && munmap(second, 2 * PAGE) == 0);
}

static void should_free_memory_that_a_posted_receive_names(const struct pair *pair) {
    struct pair other = *pair;
    connect_pair(&other, NULL);
    uint8_t *address;
    rddp_memory *memory = adopt_pages(&other.two, 1, &address);
    struct rddp_region_options options = {.access = RDDP_LOCAL_WRITE};
    rddp_region *region;
    OK(rddp_register(memory, 0, PAGE, &options, &region));
    struct rddp_piece into = {.stag = rddp_region_stag(region), .length = PAGE};
    struct rddp_request receive = {.id = 4, .opcode = RDDP_RECEIVE, .pieces = &into, .piece_count = 1};
    OK(rddp_post(other.two.connection, &receive));
    OK(rddp_free(region));
    OK(rddp_free_memory(memory));
    post(&other.one, 5, RDDP_SEND, 0, 100, SIGNALLED);
    struct rddp_completion received = next(&other.two);
    CHECK(received.id == 4 && received.status == RDDP_LOCAL_PROTECTION_ERROR);
    CHECK(next(&other.one).id == 5);
    OK(rddp_await_closed(other.two.connection, TIMEOUT_MS));
    CHECK(address[0] == 0 && munmap(address, PAGE) == 0);
    rddp_forget(other.one.connection);
    rddp_forget(other.two.connection);
    rddp_close_listener(other.listener);
}

static void should_refuse_a_base_with_which_the_region_wraps(struct pair *pair) {
    struct rddp_region_options options = {.access = RDDP_REMOTE_READ, .base = UINT64_MAX - 63};
    rddp_region *part;
    CHECK_RESULT(RDDP_INVALID, rddp_register_part_with(pair->one.region, 0, 64, &options, &part));
    CHECK_TEXT("below 2^64");
    OK(rddp_register_part_with(pair->one.region, 0, 63, &options, &part));
    OK(rddp_free(part));
}

static void should_give_a_session_the_sizes_that_it_asks_for(const char *path) {
    struct rddp_session_options options = {
        .send_queue = 1000, .receive_queue = 999, .requests = 2000, .completions = 8000, .regions = 770, .memories = 500};
    rddp_session *session;
    OK(rddp_open(path, &options, &session));
    struct rddp_limits limits;
    rddp_session_limits(session, &limits);
    CHECK(limits.send_queue == 1000 && limits.receive_queue == 999 && limits.completions == 8192);
    CHECK(limits.regions == 770 && limits.memories == 500);
    rddp_close(session);
}

#define RUN(name)                                                                                                      \
    do {                                                                                                               \
        puts(#name);                                                                                                   \
        name(&pair);                                                                                                   \
    } while (0)

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    /* Now the side that accepts may send, too. */
    post(&pair.one, 0, RDDP_WRITE, 0, 0, to(&pair.two, 0));
    next_success(&pair.one, RDDP_WRITE, 0);
    RUN(should_name_memory_to_peers_by_its_address);
    RUN(should_register_pieces_side_by_side);
    RUN(should_free_memory_that_a_posted_receive_names);
    RUN(should_refuse_a_base_with_which_the_region_wraps);
    close_pair(&pair);
    puts("should_give_a_session_the_sizes_that_it_asks_for");
    should_give_a_session_the_sizes_that_it_asks_for(arguments[1]);
    puts("done");
    return 0;
}
