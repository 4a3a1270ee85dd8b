/*
 * Writers go on where the session's rings had no room: the daemon, whose process the argument names, is stopped meanwhile. It
 * has 4096 slots for a session's requests, of which a message of 168 octets takes four.
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

int main(int count, char **arguments) {
    void *(*const WRITE[WRITERS])(void *) = {write_by_blocking, write_by_poll, write_by_edges};
    static int numbers[WRITERS];
    pthread_t writers[WRITERS];
    uint16_t port;
    CHECK(count == 2);
    pid_t daemon = (pid_t)strtol(arguments[1], NULL, 10);
    int listener = listen_at(FAR_ADDRESS, &port);
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
