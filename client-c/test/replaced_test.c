/*
 * One end writes, into a region of two pieces, and sends to the other all the time, while daemons take each other's place: every completion comes once and in
 * order, and every octet as it was written. Both ends block while they wait. The argument is the daemon's socket. For each line of
 * its input the test waits until further messages have come, makes requests of the daemon, and prints a line.
 */
#include "pair.h"

#define SLOTS 16u
#define SLOT 4096u
#define OCTETS 1500u
#define MORE 100u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static uint64_t messages;  /* received and compared */
static bool stopping;
static struct pair pair;
static rddp_memory *memories[2];
static rddp_region *written;

/* The second memory has the first half of the region. */
static void register_written(void) {
    struct rddp_memory_piece pieces[2];
    for (unsigned i = 0; i < 2; i++) {
        OK(rddp_allocate_memory(pair.two.session, SLOTS / 2 * SLOT, &memories[i]));
        pieces[1 - i] = (struct rddp_memory_piece){.memory = memories[i], .octets = SLOTS / 2 * SLOT};
    }
    struct rddp_region_options options = {.access = RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE};
    OK(rddp_register_pieces(pair.two.session, pieces, 2, &options, &written));
}

static const uint8_t *written_slot(uint64_t at) {
    const uint8_t *half = rddp_memory_address(memories[at < SLOTS / 2 * SLOT ? 1 : 0]);
    return half + at % (SLOTS / 2 * SLOT);
}

static void fill(uint8_t *octets, uint64_t number) {
    for (uint32_t i = 0; i < OCTETS; i++) {
        octets[i] = (uint8_t)(number * 31 + i * 7);
    }
}

/* Waits until the slot of a message is free; false if there are to be no more. */
static bool await_slot(uint64_t number) {
    pthread_mutex_lock(&lock);
    while (messages + SLOTS <= number && !stopping) {
        pthread_cond_wait(&progress, &lock);
    }
    bool more = !stopping;
    pthread_mutex_unlock(&lock);
    return more;
}

static void take_completions(uint64_t number) {
    next_success(&pair.one, RDDP_WRITE, 2 * number);
    next_success(&pair.one, RDDP_SEND, 2 * number + 1);
}

static void *send_all(void *argument) {
    (void)argument;
    uint64_t number = 0, completed = 0;
    for (; await_slot(number); number++) {
        uint64_t at = number % SLOTS * SLOT;
        if (number >= SLOTS) {
            take_completions(completed++);
        }
        fill(pair.one.memory + at, number);
        struct rddp_request to_written = {
            .flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(written), .remote_to = at};
        post(&pair.one, 2 * number, RDDP_WRITE, at, OCTETS, to_written);
        post(&pair.one, 2 * number + 1, RDDP_SEND, at, OCTETS, SIGNALLED);
    }
    while (completed < number) {
        take_completions(completed++);
    }
    /* The last message. */
    post(&pair.one, number, RDDP_SEND, 0, 0, SIGNALLED);
    next_success(&pair.one, RDDP_SEND, number);
    return NULL;
}

static void *receive_all(void *argument) {
    (void)argument;
    uint8_t expected[OCTETS];
    for (uint64_t number = 0; number < SLOTS; number++) {
        post(&pair.two, number, RDDP_RECEIVE, number * SLOT, OCTETS, SIGNALLED);
    }
    for (uint64_t number = 0; next_success(&pair.two, RDDP_RECEIVE, number).octets > 0; number++) {
        uint64_t at = number % SLOTS * SLOT;
        fill(expected, number);
        CHECK(memcmp(written_slot(at), expected, OCTETS) == 0);
        CHECK(memcmp(pair.two.memory + at, expected, OCTETS) == 0);
        post(&pair.two, number + SLOTS, RDDP_RECEIVE, at, OCTETS, SIGNALLED);
        pthread_mutex_lock(&lock);
        messages++;
        pthread_cond_broadcast(&progress);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void await_messages(void) {
    pthread_mutex_lock(&lock);
    for (uint64_t wanted = messages + MORE; messages < wanted;) {
        pthread_cond_wait(&progress, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void allocate(const struct end *end) {
    rddp_region *region;
    OK(rddp_allocate(end->session, 64, RDDP_LOCAL_WRITE, &region));
    OK(rddp_free(region));
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.held_octets = 1 << 16;  /* the first messages may come before the receives are posted */
    open_pair(&pair, arguments[1], &options);
    register_written();
    pthread_t sender, receiver;
    CHECK(pthread_create(&receiver, NULL, receive_all, NULL) == 0);
    CHECK(pthread_create(&sender, NULL, send_all, NULL) == 0);
    char line[16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        await_messages();
        allocate(&pair.one);
        allocate(&pair.two);
        puts("goes on");
        fflush(stdout);
    }
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&progress);
    pthread_mutex_unlock(&lock);
    CHECK(pthread_join(sender, NULL) == 0 && pthread_join(receiver, NULL) == 0);
    OK(rddp_free(written));
    OK(rddp_free_memory(memories[0]));
    OK(rddp_free_memory(memories[1]));
    close_pair(&pair);
    puts("done");
    return 0;
}
