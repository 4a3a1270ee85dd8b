/* Connections that several processes hold: nothing is lost, whoever ends first, and all is in the order in which it was written. */
#include "both.h"

#define MUCH 350000u

/* Reads all of the near end's octets, and their end, in a process that has the far end alone. */
static pid_t start_reader(const struct pair *pair, size_t count) {
    pid_t reader = start();
    if (reader == 0) {
        CHECK(close(pair->near) == 0 && close(pair->listener) == 0);
        expect_octets(pair->far, 0, count);
        expect_end(pair->far);
        exit(0);
    }
    CHECK(close(pair->far) == 0 && close(pair->listener) == 0);
    return reader;
}

static pid_t start_writer(int descriptor, size_t from, size_t count) {
    pid_t writer = start();
    if (writer == 0) {
        send_octets(descriptor, from, count);
        _exit(0);
    }
    return writer;
}

/* ---- A child writes and ends, and then its parent does something ---- */

static void end_by_shutdown(int near) {
    CHECK(shutdown(near, SHUT_WR) == 0);
    expect_end(near);
}

static void end_by_close(int near) {
    CHECK(close(near) == 0);
}

static void end_by_system_call(int near) {
    CHECK(syscall(SYS_close, near) == 0);
}

static void should_deliver_what_a_child_wrote_before_it_ended(void) {
    static void (*const ends[])(int) = {end_by_shutdown, end_by_close, end_by_system_call};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct pair pair = connect_pair();
        pid_t reader = start_reader(&pair, MUCH + 100);
        expect_success(start_writer(pair.near, 0, MUCH));
        send_octets(pair.near, MUCH, 100);
        ends[i](pair.near);
        expect_success(reader);
    }
}

static void should_deliver_what_was_written_before_the_last_process_ended(void) {
    static const int signals[] = {0, SIGTERM, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct pair pair = connect_pair();
        pid_t reader = start_reader(&pair, MUCH + 100);
        pid_t parent = start();
        if (parent == 0) {
            expect_success(start_writer(pair.near, 0, MUCH));
            send_octets(pair.near, MUCH, 100);
            if (signals[i] != 0) {
                raise(signals[i]);
            }
            exit(0);
        }
        CHECK(close(pair.near) == 0);
        int status;
        CHECK(waitpid(parent, &status, 0) == parent);
        CHECK(signals[i] == 0 ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WTERMSIG(status) == signals[i]);
        expect_success(reader);
    }
}

/* The parent ends first, and its child goes on. */
static void should_go_on_when_the_parent_ends(void) {
    struct pair pair = connect_pair();
    int ended[2];
    CHECK(pipe(ended) == 0);
    pid_t parent = start();
    if (parent == 0) {
        expect_text(pair.far, "to the parent");
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(MOST_SECONDS);
            await_turn(ended);
            expect_text(pair.far, "to the child");
            send_text(pair.far, "from the child");
            exit(0);
        }
        _exit(0);
    }
    CHECK(close(pair.far) == 0);
    send_text(pair.near, "to the parent");
    expect_success(parent);
    send_text(pair.near, "to the child");
    tell(ended);
    expect_text(pair.near, "from the child");
    expect_end(pair.near);
    close_pipe(ended);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

/* ---- Order ---- */

static void should_keep_the_order_of_children_and_their_parent(void) {
    struct pair pair = connect_pair();
    pid_t reader = start_reader(&pair, 40 * 1000);
    for (size_t i = 0; i < 40; i += 2) {
        expect_success(start_writer(pair.near, i * 1000, 1000));
        send_octets(pair.near, (i + 1) * 1000, 1000);
    }
    CHECK(close(pair.near) == 0);
    expect_success(reader);
}

static void should_keep_the_order_of_two_that_write_in_turn(void) {
    struct pair pair = connect_pair();
    int turn[2], back[2];
    CHECK(pipe(turn) == 0 && pipe(back) == 0);
    pid_t reader = start_reader(&pair, 1000 * 300);
    pid_t child = start();
    if (child == 0) {
        for (size_t i = 1; i < 1000; i += 2) {
            await_turn(turn);
            send_octets(pair.near, i * 300, 300);
            tell(back);
        }
        exit(0);
    }
    for (size_t i = 0; i < 1000; i += 2) {
        send_octets(pair.near, i * 300, 300);
        tell(turn);
        await_turn(back);
    }
    expect_success(child);
    CHECK(close(pair.near) == 0);
    expect_success(reader);
    close_pipe(turn);
    close_pipe(back);
}

/* ---- Who receives ---- */

static void should_let_a_child_receive_while_its_parent_has_it_open(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        for (int i = 0; i < 100; i++) {
            expect_text(pair.far, "question");
            send_text(pair.far, "answer");
        }
        exit(0);
    }
    for (int i = 0; i < 100; i++) {
        send_text(pair.near, "question");
        expect_text(pair.near, "answer");
    }
    expect_success(child);
    send_text(pair.near, "to the parent");
    expect_text(pair.far, "to the parent");
    close_pair(&pair);
}

static void should_let_two_receive_in_turn(void) {
    struct pair pair = connect_pair();
    int turn[2], back[2];
    CHECK(pipe(turn) == 0 && pipe(back) == 0);
    pid_t child = start();
    if (child == 0) {
        for (size_t i = 1; i < 100; i += 2) {
            await_turn(turn);
            expect_octets(pair.far, i * 3000, 3000);
            tell(back);
        }
        exit(0);
    }
    pid_t writer = start_writer(pair.near, 0, 100 * 3000);
    for (size_t i = 0; i < 100; i += 2) {
        expect_octets(pair.far, i * 3000, 3000);
        tell(turn);
        await_turn(back);
    }
    expect_success(child);
    expect_success(writer);
    close_pipe(turn);
    close_pipe(back);
    close_pair(&pair);
}

/* Each of many that wait gets one octet, and none twice. */
static void should_give_each_octet_to_one_of_many_that_wait(void) {
    enum { WAITING = 16 };
    struct pair pair = connect_pair();
    pid_t children[WAITING];
    for (int i = 0; i < WAITING; i++) {
        children[i] = start();
        if (children[i] == 0) {
            char octet;
            CHECK(read(pair.far, &octet, 1) == 1);
            _exit(octet == 'x' ? 0 : 1);
        }
    }
    for (int i = 0; i < WAITING; i++) {
        send_text(pair.near, "x");
    }
    for (int i = 0; i < WAITING; i++) {
        expect_success(children[i]);
    }
    char octet;
    CHECK_ERRNO(EAGAIN, recv(pair.far, &octet, 1, MSG_DONTWAIT) == -1);
    close_pair(&pair);
}

/* A child's shutdown(2) is its parent's, too. */
static void should_end_sending_for_all(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        send_text(pair.near, "last");
        CHECK(shutdown(pair.near, SHUT_WR) == 0);
        exit(0);
    }
    expect_success(child);
    CHECK_ERRNO(EPIPE, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    expect_text(pair.far, "last");
    expect_end(pair.far);
    send_text(pair.far, "answer");
    expect_text(pair.near, "answer");
    close_pair(&pair);
}

/* ---- A child's fork, and exec of one of two holders ---- */

static void should_keep_the_order_beside_another_program(void) {
    struct pair pair = connect_pair();
    int turn[2], back[2];
    CHECK(pipe(turn) == 0 && pipe(back) == 0);
    send_text(pair.near, "0");
    pid_t child = start();
    if (child == 0) {
        CHECK(dup2(pair.near, 1) == 1 && dup2(turn[0], 0) == 0 && dup2(back[1], 5) == 5);
        execl("/bin/sh", "sh", "-c", "for i in 1 3 5 7; do read -r line; echo $i; echo t >&5; done", (char *)NULL);
        _exit(1);
    }
    for (int i = 2; i < 10; i += 2) {
        char text[2] = {(char)('0' + i), '\0'}, octets[2];
        CHECK(write(turn[1], "\n", 1) == 1);
        CHECK(read(back[0], octets, 2) == 2);
        send_text(pair.near, text);
    }
    expect_text(pair.far, "01\n23\n45\n67\n8");
    expect_success(child);
    close_pipe(turn);
    close_pipe(back);
    close_pair(&pair);
}

static void run_all(void) {
    RUN(should_deliver_what_a_child_wrote_before_it_ended);
    RUN(should_deliver_what_was_written_before_the_last_process_ended);
    RUN(should_go_on_when_the_parent_ends);
    RUN(should_keep_the_order_of_children_and_their_parent);
    RUN(should_keep_the_order_of_two_that_write_in_turn);
    RUN(should_let_a_child_receive_while_its_parent_has_it_open);
    RUN(should_let_two_receive_in_turn);
    RUN(should_give_each_octet_to_one_of_many_that_wait);
    RUN(should_end_sending_for_all);
    RUN(should_keep_the_order_beside_another_program);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
