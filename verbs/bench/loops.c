/*
 * The loops of `rddp bench verbs`: two programs on one thread, connected over librddp or over libibverbs (PAIR). One command
 * a line of standard input, one answer a line of standard output, which ends with the CPU time in ns that the command took:
 *
 *   trips write|send OCTETS COUNT NANOS     a round trip after the other, COUNT or fewer within NANOS: the ns of each
 *   cost WINDOW BATCHES                     ns of a post and of a completion: medians over batches of WINDOW writes,
 *                                         posted while the engine sleeps, if it does
 *   stream OCTETS WINDOW NANOS              writes one way for NANOS: octets, and ns that they took
 *
 *   loops NEAR-INTERFACE NEAR-ADDRESS FAR-INTERFACE FAR-ADDRESS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <time.h>

#include PAIR

#define SECOND 1000000000ull
/* Nothing takes longer. */
#define LONGEST_WAIT (10 * SECOND)
/* Empty polls between two looks at the clock. */
#define POLLS 65536u
#define MOST_SAMPLES 100000u
/* Until the engine has written the completions of what has arrived, and sleeps if it may, in ns. */
#define SETTLED 300000u

static struct end near_end, far_end;
static uint64_t samples[MOST_SAMPLES], others[MOST_SAMPLES];
static uint64_t last_number;

static uint64_t clock_of(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t nanos(void) {
    return clock_of(CLOCK_MONOTONIC);
}

static uint64_t cpu_nanos(void) {
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- Messages: a number at both ends ---- */

static void put(uint8_t *place, uint64_t number) {
    *(volatile uint64_t *)(void *)place = number;
}

static bool is_at(const uint8_t *place, uint64_t number) {
    return __atomic_load_n((const uint64_t *)(const void *)place, __ATOMIC_ACQUIRE) == number;
}

static void fill(struct end *end, uint64_t number, uint32_t octets) {
    put(end->source, number);
    put(end->source + octets - sizeof number, number);
}

static bool has(const struct end *end, uint64_t number, uint32_t octets) {
    return is_at(end->sink + octets - sizeof number, number) && is_at(end->sink, number);
}

static void check_time(uint64_t *polls, uint64_t *began) {
    if (++*polls % POLLS == 0) {
        uint64_t now = nanos();
        *began = *began == 0 ? now : *began;
        EXPECT(now - *began < LONGEST_WAIT, "no message for 10 s");
    }
}

static void await_data(const struct end *end, uint64_t number, uint32_t octets) {
    uint64_t polls = 0, began = 0;
    while (!has(end, number, octets)) {
        check_time(&polls, &began);
    }
}

/* ---- Round trips ---- */

static void write_one_way(struct end *from, struct end *to, uint64_t number, uint32_t octets) {
    unsigned received = 0;
    fill(from, number, octets);
    while (!post_write(from, octets)) {
        take_completions(from, &received);
    }
    take_completions(from, &received);
    await_data(to, number, octets);
}

static void send_one_way(struct end *from, struct end *to, uint64_t number, uint32_t octets) {
    unsigned received = 0;
    uint64_t polls = 0, began = 0;
    fill(from, number, octets);
    while (!post_send(from, octets)) {
        take_completions(from, &received);
    }
    while (received == 0) {
        take_completions(to, &received);
        check_time(&polls, &began);
    }
    EXPECT(has(to, number, octets), "another message");
    post_receive(to);
}

static void measure_trips(const char *verb, uint32_t octets, unsigned count, uint64_t most) {
    static bool receives_posted;
    bool sends = strcmp(verb, "send") == 0;
    EXPECT(octets >= sizeof last_number && octets <= LONGEST && count <= MOST_SAMPLES, "trips: out of range");
    if (sends && !receives_posted) {
        receives_posted = true;
        post_receive(&near_end);
        post_receive(&far_end);
    }
    void (*one_way)(struct end *, struct end *, uint64_t, uint32_t) = sends ? send_one_way : write_one_way;
    unsigned done = 0;
    for (uint64_t began = nanos(), now = began; done < count && now - began < most; done++) {
        uint64_t start = nanos();
        last_number++;
        one_way(&near_end, &far_end, last_number, octets);
        one_way(&far_end, &near_end, last_number, octets);
        now = nanos();
        samples[done] = now - start;
    }
    for (unsigned i = 0; i < done; i++) {
        printf("%llu ", (unsigned long long)samples[i]);
    }
}

/* Takes the completions of what has been posted. */
static void take_all(struct end *end, unsigned *posted) {
    uint64_t polls = 0, began = 0;
    unsigned received = 0;
    while (*posted > 0) {
        *posted -= take_completions(end, &received);
        check_time(&polls, &began);
    }
}

/* ---- What a post and a completion cost ---- */

static int compare(const void *one, const void *two) {
    uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)two;
    return (left > right) - (left < right);
}

static double median(uint64_t *values, unsigned count) {
    qsort(values, count, sizeof *values, compare);
    return (double)values[count / 2];
}

/* Takes what the loops before have left: the completions of the last messages. */
static void settle(void) {
    unsigned received = 0;
    for (uint64_t end = nanos() + SETTLED; nanos() < end;) {
        take_completions(&near_end, &received);
        take_completions(&far_end, &received);
    }
}

static void measure_cost(unsigned window, unsigned batches) {
    EXPECT(window >= 2 && window <= QUEUE && batches <= MOST_SAMPLES, "cost: out of range");
    settle();
    unsigned counted = 0;
    for (unsigned batch = 0; batch < batches; batch++) {
        last_number++;
        fill(&near_end, last_number, sizeof last_number);
        /* Not counted: it wakes the engine. */
        EXPECT(post_write(&near_end, sizeof last_number), "a queue is full");
        uint64_t began = nanos();
        for (unsigned i = 1; i < window; i++) {
            EXPECT(post_write(&near_end, sizeof last_number), "a queue is full");
        }
        uint64_t posted = nanos();
        await_data(&far_end, last_number, sizeof last_number);
        /* Completions may come later than data: polling for them is not what is measured. */
        uint64_t settled = nanos() + SETTLED;
        while (nanos() < settled) {
        }
        unsigned received = 0, taken = 0, missed = 0;
        uint64_t polling = nanos();
        while (taken < window) {
            unsigned more = take_completions(&near_end, &received);
            taken += more;
            missed += more == 0;
        }
        uint64_t polled = nanos();
        if (missed == 0) {
            samples[counted] = posted - began;
            others[counted++] = polled - polling;
        }
    }
    EXPECT(counted > 0, "no batch whose completions were there in time");
    printf("%.2f %.2f ", median(samples, counted) / (window - 1), median(others, counted) / window);
}

/* ---- A stream of writes ---- */

static void measure_stream(uint32_t octets, unsigned window, uint64_t most) {
    EXPECT(octets >= sizeof last_number && octets <= LONGEST && window >= 1 && window <= QUEUE, "stream: out of range");
    settle();
    unsigned outstanding = 0, received = 0;
    uint64_t total = 0, began = nanos(), now = began;
    last_number++;
    fill(&near_end, last_number, octets);
    while (now - began < most) {
        while (outstanding < window && post_write(&near_end, octets)) {
            outstanding++;
            total += octets;
        }
        outstanding -= take_completions(&near_end, &received);
        now = nanos();
    }
    take_all(&near_end, &outstanding);
    await_data(&far_end, last_number, octets);
    printf("%llu %llu ", (unsigned long long)total, (unsigned long long)(nanos() - began));
}

static void obey(const char *line) {
    char verb[16];
    unsigned first, second;
    unsigned long long most;
    if (sscanf(line, "trips %15s %u %u %llu", verb, &first, &second, &most) == 4) {
        measure_trips(verb, first, second, most);
    } else if (sscanf(line, "cost %u %u", &first, &second) == 2) {
        measure_cost(first, second);
    } else if (sscanf(line, "stream %u %u %llu", &first, &second, &most) == 3) {
        measure_stream(first, second, most);
    } else {
        EXPECT(false, line);
    }
}

static struct place place(char **arguments) {
    struct in_addr address;
    EXPECT(inet_pton(AF_INET, arguments[1], &address) == 1, arguments[1]);
    return (struct place){.interface = arguments[0], .address = ntohl(address.s_addr)};
}

int main(int count, char **arguments) {
    EXPECT(count == 5, "loops NEAR-INTERFACE NEAR-ADDRESS FAR-INTERFACE FAR-ADDRESS");
    struct place near_place = place(arguments + 1), far_place = place(arguments + 3);
    open_pair(&near_end, &near_place, &far_end, &far_place);
    puts("ready");
    fflush(stdout);
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint64_t before = cpu_nanos();
        obey(line);
        printf("%llu\n", (unsigned long long)(cpu_nanos() - before));
        fflush(stdout);
    }
    return 0;
}
