/* Blocking calls that signals interrupt (signal(7)). */
#include "ends.h"

#include <setjmp.h>

/* So many signals come while a call waits. */
#define SIGNALS 20

static int ticked[2];

static void on_tick(int signal) {
    (void)signal;
    int before = errno;
    (void)!write(ticked[1], "t", 1);
    errno = before;
}

static void handle_ticks(int flags) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = flags};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
}

static void set_timer(long micros) {
    struct itimerval timer = {.it_interval.tv_usec = micros, .it_value.tv_usec = micros};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* Blocks the signal, or lets it come, in the calling thread and those that it makes. */
static void block_ticks(bool block) {
    sigset_t ticks;
    sigemptyset(&ticks);
    sigaddset(&ticks, SIGALRM);
    CHECK(pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &ticks, NULL) == 0);
}

static void await_ticks(void) {
    char octets[SIGNALS];
    for (ssize_t left = SIGNALS; left > 0;) {
        ssize_t got = read(ticked[0], octets, (size_t)left);
        CHECK(got > 0);
        left -= got;
    }
}

/* A call that waits until the other thread lets it return. */
typedef ssize_t blocking_call(const struct pair *pair);

static ssize_t read_octet(const struct pair *pair) {
    char octet;
    return read(pair->far, &octet, 1);
}

static ssize_t write_much(const struct pair *pair) {
    static char octets[1 << 20];
    return write(pair->far, octets, sizeof octets);
}

static ssize_t accept_one(const struct pair *pair) {
    int made = accept(pair->listener, NULL, NULL);
    return made < 0 ? made : close(made) + 1;
}

static ssize_t poll_octet(const struct pair *pair) {
    struct pollfd polled = {.fd = pair->far, .events = POLLIN};
    return poll(&polled, 1, -1);
}

struct caller {
    struct pair pair;
    blocking_call *call;
    ssize_t result;
    int error;
};

static void *run(void *argument) {
    struct caller *caller = argument;
    block_ticks(false);
    caller->result = caller->call(&caller->pair);
    caller->error = errno;
    return NULL;
}

/* Lets everything return: octets and a connection come, and what has been written is read. */
static void release_call(const struct pair *pair) {
    int near = begin_connect(FAR_ADDRESS, pair->port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    send_text(pair->near, "x");
    CHECK(shutdown(pair->near, SHUT_WR) == 0);
    CHECK(close(near) == 0);
}

static void should_go_on_with_sa_restart(blocking_call *call, ssize_t result) {
    struct caller caller = {.pair = connect_pair(), .call = call};
    pthread_t thread;
    handle_ticks(SA_RESTART);
    set_timer(1000);
    CHECK(pthread_create(&thread, NULL, run, &caller) == 0);
    await_ticks();
    set_timer(0);
    release_call(&caller.pair);
    if (call == write_much) {
        static char octets[1 << 20];
        CHECK(recv(caller.pair.near, octets, sizeof octets, MSG_WAITALL) == (ssize_t)sizeof octets);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(caller.result == result);
    close_pair(&caller.pair);
}

static void should_be_interrupted(blocking_call *call, int flags) {
    struct caller caller = {.pair = connect_pair(), .call = call};
    pthread_t thread;
    handle_ticks(flags);
    set_timer(1000);
    CHECK(pthread_create(&thread, NULL, run, &caller) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    set_timer(0);
    CHECK(caller.result == -1 && caller.error == EINTR);
    close_pair(&caller.pair);
}

static void should_go_on_after_handlers_with_sa_restart(void) {
    should_go_on_with_sa_restart(read_octet, 1);
    should_go_on_with_sa_restart(write_much, 1 << 20);
    should_go_on_with_sa_restart(accept_one, 1);
}

static void should_end_with_eintr_after_handlers_without(void) {
    should_be_interrupted(read_octet, 0);
    should_be_interrupted(accept_one, 0);
    should_be_interrupted(poll_octet, 0);
    should_be_interrupted(poll_octet, SA_RESTART);
}

static ssize_t read_in_time(const struct pair *pair) {
    struct timeval time = {.tv_sec = DEADLINE_MS / 1000};
    CHECK(setsockopt(pair->far, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    return read_octet(pair);
}

static void should_end_with_eintr_where_there_is_a_timeout(void) {
    should_be_interrupted(read_in_time, SA_RESTART);
}

static sigjmp_buf out;

static void jump_out(int signal) {
    (void)signal;
    siglongjmp(out, 1);
}

/* At any instruction of a call in which the connection becomes a bridge: whoever holds its socket keeps it open. */
static void should_leave_nothing_open_where_a_handler_jumps_out(void) {
    struct sigaction action = {.sa_handler = jump_out};
    int ends[2];
    CHECK(pipe(ends) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    for (volatile long micros = 1; micros <= 300; micros++) {
        struct pair pair = connect_pair();
        if (sigsetjmp(out, 1) == 0) {
            struct itimerval once = {.it_value.tv_usec = micros};
            block_ticks(false);
            CHECK(setitimer(ITIMER_REAL, &once, NULL) == 0);
            (void)splice(pair.near, NULL, ends[1], NULL, 1, SPLICE_F_NONBLOCK);
            for (;;) {
                pause();
            }
        }
        CHECK(close(pair.near) == 0);
        expect_end(pair.far);
        CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
    }
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

int main(void) {
    CHECK(pipe(ticked) == 0);
    block_ticks(true);
    RUN(should_go_on_after_handlers_with_sa_restart);
    RUN(should_end_with_eintr_after_handlers_without);
    RUN(should_end_with_eintr_where_there_is_a_timeout);
    RUN(should_leave_nothing_open_where_a_handler_jumps_out);
    puts("done");
    return 0;
}
