/* The model of random_test: what each direction of each connection has been given, in memory that all processes share. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include <stdarg.h>
#include <stdatomic.h>

#include "ends.h"

#define CONNECTIONS 64   /* of a round */
#define LARGEST 200000u
#define PATTERN 65521u
#define CALLS 48u

/* What one end of a connection has done. */
struct side {
    pthread_mutex_t sending, receiving;
    _Atomic uint64_t intended, sent, received;  /* octets; intended before the call, sent after it */
    _Atomic bool ended;    /* shutdown(SHUT_WR), or about to */
    _Atomic bool closing;  /* its last descriptor may be closed from now on */
    _Atomic bool aborts;   /* by SO_LINGER with no time */
    _Atomic int holders;   /* processes */
};

struct call {
    pid_t process;
    unsigned connection;
    char what[56];
};

struct model {
    uint64_t seed;
    char address[16];
    _Atomic unsigned connected;
    _Atomic unsigned port;
    _Atomic unsigned ports[CONNECTIONS];  /* the client's, once it has connected */
    struct side sides[CONNECTIONS][2];
    _Atomic unsigned calls;
    struct call log[CALLS];
    struct call last[CONNECTIONS][2];  /* of each end */
};

static struct model *model;
static unsigned me;          /* 0: the client; 1: the server, and the children of each */
static uint64_t random_state;

/* ---- Randomness, the pattern, the log ---- */

static uint64_t next_random(void) {
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned below(unsigned limit) {
    return (unsigned)(next_random() % limit);
}

/* Mostly small, sometimes large. */
static unsigned random_size(unsigned most) {
    static const unsigned LIMITS[] = {2, 16, 200, 1500, 9000, 70000};
    unsigned limit = LIMITS[below(6)];
    unsigned size = 1 + below(limit);
    return size > most ? most : size;
}

/* Twice in a row, so that a copy needs no wrap. */
static uint8_t pattern[PATTERN + LARGEST + 1];

static const uint8_t *octets_at(unsigned connection, unsigned side, uint64_t position) {
    return pattern + (position + connection * 7919u + side * 30011u) % PATTERN;
}

__attribute__((format(printf, 2, 3))) static void note(unsigned connection, const char *format, ...) {
    struct call *call = &model->log[atomic_fetch_add(&model->calls, 1) % CALLS];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(call->what, sizeof call->what, format, arguments);
    va_end(arguments);
    call->process = getpid();
    call->connection = connection;
    model->last[connection][me] = *call;
}

static void print_log(void) {
    unsigned count = atomic_load(&model->calls);
    for (unsigned i = count > CALLS ? count - CALLS : 0; i < count; i++) {
        const struct call *call = &model->log[i % CALLS];
        fprintf(stderr, "  %d: connection %u: %s\n", (int)call->process, call->connection, call->what);
    }
    for (unsigned i = 0; i < CONNECTIONS && atomic_load(&model->ports[i]) != 0; i++) {
        for (unsigned j = 0; j < 2; j++) {
            const struct side *side = &model->sides[i][j];
            if (atomic_load(&side->holders) > 0) {
                fprintf(stderr, "  connection %u, %s: sent %lu, received %lu, ended %d, closing %d, aborts %d, holders %d; %d: %s\n", i,
                    j == 0 ? "client" : "server", atomic_load(&side->sent), atomic_load(&side->received),
                    atomic_load(&side->ended), atomic_load(&side->closing), atomic_load(&side->aborts), atomic_load(&side->holders),
                    (int)model->last[i][j].process, model->last[i][j].what);
            }
        }
    }
}

#define MUST(condition, connection)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: seed %lu at %s: process %d (%s): connection %u: not so: %s; errno %d (%s)\n",      \
                __FILE__, __LINE__, (unsigned long)model->seed, model->address, (int)getpid(),                         \
                me == 0 ? "client" : "server", (connection), #condition, errno, strerror(errno));                      \
            print_log();                                                                                               \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void on_alarm(int signal) {
    (void)signal;
    fprintf(stderr, "random_test: a call of %d (%s) hangs\n", (int)getpid(), me == 0 ? "client" : "server");
    print_log();
    _exit(1);
}

/* ---- The model's rules ---- */

struct end {
    int descriptor;
    unsigned connection;
    bool draining;   /* has ended sending, and reads to the end */
    unsigned calls;  /* to make before it ends */
};

static struct side *own(const struct end *end) {
    return &model->sides[end->connection][me];
}

static struct side *other(const struct end *end) {
    return &model->sides[end->connection][1 - me];
}

static bool peer_may_be_gone(const struct end *end) {
    return atomic_load(&other(end)->closing);
}

/* The peer has not read all that was meant for it, and has closed, or has said that it wants a reset. */
static bool reset_is_allowed(const struct end *end) {
    return atomic_load(&other(end)->aborts)
        || (peer_may_be_gone(end) && atomic_load(&own(end)->intended) > atomic_load(&other(end)->received));
}

static bool end_is_allowed(const struct end *end) {
    return (atomic_load(&other(end)->ended) || peer_may_be_gone(end))
        && atomic_load(&own(end)->received) == atomic_load(&other(end)->sent);
}

static unsigned there(const struct end *end) {
    uint64_t sent = atomic_load(&other(end)->sent), received = atomic_load(&own(end)->received);
    /* They may have come before the sender's call has returned. */
    uint64_t octets = sent > received ? sent - received : 0;
    return octets > LARGEST ? LARGEST : (unsigned)octets;
}

/* What a call has received, which is false at the stream's end. Under the lock of receiving. */
static bool check_received(const struct end *end, ssize_t result, const uint8_t *octets, unsigned asked, bool takes, bool nonblocking) {
    struct side *mine = own(end);
    if (result == 0) {
        /* A reset is told once; then the stream has an end. */
        MUST(end_is_allowed(end) || reset_is_allowed(end), end->connection);
        return false;
    }
    if (result < 0) {
        bool waits = errno == EAGAIN || errno == EINTR;
        MUST(waits ? nonblocking : errno == ECONNRESET || errno == EPIPE ? reset_is_allowed(end) : false, end->connection);
        return waits;
    }
    MUST((size_t)result <= asked, end->connection);
    uint64_t from = atomic_load(&mine->received);
    MUST(from + (uint64_t)result <= atomic_load(&other(end)->intended), end->connection);
    const uint8_t *wanted = octets_at(end->connection, 1 - me, from);
    for (size_t i = 0; octets != NULL && i < (size_t)result; i++) {
        if (octets[i] != wanted[i]) {
            fprintf(stderr, "octet %zu of %zd from %lu on is %x, not %x\n", i, result, (unsigned long)from, octets[i], wanted[i]);
            MUST(!"an octet is another", end->connection);
        }
    }
    if (takes) {
        atomic_store(&mine->received, from + (uint64_t)result);
    }
    return true;
}

#endif
