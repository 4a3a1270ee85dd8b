/*
 * Writers wait where the rings are full, and go on once they have room again: the daemon, whose process the argument names, is stopped
 * meanwhile, so nothing is sent. A forked child writes, too, which ThreadSanitizer does not follow.
 */
#include "threads.h"

#define MUCH 300000u
#define WRITERS 3

struct writer {
    int descriptor;
    unsigned number;
    pthread_t thread;
};

/* Stops a process: the threads go on until the one that takes the signal has had a processor. */
static void stop(pid_t process) {
    CHECK(kill(process, SIGSTOP) == 0);
    await_threads(process, 'T');
}

/* From a place on, as many as there is room for; 0: none. */
static size_t write_some(const struct writer *writer, size_t from) {
    uint8_t octets[7919];
    size_t count = MUCH - from < sizeof octets ? MUCH - from : sizeof octets;
    for (size_t i = 0; i < count; i++) {
        octets[i] = octet_at(from + i, writer->number);
    }
    ssize_t written = write(writer->descriptor, octets, count);
    CHECK(written > 0 || errno == EAGAIN);
    return written > 0 ? (size_t)written : 0;
}

static void *write_by_blocking(void *argument) {
    for (size_t done = 0; done < MUCH;) {
        size_t written = write_some(argument, done);
        CHECK(written > 0);
        done += written;
    }
    return NULL;
}

static void *write_by_poll(void *argument) {
    const struct writer *writer = argument;
    for (size_t done = 0; done < MUCH;) {
        size_t written = write_some(writer, done);
        if (written == 0) {
            CHECK((await(writer->descriptor, POLLOUT) & POLLOUT) != 0);
        }
        done += written;
    }
    return NULL;
}

static void *write_by_edges(void *argument) {
    const struct writer *writer = argument;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    add(epoll, writer->descriptor, EPOLLOUT | EPOLLET);
    for (size_t done = 0; done < MUCH;) {
        size_t written = write_some(writer, done);
        if (written == 0) {
            CHECK((next_event(epoll, writer->descriptor) & EPOLLOUT) != 0);
        }
        done += written;
    }
    CHECK(close(epoll) == 0);
    return NULL;
}

static void read_all(int descriptor, unsigned number) {
    static uint8_t octets[MUCH];
    CHECK(recv(descriptor, octets, MUCH, MSG_WAITALL) == MUCH);
    for (size_t i = 0; i < MUCH; i++) {
        CHECK(octets[i] == octet_at(i, number));
    }
}

#ifndef __SANITIZE_THREAD__
static pid_t write_in_child(int descriptor, const struct pair *others) {
    struct writer writer = {.descriptor = descriptor, .number = WRITERS};
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (unsigned i = 0; i < WRITERS; i++) {
            close(others[i].near);
        }
        write_by_blocking(&writer);
        _exit(0);
    }
    return child;
}
#endif

int main(int count, char **arguments) {
    void *(*const WRITE[WRITERS])(void *) = {write_by_blocking, write_by_poll, write_by_edges};
    struct writer writers[WRITERS];
    struct pair pairs[WRITERS];
    CHECK(count == 2);
    pid_t daemon = (pid_t)strtol(arguments[1], NULL, 10);
    for (unsigned i = 0; i < WRITERS; i++) {
        pairs[i] = connect_pair();
    }
#ifndef __SANITIZE_THREAD__
    struct pair of_child = connect_pair();
#endif
    stop(daemon);
#ifndef __SANITIZE_THREAD__
    pid_t child = write_in_child(of_child.near, pairs);
    CHECK(close(of_child.near) == 0);
    await_threads(child, 'S');
#endif
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.descriptor = pairs[i].near, .number = i};
        set_nonblocking(pairs[i].near, i > 0);
        CHECK(pthread_create(&writers[i].thread, NULL, WRITE[i], &writers[i]) == 0);
    }
    await_threads(getpid(), 'S');
    CHECK(kill(daemon, SIGCONT) == 0);
    for (unsigned i = WRITERS; i-- > 0;) {
        read_all(pairs[i].far, i);
        CHECK(pthread_join(writers[i].thread, NULL) == 0);
        close_pair(&pairs[i]);
    }
#ifndef __SANITIZE_THREAD__
    int status;
    read_all(of_child.far, WRITERS);
    expect_end(of_child.far);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(close(of_child.far) == 0 && close(of_child.listener) == 0);
#endif
    puts("done");
    return 0;
}
