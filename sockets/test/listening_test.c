/* Listeners that several processes have, that take each other's place, and that are full. */
#include "both.h"

/* ---- Several processes ---- */

#define WORKERS 64

/* Each worker has one connection at a time, and all have theirs at the same time. */
static void should_share_one_listener_among_many_workers(void) {
    uint16_t port;
    int listener = listen_with_backlog(FAR_ADDRESS, &port, WORKERS), clients[WORKERS];
    pid_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = start();
        if (workers[i] == 0) {
            int far = accept(listener, NULL, NULL);
            CHECK(far >= 0);
            expect_text(far, "question");
            send_text(far, "answer");
            expect_end(far);
            _exit(0);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        clients[i] = connect_to(FAR_ADDRESS, port);
        send_text(clients[i], "question");
    }
    for (int i = 0; i < WORKERS; i++) {
        expect_text(clients[i], "answer");
    }
    for (int i = 0; i < WORKERS; i++) {
        CHECK(close(clients[i]) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        expect_success(workers[i]);
    }
    CHECK(close(listener) == 0);
}

static uint16_t port_of(int descriptor) {
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    CHECK(getsockname(descriptor, (struct sockaddr *)&name, &length) == 0);
    return ntohs(name.sin_port);
}

/* Whether a process is in a system call that waits for a connection (proc(5)). */
static bool waits_for_connection(pid_t process) {
    char path[64], call[16] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/syscall", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, call, sizeof call - 1) > 0 && close(file) == 0);
    long number = strtol(call, NULL, 10);
    return number == SYS_accept || number == SYS_accept4 || number == SYS_ppoll;
}

/* How often it has gone to sleep. */
static unsigned long sleeps_of(pid_t process) {
    char path[64], octets[4096] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, octets, sizeof octets - 1) > 0 && close(file) == 0);
    const char *line = strstr(octets, "\nvoluntary_ctxt_switches:");
    CHECK(line != NULL);
    return strtoul(strchr(line, ':') + 1, NULL, 10);
}

/* Workers that wait do nothing, so nobody has anything to do for them, whatever other connections do. */
static void should_let_idle_workers_sleep(void) {
    struct pair pair = connect_pair();
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    pid_t workers[WORKERS];
    unsigned long sleeps[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = start();
        if (workers[i] == 0) {
            (void)accept(listener, NULL, NULL);
            _exit(1);
        }
    }
    for (int i = 0; i < WORKERS; i++) {
        while (!waits_for_connection(workers[i])) {
            CHECK(poll(NULL, 0, 1) == 0);
        }
        sleeps[i] = sleeps_of(workers[i]);
    }
    for (int i = 0; i < 200; i++) {
        send_text(pair.near, "question");
        expect_text(pair.far, "question");
        send_text(pair.far, "answer");
        expect_text(pair.near, "answer");
    }
    for (int i = 0; i < WORKERS; i++) {
        CHECK(waits_for_connection(workers[i]) && sleeps_of(workers[i]) == sleeps[i]);
        CHECK(kill(workers[i], SIGKILL) == 0 && waitpid(workers[i], NULL, 0) == workers[i]);
    }
    CHECK(close(listener) == 0);
    close_pair(&pair);
}

/* Who finds by the kernel that somebody listens is not refused by rddp. */
static void should_listen_by_rddp_before_the_kernel_does(void) {
    for (int i = 0; i < 20; i++) {
        struct sockaddr_in any = address_of("0.0.0.0", 0), near = address_of("127.0.0.1", 0);
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&any, sizeof any) == 0);
        uint16_t port = port_of(listener);
        near.sin_port = htons(port);
        pid_t client = start();
        if (client == 0) {
            int probe;
            do {
                probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            } while (connect(probe, (struct sockaddr *)&near, sizeof near) != 0 && close(probe) == 0);
            CHECK(close(connect_to(FAR_ADDRESS, port)) == 0);
            _exit(0);
        }
        CHECK(listen(listener, 8) == 0);
        expect_success(client);
        CHECK(close(listener) == 0);
    }
}

/* As servers do that let each worker listen for itself. */
static int try_to_listen_at(uint16_t port, bool shares) {
    struct sockaddr_in at = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = shares;
    CHECK(made >= 0 && setsockopt(made, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0);
    if (bind(made, (struct sockaddr *)&at, sizeof at) == 0 && listen(made, 64) == 0) {
        return made;
    }
    int error = errno;
    CHECK(close(made) == 0);
    errno = error;
    return -1;
}

static void should_spread_connections_over_listeners_that_share_a_port(void) {
    enum { CLIENTS = 48 };
    int first = try_to_listen_at(0, true), told[2], clients[CLIENTS], taken[2] = {0, 0};
    uint16_t port = port_of(first);
    CHECK(pipe(told) == 0);
    CHECK_ERRNO(EADDRINUSE, try_to_listen_at(port, false) == -1);
    pid_t workers[2];
    int listens[2];
    CHECK(pipe(listens) == 0);
    for (char i = 0; i < 2; i++) {
        workers[(int)i] = start();
        if (workers[(int)i] == 0) {
            int own = i == 0 ? first : try_to_listen_at(port, true);
            CHECK(own >= 0 && (i == 0 || close(first) == 0));
            tell(listens);
            for (;;) {
                int far = accept(own, NULL, NULL);
                CHECK(far >= 0 && write(told[1], &i, 1) == 1);
            }
        }
    }
    await_turn(listens);
    await_turn(listens);
    CHECK(close(first) == 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = connect_to(FAR_ADDRESS, port);
    }
    for (int i = 0; i < CLIENTS; i++) {
        char worker;
        CHECK(read(told[0], &worker, 1) == 1);
        taken[(int)worker]++;
        CHECK(close(clients[i]) == 0);
    }
    CHECK(taken[0] > 0 && taken[1] > 0 && taken[0] + taken[1] == CLIENTS);
    for (int i = 0; i < 2; i++) {
        CHECK(kill(workers[i], SIGKILL) == 0 && waitpid(workers[i], NULL, 0) == workers[i]);
    }
    close_pipe(told);
    close_pipe(listens);
}

static void should_refuse_a_port_that_another_process_has(void) {
    int listens[2];
    uint16_t port;
    CHECK(pipe(listens) == 0);
    pid_t child = start();
    if (child == 0) {
        int listener = listen_at(FAR_ADDRESS, &port);
        CHECK(listener >= 0 && write(listens[1], &port, sizeof port) == sizeof port);
        pause();
    }
    CHECK(read(listens[0], &port, sizeof port) == sizeof port);
    CHECK_ERRNO(EADDRINUSE, try_to_listen_at(port, false) == -1);
    CHECK_ERRNO(EADDRINUSE, try_to_listen_at(port, true) == -1);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    close_pipe(listens);
}

/* ---- One process in the place of another ---- */

static void answer(int listener, const char *text) {
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    send_text(far, text);
    CHECK(close(far) == 0);
}

static void expect_answer(uint16_t port, const char *text) {
    int near = connect_to(FAR_ADDRESS, port);
    expect_text(near, text);
    expect_end(near);
    CHECK(close(near) == 0);
}

static void should_serve_by_the_new_process_when_the_old_one_ends(void) {
    int first = try_to_listen_at(0, true), listens[2];
    uint16_t port = port_of(first);
    CHECK(pipe(listens) == 0);
    pid_t old = start();
    if (old == 0) {
        answer(first, "the old one");
        exit(0);
    }
    CHECK(close(first) == 0);
    expect_answer(port, "the old one");
    expect_success(old);
    pid_t new = start();
    if (new == 0) {
        int own = try_to_listen_at(port, true);
        CHECK(own >= 0);
        tell(listens);
        answer(own, "the new one");
        exit(0);
    }
    await_turn(listens);
    expect_answer(port, "the new one");
    expect_success(new);
    close_pipe(listens);
}

/* The new one listens already while the old one does, and serves when that has ended. */
static void should_serve_by_the_new_process_beside_the_old_one(void) {
    int old = try_to_listen_at(0, true), listens[2];
    uint16_t port = port_of(old);
    CHECK(pipe(listens) == 0);
    pid_t new = start();
    if (new == 0) {
        CHECK(close(old) == 0);
        int own = try_to_listen_at(port, true);
        CHECK(own >= 0);
        tell(listens);
        for (int i = 0; i < 8; i++) {
            answer(own, "the new one");
        }
        exit(0);
    }
    await_turn(listens);
    CHECK(close(old) == 0);
    for (int i = 0; i < 8; i++) {
        expect_answer(port, "the new one");
    }
    expect_success(new);
    close_pipe(listens);
}

/* The connection was there when the old process ended. */
static void should_keep_what_the_old_process_has_not_accepted(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    pid_t old = start();
    if (old == 0) {
        CHECK(await(listener, POLLIN) == POLLIN);
        _exit(0);
    }
    int near = connect_to(FAR_ADDRESS, port);
    send_text(near, "question");
    expect_success(old);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    expect_text(far, "question");
    CHECK(close(near) == 0 && close(far) == 0 && close(listener) == 0);
}

/* A socket with a port, at which nobody listens yet. */
static int bind_only(void) {
    struct sockaddr_in at = address_of(FAR_ADDRESS, 0);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(made >= 0 && bind(made, (struct sockaddr *)&at, sizeof at) == 0);
    return made;
}

/* Listens in a process of its own, which ends at its turn without having accepted. */
static pid_t start_that_only_listens(int bound, const int listens[2], const int ends[2]) {
    pid_t made = start();
    if (made == 0) {
        CHECK(listen(bound, 8) == 0);
        tell(listens);
        await_turn(ends);
        _exit(0);
    }
    await_turn(listens);
    return made;
}

static void should_listen_in_each_process_that_has_the_socket(void) {
    int bound = bind_only(), listens[2], ends[2];
    uint16_t port = port_of(bound);
    CHECK(pipe(listens) == 0 && pipe(ends) == 0);
    pid_t first = start_that_only_listens(bound, listens, ends);
    pid_t second = start();
    if (second == 0) {
        CHECK(listen(bound, 8) == 0);
        tell(listens);
        answer(bound, "the second one");
        answer(bound, "the second one");
        exit(0);
    }
    await_turn(listens);
    CHECK(close(bound) == 0);
    tell(ends);
    expect_success(first);
    expect_answer(port, "the second one");
    expect_answer(port, "the second one");
    expect_success(second);
    close_pipe(listens);
    close_pipe(ends);
}

/* The program behind the exec(2) of the next tests. */
static int be_executed(int count, char **arguments) {
    int listener = atoi(arguments[2]);
    alarm(MOST_SECONDS);
    CHECK((fcntl(listener, F_GETFL) & O_NONBLOCK) == 0);
    CHECK(count == 4 || listen(listener, 8) == 0);
    CHECK(write(STDOUT_FILENO, "t", 1) == 1);
    answer(listener, "executed");
    answer(listener, "executed");
    return 0;
}

static pid_t start_executed(int listener, const int began[2], const char *word) {
    keep_over_exec(listener);
    pid_t made = start();
    if (made == 0) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", listener);
        CHECK(dup2(began[1], STDOUT_FILENO) == STDOUT_FILENO);
        execl("/proc/self/exe", "listening_test", "executed", number, FAR_ADDRESS, word, (char *)NULL);
        _exit(1);
    }
    await_turn(began);
    return made;
}

/* As servers reload that give their listeners to the program that follows them. */
static void should_serve_by_the_program_that_gets_the_listener(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port), began[2];
    CHECK(pipe(began) == 0);
    pid_t new = start_executed(listener, began, NULL);
    CHECK(close(listener) == 0);
    expect_answer(port, "executed");
    expect_answer(port, "executed");
    expect_success(new);
    close_pipe(began);
}

/* As with workers to which their server gives a socket that is bound. */
static void should_listen_in_a_program_that_gets_the_socket(void) {
    int bound = bind_only(), listens[2], ends[2];
    uint16_t port = port_of(bound);
    CHECK(pipe(listens) == 0 && pipe(ends) == 0);
    pid_t first = start_that_only_listens(bound, listens, ends);
    pid_t second = start_executed(bound, listens, "listens");
    CHECK(close(bound) == 0);
    tell(ends);
    expect_success(first);
    expect_answer(port, "executed");
    expect_answer(port, "executed");
    expect_success(second);
    close_pipe(listens);
    close_pipe(ends);
}

static void should_be_there_when_listen_returns(void) {
    for (int i = 0; i < 30; i++) {
        uint16_t port;
        int listener = listen_at(FAR_ADDRESS, &port), near = connect_to(FAR_ADDRESS, port);
        CHECK(close(near) == 0 && close(listener) == 0);
    }
}

/* ---- Full ---- */

static void should_let_clients_wait_while_the_backlog_is_full(void) {
    enum { CLIENTS = 4 };
    uint16_t port;
    int listener = listen_with_backlog(FAR_ADDRESS, &port, 1), clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = begin_connect(FAR_ADDRESS, port);
    }
    for (int i = 0; i < CLIENTS; i++) {
        int far = accept(listener, NULL, NULL);
        CHECK(far >= 0);
        send_text(far, "x");
        CHECK(close(far) == 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        await_established(clients[i]);
        set_nonblocking(clients[i], false);
        expect_text(clients[i], "x");
        CHECK(close(clients[i]) == 0);
    }
    CHECK(close(listener) == 0);
}

static void accept_without_descriptors(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port), near = connect_to(FAR_ADDRESS, port);
    send_text(near, "question");
    CHECK(await(listener, POLLIN) == POLLIN);
    int next = dup(listener);
    CHECK(next >= 0 && close(next) == 0);
    struct rlimit limit, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = limit;
    none.rlim_cur = (rlim_t)next;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK_ERRNO(EMFILE, accept(listener, NULL, NULL) == -1);
        CHECK(look(listener, POLLIN) == POLLIN);
    }
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    expect_text(far, "question");
    send_text(far, "answer");
    expect_text(near, "answer");
}

static void should_keep_the_client_when_there_are_no_descriptors(void) {
    run_in_child(accept_without_descriptors);
}

static void run_all(void) {
    RUN(should_share_one_listener_among_many_workers);
    RUN(should_let_idle_workers_sleep);
    RUN(should_listen_by_rddp_before_the_kernel_does);
    RUN(should_spread_connections_over_listeners_that_share_a_port);
    RUN(should_refuse_a_port_that_another_process_has);
    RUN(should_serve_by_the_new_process_when_the_old_one_ends);
    RUN(should_serve_by_the_new_process_beside_the_old_one);
    RUN(should_keep_what_the_old_process_has_not_accepted);
    RUN(should_listen_in_each_process_that_has_the_socket);
    RUN(should_serve_by_the_program_that_gets_the_listener);
    RUN(should_listen_in_a_program_that_gets_the_socket);
    RUN(should_be_there_when_listen_returns);
    RUN(should_let_clients_wait_while_the_backlog_is_full);
    RUN(should_keep_the_client_when_there_are_no_descriptors);
}

int main(int count, char **arguments) {
    return count > 3 ? be_executed(count, arguments) : run_over_both(count, arguments, run_all);
}
