/*
 * The daemon ends, and another one takes its place. Prints "ready" when it may end, reads a line when it has ended; prints
 * "lost", and reads a line when the next one is there.
 */
#include "threads.h"

#define OCTETS 1000

static void say(const char *what) {
    puts(what);
    fflush(stdout);
    char answer[16];
    CHECK(fgets(answer, sizeof answer, stdin) != NULL);
}

static struct pair end_unread(void) {
    static const char octets[OCTETS];
    struct pair pair = connect_pair();
    CHECK(write(pair.near, octets, OCTETS) == OCTETS);
    CHECK(close(pair.near) == 0);
    CHECK((await(pair.far, POLLRDHUP) & POLLRDHUP) != 0);
    return pair;
}

static void *accept_none(void *argument) {
    CHECK(accept(*(int *)argument, NULL, NULL) == -1);  /* until it is closed: EINVAL, or EBADF */
    return NULL;
}

int main(void) {
    struct pair read_later = end_unread(), closed_later = end_unread(), open = connect_pair();
    char octets[OCTETS];
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    say("ready");
    CHECK_ERRNO(ECONNRESET, read(open.far, octets, OCTETS) == -1);  /* waits until the library knows */
    CHECK_ERRNO(ECONNRESET, read(read_later.far, octets, OCTETS) == -1);
    expect_end(read_later.far);
    CHECK((look(closed_later.far, POLLIN) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    CHECK(close(closed_later.far) == 0 && close(closed_later.listener) == 0);
    CHECK(close(read_later.far) == 0 && close(read_later.listener) == 0);
    close_pair(&open);
    /* This thread sleeps for all when the next session opens. */
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, accept_none, &listener) == 0);
    await_threads(getpid(), 'S');
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_ERRNO(ENETDOWN, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(made) == 0);
    say("lost");
    alarm(DEADLINE_MS / 1000);
    /* As many as have lost their memory. */
    struct pair pairs[5];
    for (int i = 0; i < 5; i++) {
        pairs[i] = connect_pair();
        CHECK(write(pairs[i].near, octets, OCTETS) == OCTETS);
        CHECK(recv(pairs[i].far, octets, OCTETS, MSG_WAITALL) == OCTETS);
    }
    for (int i = 0; i < 5; i++) {
        close_pair(&pairs[i]);
    }
    CHECK(close(listener) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    puts("done");
    return 0;
}
