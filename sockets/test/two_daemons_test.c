/* One end of a connection between programs of two daemons: "server" prints its port; "client PORT". */
#include "ends.h"

#define MUCH (2u << 20)

struct end {
    int descriptor;
    bool is_server;
};

static void *send_all(void *argument) {
    const struct end *end = argument;
    uint8_t octets[30011];
    for (size_t sent = 0; sent < MUCH;) {
        size_t count = MUCH - sent < sizeof octets ? MUCH - sent : sizeof octets;
        for (size_t i = 0; i < count; i++) {
            octets[i] = octet_at(sent + i, end->is_server);
        }
        CHECK(write(end->descriptor, octets, count) == (ssize_t)count);
        sent += count;
    }
    CHECK(shutdown(end->descriptor, SHUT_WR) == 0);
    return NULL;
}

/* Both ends send at once, end their direction, and read the other's. */
static void exchange(int descriptor, bool is_server) {
    struct end end = {.descriptor = descriptor, .is_server = is_server};
    uint8_t octets[20011];
    size_t done = 0;
    ssize_t got;
    pthread_t sender;
    CHECK(pthread_create(&sender, NULL, send_all, &end) == 0);
    while ((got = read(descriptor, octets, sizeof octets)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            CHECK(octets[i] == octet_at(done + (size_t)i, !is_server));
        }
        done += (size_t)got;
    }
    CHECK(got == 0 && done == MUCH);
    CHECK(pthread_join(sender, NULL) == 0);
}

static void serve(void) {
    uint16_t port;
    int listener = listen_at(FAR_ADDRESS, &port);
    printf("%u\n", port);
    fflush(stdout);
    int far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    exchange(far, true);
    CHECK(close(far) == 0);
    /* The second client is killed. */
    far = accept(listener, NULL, NULL);
    CHECK(far >= 0);
    expect_text(far, "here");
    puts("connected");
    fflush(stdout);
    expect_end(far);
    CHECK(close(far) == 0 && close(listener) == 0);
}

int main(int count, char **arguments) {
    if (count == 2) {
        serve();
    } else {
        CHECK(count == 3);
        uint16_t port = (uint16_t)strtol(arguments[2], NULL, 10);
        int near = begin_connect(FAR_ADDRESS, port);
        CHECK(await(near, POLLOUT) == POLLOUT);
        set_nonblocking(near, false);
        if (strcmp(arguments[1], "client") == 0) {
            exchange(near, false);
            CHECK(close(near) == 0);
        } else {
            send_text(near, "here");
            char octet;
            (void)!read(near, &octet, 1);  /* until it is killed */
        }
    }
    puts("done");
    return 0;
}
