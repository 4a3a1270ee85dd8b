/*
 * The daemon ends, and another one takes its place. Prints "ready" when it may end, reads a line when it has ended; prints
 * "lost", and reads a line when the next one is there.
 */
#include "ends.h"

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

int main(void) {
    struct pair read_later = end_unread(), closed_later = end_unread(), open = connect_pair();
    char octets[OCTETS];
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    set_nonblocking(listener, true);
    say("ready");
    CHECK_ERRNO(ECONNRESET, read(open.far, octets, OCTETS) == -1);
    CHECK((await(open.near, POLLIN) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    /* What has come stays. */
    CHECK(recv(read_later.far, octets, OCTETS, MSG_WAITALL) == OCTETS);
    expect_end(read_later.far);
    CHECK(close(closed_later.far) == 0 && close(closed_later.listener) == 0);
    CHECK(close(read_later.far) == 0 && close(read_later.listener) == 0);
    close_pair(&open);
    CHECK_ERRNO(EAGAIN, accept(listener, NULL, NULL) == -1);  /* the kernel's listener goes on */
    struct sockaddr_in to = address_of(FAR_ADDRESS, port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_ERRNO(ENETDOWN, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    CHECK(close(made) == 0);
    say("lost");
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
    puts("done");
    return 0;
}
