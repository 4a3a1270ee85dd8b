/*
 * Random calls against a model: random_test [SECONDS [SEED]].
 *
 * Two processes, each with children of its own, do at random what programs do with connections: sends and receives of every kind and
 * size, duplicates, half-closes, fork, exec, SCM_RIGHTS, raw close, siglongjmp, cancelled threads, resets and sudden ends. Round after
 * round, over the kernel and with the same seed over rddp. The model, in memory that all of them share, counts what each direction
 * of each connection has been given: every octet arrives in its place; a stream ends once all has come, and is reset only if
 * the other end has given a reason; what must be there is waited for without a limit, and a process that hangs is ended by its alarm.
 * A failure prints the seed and the last calls.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "random_calls.h"

#define OPEN 6      /* connections at a time, of a process */
#define CHILDREN 4  /* at a time, of a process */
#define SECONDS_TO_HANG 40u

static int model_file;
static bool is_child;

/* ---- Children ---- */

static struct {
    pid_t process;
    unsigned connection;
} children[CHILDREN];

static bool has_children(unsigned connection) {
    for (unsigned i = 0; i < CHILDREN; i++) {
        if (children[i].process != 0 && children[i].connection == connection) {
            return true;
        }
    }
    return false;
}

static void reap(int options) {
    for (unsigned i = 0; i < CHILDREN; i++) {
        int status;
        if (children[i].process != 0 && waitpid(children[i].process, &status, options) == children[i].process) {
            MUST(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL, children[i].connection);
            children[i].process = 0;
        }
    }
}

/* A holder less. */
static void let_go(const struct end *end) {
    atomic_fetch_sub(&own(end)->holders, 1);
}

static bool call_at_random(struct end *end);

/* What a child does, and how it ends. What it has sent counts, however that is. */
__attribute__((noreturn)) static void live_as_child(struct end *end) {
    /* More than is sure to be taken, so only at one end: children that both wait for the other to read would wait for ever. */
    unsigned bulk = me == 1 && below(3) == 0 ? 1 + below(LARGEST) : 0;
    bool goes_on = bulk == 0 || send_octets(end, bulk, true);
    for (unsigned left = below(12); left > 0 && goes_on; left--) {
        goes_on = call_at_random(end);
    }
    let_go(end);
    switch (below(4)) {
        case 0: close(end->descriptor); _exit(0);
        case 1: exit(0);
        case 2: kill(getpid(), SIGKILL); _exit(0);
        default: _exit(0);
    }
}

static void on_start_of_process(uint64_t seed) {
    random_state = seed;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(SECONDS_TO_HANG);
}

static void start_child(const struct end *end, const struct end *all) {
    unsigned place = 0;
    while (place < CHILDREN && children[place].process != 0) {
        place++;
    }
    if (place == CHILDREN) {
        return;
    }
    bool executes = below(3) == 0;
    uint64_t seed = next_random();
    note(end->connection, executes ? "fork and exec" : "fork");
    atomic_fetch_add(&own(end)->holders, 1);
    fflush(NULL);
    pid_t child = fork();
    MUST(child >= 0, end->connection);
    if (child > 0) {
        children[place].process = child;
        children[place].connection = end->connection;
        return;
    }
    is_child = true;
    on_start_of_process(seed);
    for (unsigned i = 0; i < OPEN; i++) {
        if (all[i].descriptor >= 0 && all[i].descriptor != end->descriptor) {
            close_somehow(all[i].descriptor);
        }
    }
    struct end mine = {.descriptor = end->descriptor, .connection = end->connection};
    if (executes) {
        char words[5][24];
        const long numbers[] = {model_file, (long)me, mine.descriptor, (long)mine.connection, (long)(seed & 0xffffffff)};
        for (unsigned i = 0; i < 5; i++) {
            (void)snprintf(words[i], sizeof words[i], "%ld", numbers[i]);
        }
        (void)fcntl(mine.descriptor, F_SETFD, 0);
        (void)fcntl(model_file, F_SETFD, 0);
        execl("/proc/self/exe", "random_test", "child", words[0], words[1], words[2], words[3], words[4], (char *)NULL);
        MUST(!"exec", mine.connection);
    }
    live_as_child(&mine);
}

/* ---- A process ---- */

static struct end ends[OPEN];

/* False if the connection is gone. */
static bool call_at_random(struct end *end) {
    alarm(SECONDS_TO_HANG);
    switch (below(24)) {
        case 0: wait_for_octets(end); return true;
        case 1: move(end); return true;
        case 2: ask(end); return true;
        case 3: wait_for_octets(end); return true;
        case 4:
            if (!is_child && below(2) == 0) {
                start_child(end, ends);
            }
            return true;
        case 5:
            if (below(4) == 0) {
                jump_out(end);
            }
            return true;
        case 6:
            if (below(4) == 0) {
                cancel_thread(end);
            }
            return true;
        default: return next_random() % 2 == 0 ? send_some(end) : receive(end);
    }
}

static void begin(struct end *end, int descriptor, unsigned connection) {
    *end = (struct end){.descriptor = descriptor, .connection = connection, .calls = 4 + below(120)};
    atomic_store(&own(end)->holders, 1);
}

static void close_end(struct end *end) {
    atomic_store(&own(end)->closing, true);
    note(end->connection, "close");
    let_go(end);
    close_somehow(end->descriptor);
    end->descriptor = -1;
}

/* Ends what it sends, or closes at once, whether or not children go on; or resets. */
static void end_connection(struct end *end) {
    unsigned kind = below(8);
    if (kind == 0 && !has_children(end->connection)) {
        struct linger none = {.l_onoff = 1};
        note(end->connection, "linger");
        atomic_store(&own(end)->aborts, true);
        MUST(setsockopt(end->descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0, end->connection);
        close_end(end);
    } else if (kind == 1) {
        close_end(end);
    } else if (!has_children(end->connection)) {
        atomic_store(&own(end)->ended, true);
        note(end->connection, "shutdown");
        MUST(shutdown(end->descriptor, SHUT_WR) == 0 || (errno == ENOTCONN && peer_may_be_gone(end)), end->connection);
        end->draining = true;
    }
}

static void turn(struct end *end) {
    if (end->draining) {
        alarm(SECONDS_TO_HANG);
        if (!receive(end)) {
            close_end(end);
        }
    } else if (!call_at_random(end)) {
        close_end(end);
    } else if (end->calls-- == 0) {
        end->calls = 1;
        end_connection(end);
    }
}

/* Until something may have come: nothing is to be done otherwise. */
static void rest(int listener) {
    struct pollfd polled[OPEN + 1] = {{.fd = listener, .events = POLLIN}};
    bool others = false;
    for (unsigned i = 0; i < OPEN; i++) {
        others |= ends[i].descriptor >= 0 && !ends[i].draining;
        polled[i + 1] = (struct pollfd){.fd = ends[i].descriptor, .events = POLLIN};
    }
    if (!others) {
        (void)poll(polled, OPEN + 1, 5);
    }
}

static int connect_somehow(unsigned *connection) {
    struct sockaddr_in to = address_of(model->address, (uint16_t)atomic_load(&model->port)), from;
    socklen_t length = sizeof from;
    bool nonblocking = below(2) == 0;
    *connection = atomic_fetch_add(&model->connected, 1);
    note(*connection, "connect, %s", nonblocking ? "nonblocking" : "blocking");
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
    MUST(descriptor >= 0, *connection);
    int result = connect(descriptor, (struct sockaddr *)&to, sizeof to);
    if (nonblocking && result != 0) {
        MUST(errno == EINPROGRESS, *connection);
        struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
        int error = 0;
        socklen_t error_length = sizeof error;
        MUST(poll(&polled, 1, -1) == 1, *connection);
        MUST(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &error_length) == 0, *connection);
        errno = error;
        result = error == 0 ? 0 : -1;
    }
    MUST(result == 0, *connection);
    MUST(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0, *connection);
    MUST(getsockname(descriptor, (struct sockaddr *)&from, &length) == 0, *connection);
    atomic_store(&model->ports[*connection], ntohs(from.sin_port));
    return descriptor;
}

/* -1: nobody has come. */
static int accept_somehow(int listener, unsigned *connection) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int descriptor = accept4(listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
    if (descriptor < 0) {
        MUST(errno == EAGAIN, 0u);
        return -1;
    }
    /* It may have been accepted before the client's connect() has returned. */
    for (;;) {
        for (unsigned i = 0; i < CONNECTIONS; i++) {
            if (atomic_load(&model->ports[i]) == ntohs(from.sin_port) && atomic_load(&model->sides[i][1].holders) == 0
                && !atomic_load(&model->sides[i][1].closing)) {
                *connection = i;
                note(i, "accepted");
                return descriptor;
            }
        }
        sched_yield();
    }
}

/* A sudden end of the process: its connections end as if they were closed. */
static void end_suddenly(void) {
    for (unsigned i = 0; i < OPEN; i++) {
        if (ends[i].descriptor >= 0) {
            note(ends[i].connection, "sudden end");
            atomic_store(&own(&ends[i])->closing, true);
            let_go(&ends[i]);
        }
    }
    reap(0);
    unsigned kind = below(3);
    if (kind == 0) {
        exit(0);
    } else if (kind == 1) {
        kill(getpid(), SIGKILL);
    }
    _exit(0);
}

static void live(int listener) {
    bool sudden = below(4) == 0;
    unsigned begun = 0;
    for (;;) {
        bool any = false;
        reap(WNOHANG);
        for (unsigned i = 0; i < OPEN; i++) {
            unsigned connection;
            if (ends[i].descriptor < 0 && begun < CONNECTIONS) {
                int descriptor = me == 0 ? connect_somehow(&connection) : accept_somehow(listener, &connection);
                if (descriptor >= 0) {
                    begun++;
                    begin(&ends[i], descriptor, connection);
                }
            }
            if (ends[i].descriptor >= 0) {
                turn(&ends[i]);
            }
            any |= ends[i].descriptor >= 0;
        }
        if (begun == CONNECTIONS && (sudden || !any)) {
            break;
        }
        rest(listener);
    }
    if (sudden) {
        end_suddenly();
    }
    reap(0);
    exit(0);
}

/* ---- Rounds ---- */

static void catch(int signal, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    CHECK(sigaction(signal, &action, NULL) == 0);
}

static void prepare_process(void) {
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = i < PATTERN ? octet_at(i, 0) : pattern[i - PATTERN];
    }
    catch(SIGALRM, on_alarm);
    catch(SIGUSR1, on_timer);
    catch(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < OPEN; i++) {
        ends[i].descriptor = -1;
    }
}

static void make_model(uint64_t seed, const char *address) {
    model_file = memfd_create("model", MFD_CLOEXEC);
    CHECK(model_file >= 0 && ftruncate(model_file, sizeof *model) == 0);
    model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED, model_file, 0);
    CHECK(model != MAP_FAILED);
    model->seed = seed;
    (void)snprintf(model->address, sizeof model->address, "%s", address);
    pthread_mutexattr_t shared;
    CHECK(pthread_mutexattr_init(&shared) == 0 && pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        for (unsigned j = 0; j < 2; j++) {
            CHECK(pthread_mutex_init(&model->sides[i][j].sending, &shared) == 0);
            CHECK(pthread_mutex_init(&model->sides[i][j].receiving, &shared) == 0);
        }
    }
}

static pid_t start_process(unsigned which, int listener) {
    fflush(NULL);
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        me = which;
        on_start_of_process(model->seed * 2 + which);
        live(listener);
    }
    return process;
}

/* The listener is made by the process that serves, as servers do. */
static pid_t start_server(void) {
    fflush(NULL);
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        me = 1;
        on_start_of_process(model->seed * 2 + 1);
        uint16_t port;
        int listener = listen_with_backlog(model->address, &port, 64);
        MUST(fcntl(listener, F_SETFL, O_NONBLOCK) == 0, 0u);
        atomic_store(&model->port, port);
        live(listener);
    }
    return process;
}

/* Whether both processes have ended as they should. */
static bool play(uint64_t seed, const char *address) {
    make_model(seed, address);
    pid_t server = start_server();
    int status;
    while (atomic_load(&model->port) == 0 && waitpid(server, &status, WNOHANG) == 0) {
        sched_yield();
    }
    bool good = atomic_load(&model->port) != 0;
    pid_t client = good ? start_process(0, -1) : 0;
    for (unsigned left = good ? 2 : 0; left > 0 && good; left--) {
        pid_t ended = wait(&status);
        good = WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL;
        if (!good) {
            fprintf(stderr, "seed %lu at %s: the %s ended with status %x\n", (unsigned long)seed, address,
                ended == client ? "client" : "server", (unsigned)status);
            kill(ended == client ? server : client, SIGKILL);
        }
    }
    munmap(model, sizeof *model);
    close(model_file);
    return good;
}

int main(int count, char **arguments) {
    prepare_process();
    if (count == 7 && strcmp(arguments[1], "child") == 0) {
        model_file = atoi(arguments[2]);
        model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED, model_file, 0);
        CHECK(model != MAP_FAILED);
        model_file = fcntl(model_file, F_DUPFD_CLOEXEC, 3);
        me = (unsigned)atoi(arguments[3]);
        is_child = true;
        on_start_of_process(strtoul(arguments[6], NULL, 10));
        struct end mine = {.descriptor = atoi(arguments[4]), .connection = (unsigned)atoi(arguments[5])};
        live_as_child(&mine);
    }
    long seconds = count > 1 ? atol(arguments[1]) : 4;
    uint64_t seed = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    /* "kernel": the kernel alone, as without a daemon. */
    bool kernel_only = count > 3;
    struct timespec start, time;
    clock_gettime(CLOCK_MONOTONIC, &start);
    unsigned rounds = 0;
    do {
        if (!play(seed, "127.0.0.1") || (!kernel_only && !play(seed, FAR_ADDRESS))) {
            return 1;
        }
        seed++;
        rounds++;
        clock_gettime(CLOCK_MONOTONIC, &time);
    } while (time.tv_sec - start.tv_sec < seconds);
    printf("%u rounds\ndone\n", rounds);
    return 0;
}
