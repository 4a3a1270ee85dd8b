/*
 * The program's end of the rings, while a JVM is the daemon's end (RingsInCTest).
 *
 *   rings_race FILE             the races of the daemon's jcstress tests, round by round, in the file's memory
 *   rings_race FILE REQUESTS    a stream of requests through one pair of rings of 8 slots: one thread posts, one polls
 *
 * The stream's thread that polls waits for signals, which are octets on the standard input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "shared.h"

static struct rings rings[ROUNDS];

/* Signal descriptors of all rings of the races; this process reads its own. */
static int signals[2];

static uint8_t *map(const char *path, uint64_t *length) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    CHECK(file >= 0 && fstat(file, &status) == 0);
    *length = (uint64_t)status.st_size;
    uint8_t *memory = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(memory != MAP_FAILED);
    close(file);
    return memory;
}

/* Posts a request if there is room. */
static bool post(struct rings *to, const struct rddp_request *request, uint32_t connection) {
    unsigned slots = request_slots(request);
    CHECK(slots > 0);
    if (!has_room(to, slots)) {
        return false;
    }
    submit(to, request, slots, connection, 0);
    return true;
}

/* ---- The races ---- */

/* A send whose fields are all the same number. */
static bool post_number(struct rings *to, uint32_t number) {
    struct rddp_piece piece = {.stag = number, .offset = number, .length = number};
    struct rddp_request request = {.id = number, .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &piece,
        .piece_count = 1, .remote_stag = number, .remote_to = number};
    return post(to, &request, number);
}

static void set_up(struct rings *of, enum race race) {
    static const uint32_t BEFORE[] = {[SUBMISSION] = 0, [REUSE] = 4, [COMPLETION] = 2, [WAKE_UP] = 1, [SLEEP] = 0};
    for (uint32_t i = 0; i < BEFORE[race]; i++) {
        CHECK(post_number(of, i));
    }
}

static void post_two(struct rings *to) {
    uint8_t data[RDDP_MAX_INLINE];
    memset(data, 0x5a, sizeof data);
    struct rddp_piece piece = {.stag = 3, .offset = 4, .length = 5};
    struct rddp_request first = {.id = 1, .opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED, .pieces = &piece,
        .piece_count = 1, .remote_stag = 6, .remote_to = 7};
    struct rddp_request second = {.id = 8, .opcode = RDDP_SEND, .flags = RDDP_INLINE, .inline_data = data,
        .inline_length = sizeof data};
    CHECK(post(to, &first, 2) && post(to, &second, 9));
}

/* The number of a completion, negative if one of its fields has another; 0 if there is none. */
static int32_t look(struct rings *of) {
    struct rddp_completion completion;
    uint32_t retired = poll_completion(of, &completion);
    if (retired == 0) {
        return of->malformed ? -100 : 0;
    }
    int32_t number = (int32_t)completion.id;
    bool is_whole = retired == 1 && completion.connection_number == completion.id && completion.opcode == completion.id
        && completion.status == completion.id && completion.octets == completion.id
        && completion.detail == completion.id;
    return is_whole ? number : -number - 1;
}

/* Whether the daemon has been signalled since the last look. */
static bool has_signalled(void) {
    char octet;
    return recv(signals[1], &octet, 1, MSG_DONTWAIT) == 1;
}

static void run_round(struct rings *of, enum race race, int32_t *results) {
    switch (race) {
        case SUBMISSION:
            post_two(of);
            break;
        case REUSE:
            results[1] = post_number(of, 4);
            break;
        case COMPLETION:
            results[0] = look(of);
            results[1] = look(of);
            break;
        case WAKE_UP:
            results[0] = request_signal(of);
            break;
        default:
            CHECK(post_number(of, 1));
            results[0] = has_signalled();
            break;
    }
}

static void run_races(struct shared *shared) {
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, signals) == 0);
    for (uint64_t step = 1, round = 0;; step += 2) {
        await_step(shared, step);  /* the rings are laid out */
        enum race race = (enum race)atomic_load(&shared->race.value);
        if (race == END) {
            return;
        }
        for (int i = 0; i < ROUNDS; i++) {
            CHECK(find_rings(&rings[i], shared->rings[i], RINGS_OCTETS, signals[0]));
            set_up(&rings[i], race);
        }
        atomic_store_explicit(&shared->program_step.value, step, memory_order_release);
        await_step(shared, step + 1);  /* what was set up is taken */
        for (int i = 0; i < ROUNDS; i++) {
            meet(shared, ++round);
            run_round(&rings[i], race, shared->results[i]);
        }
        atomic_store_explicit(&shared->program_step.value, step + 1, memory_order_release);
    }
}

/* ---- The stream ---- */

#define RETIRED_TOGETHER 3

static uint64_t requests;

/* A field of a request, by its number. */
static uint32_t field(uint64_t number, uint32_t which) {
    return (uint32_t)((number * 8 + which) * 0x9e3779b97f4a7c15 >> 40);
}

/* Posts a request of one to four slots, by its number: in one piece, inline, or of several pieces. */
static bool post_stream(uint64_t number) {
    uint8_t data[RDDP_MAX_INLINE];
    struct rddp_piece pieces[RDDP_MAX_PIECES];
    struct rddp_request request = {.id = number, .opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED,
        .remote_stag = field(number, 1), .remote_to = field(number, 2)};
    if (number % 2 == 0) {
        request.flags |= RDDP_INLINE;
        request.inline_data = data;
        request.inline_length = field(number, 3) % (RDDP_MAX_INLINE + 1);
        memset(data, (int)(field(number, 4) & 0xff), request.inline_length);
    } else {
        request.piece_count = field(number, 3) % (RDDP_MAX_PIECES + 1);
        for (uint32_t i = 0; i < request.piece_count; i++) {
            pieces[i].stag = field(number, 4) + i;
            pieces[i].offset = field(number, 5) + i;
            pieces[i].length = field(number, 6) + i;
        }
        request.pieces = pieces;
    }
    return post(&rings[0], &request, field(number, 7));
}

static void *post_all(void *argument) {
    (void)argument;
    for (uint64_t number = 0; number < requests; number++) {
        while (!post_stream(number)) {
            CHECK(!rings[0].malformed);
            sched_yield();
        }
    }
    return NULL;
}

static void poll_all(void) {
    uint64_t retired = 0;
    while (retired < requests) {
        struct rddp_completion completion;
        uint32_t count = poll_completion(&rings[0], &completion);
        CHECK(!rings[0].malformed);
        if (count == 0) {
            char signal;
            publish_read(&rings[0]);
            CHECK(!request_signal(&rings[0]) || read(STDIN_FILENO, &signal, 1) == 1);
            continue;
        }
        retired += RETIRED_TOGETHER;
        uint64_t number = retired - 1;
        CHECK(count == RETIRED_TOGETHER && completion.id == number && completion.opcode == RDDP_WRITE);
        CHECK(completion.octets == field(number, 1) && completion.detail == field(number, 2));
        CHECK(completion.connection_number == field(number, 3) && completion.immediate == field(number, 4));
    }
}

int main(int count, char **arguments) {
    if (count != 2 && count != 3) {
        fprintf(stderr, "usage: %s FILE [REQUESTS]\n", arguments[0]);
        return 2;
    }
    uint64_t length;
    uint8_t *memory = map(arguments[1], &length);
    if (count == 2) {
        CHECK(length >= sizeof(struct shared));
        run_races((struct shared *)memory);
    } else {
        pthread_t poster;
        requests = strtoull(arguments[2], NULL, 10);
        CHECK(find_rings(&rings[0], memory, length, -1));
        CHECK(pthread_create(&poster, NULL, post_all, NULL) == 0);
        poll_all();
        CHECK(pthread_join(poster, NULL) == 0);
    }
    puts("done");
    return 0;
}
