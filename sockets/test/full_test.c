/*
 * Writers go on where the session's rings had no room: the daemon, whose process the argument names, is stopped meanwhile. It
 * has 4096 slots for a session's requests, of which a message of 168 octets takes four. A forked child writes through this
 * process, which ThreadSanitizer does not follow.
 */
#include "threads.h"

#define COUNT 200
#define MESSAGE 168
/* What the peer's receives hold (CREDITS in stream.h): as many messages would go without a full ring. */
#define ROOM 12
/* Messages that each of the waiting writers sends. */
#define MORE 100
#define WRITERS 3

static int near[COUNT], far[COUNT];
static unsigned sent[COUNT];

/* Stops a process: the threads go on until the one that takes the signal has had a processor. */
static void stop(pid_t process) {
    CHECK(kill(process, SIGSTOP) == 0);
    await_threads(process, 'T');
}

static void fill(uint8_t *message, int connection, unsigned number) {
    for (size_t i = 0; i < MESSAGE; i++) {
        message[i] = octet_at(number * MESSAGE + i, (unsigned)connection);
    }
}

/* Writes a message; false if there is no room. */
static bool write_message(int connection) {
    uint8_t message[MESSAGE];
    fill(message, connection, sent[connection]);
    ssize_t count = write(near[connection], message, MESSAGE);
    CHECK(count == MESSAGE || (count == -1 && errno == EAGAIN));
    sent[connection] += count == MESSAGE;
    return count == MESSAGE;
}

static void *write_by_blocking(void *argument) {
    int connection = *(int *)argument;
    for (int i = 0; i < MORE; i++) {
        CHECK(write_message(connection));
    }
    return NULL;
}

static void *write_by_poll(void *argument) {
    int connection = *(int *)argument;
    for (int i = 0; i < MORE;) {
        if (write_message(connection)) {
            i++;
        } else {
            CHECK((await(near[connection], POLLOUT) & POLLOUT) != 0);
        }
    }
    return NULL;
}

static void *write_by_edges(void *argument) {
    int connection = *(int *)argument, epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLOUT | EPOLLET};
    CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, near[connection], &event) == 0);
    for (int i = 0; i < MORE;) {
        if (write_message(connection)) {
            i++;
        } else {
            CHECK(epoll_wait(epoll, &event, 1, DEADLINE_MS) == 1 && (event.events & EPOLLOUT) != 0);
        }
    }
    CHECK(close(epoll) == 0);
    return NULL;
}

static void read_messages(int connection, unsigned count) {
    uint8_t got[MESSAGE], wanted[MESSAGE];
    for (unsigned number = 0; number < count; number++) {
        CHECK(recv(far[connection], got, MESSAGE, MSG_WAITALL) == MESSAGE);
        fill(wanted, connection, number);
        CHECK(memcmp(got, wanted, MESSAGE) == 0);
    }
}

#ifndef __SANITIZE_THREAD__
#define CHILD_OCTETS 65536

/* A child that writes to a connection when it is told, and tells that it has written. */
struct child {
    pid_t process;
    int tell, told, far;
};

static struct child start_child(int listener, uint16_t port) {
    int to_child[2], to_parent[2], end = begin_connect(FAR_ADDRESS, port);
    struct child child = {.far = accept(listener, NULL, NULL)};
    char octet = 0;
    CHECK(child.far >= 0 && await(end, POLLOUT) == POLLOUT);
    set_nonblocking(end, false);
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    child.process = fork();
    CHECK(child.process >= 0);
    if (child.process == 0) {
        static uint8_t octets[CHILD_OCTETS];
        for (size_t i = 0; i < CHILD_OCTETS; i++) {
            octets[i] = octet_at(i, COUNT);
        }
        CHECK(read(to_child[0], &octet, 1) == 1);
        CHECK(write(end, octets, CHILD_OCTETS) == CHILD_OCTETS);
        CHECK(write(to_parent[1], &octet, 1) == 1);
        _exit(0);
    }
    CHECK(close(end) == 0 && close(to_child[0]) == 0 && close(to_parent[1]) == 0);
    child.tell = to_child[1];
    child.told = to_parent[0];
    return child;
}

static void let_child_write(const struct child *child) {
    char octet = 0;
    CHECK(write(child->tell, &octet, 1) == 1);
    CHECK(read(child->told, &octet, 1) == 1);
    /* Until the thread that forwards the octets has tried. */
    await_threads(getpid(), 'S');
}

static void end_child(const struct child *child) {
    static uint8_t octets[CHILD_OCTETS];
    int status;
    CHECK(recv(child->far, octets, CHILD_OCTETS, MSG_WAITALL) == CHILD_OCTETS);
    for (size_t i = 0; i < CHILD_OCTETS; i++) {
        CHECK(octets[i] == octet_at(i, COUNT));
    }
    expect_end(child->far);
    CHECK(waitpid(child->process, &status, 0) == child->process && status == 0);
    CHECK(close(child->far) == 0 && close(child->tell) == 0 && close(child->told) == 0);
}
#endif

int main(int count, char **arguments) {
    void *(*const WRITE[WRITERS])(void *) = {write_by_blocking, write_by_poll, write_by_edges};
    static int numbers[WRITERS];
    pthread_t writers[WRITERS];
    uint16_t port;
    CHECK(count == 2);
    pid_t daemon = (pid_t)strtol(arguments[1], NULL, 10);
    int listener = listen_at(FAR_ADDRESS, &port);
#ifndef __SANITIZE_THREAD__
    /* First, so that the child inherits nothing else. */
    struct child child = start_child(listener, port);
#endif
    for (int i = 0; i < COUNT; i++) {
        near[i] = begin_connect(FAR_ADDRESS, port);
        far[i] = accept(listener, NULL, NULL);
        CHECK(far[i] >= 0);
        CHECK(await(near[i], POLLOUT) == POLLOUT);
    }
    stop(daemon);
    unsigned total = 0;
    for (int i = 0; i < COUNT; i++) {
        while (write_message(i)) {
            total++;
        }
    }
    /* Otherwise this test shows nothing. The last ones have had no room at all. */
    CHECK(total < COUNT * ROOM);
#ifndef __SANITIZE_THREAD__
    let_child_write(&child);
#endif
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = COUNT - 1 - i;
        CHECK(sent[numbers[i]] == 0);
        set_nonblocking(near[numbers[i]], i > 0);
        CHECK(pthread_create(&writers[i], NULL, WRITE[i], &numbers[i]) == 0);
    }
    CHECK(kill(daemon, SIGCONT) == 0);
    for (int i = 0; i < COUNT - WRITERS; i++) {
        read_messages(i, sent[i]);
    }
#ifndef __SANITIZE_THREAD__
    end_child(&child);
#endif
    for (int i = WRITERS - 1; i >= 0; i--) {
        read_messages(numbers[i], MORE);
        CHECK(pthread_join(writers[i], NULL) == 0);
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(close(near[i]) == 0);
    }
    for (int i = 0; i < COUNT; i++) {
        expect_end(far[i]);
        CHECK(close(far[i]) == 0);
    }
    CHECK(close(listener) == 0);
    puts("done");
    return 0;
}
