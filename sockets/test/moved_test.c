/* The moment in which the daemon has marked one ring as moved to a bridge, and the other one not yet. */
#include "ends.h"

#include "stream.h"

/* The daemon marks the ring of what is sent first. */
static void mark_sending(int descriptor) {
    struct stream *stream = take_stream(descriptor);
    CHECK(stream != NULL && stream->origin == NULL);
    atomic_fetch_or(&stream->header->written, MOVED);
    put_stream(stream);
}

static void expect_bridge(int descriptor) {
    struct stream *stream = take_stream(descriptor);
    CHECK(stream != NULL && stream->origin != NULL);
    put_stream(stream);
}

static void should_write_by_the_bridge(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "by the ring, ");
    mark_sending(pair.near);
    send_text(pair.near, "by the bridge");
    expect_bridge(pair.near);
    expect_text(pair.far, "by the ring, by the bridge");
    close_pair(&pair);
}

static void should_read_by_the_bridge(void) {
    struct pair pair = connect_pair();
    send_text(pair.far, "by the ring, ");
    CHECK(await(pair.near, POLLIN) == POLLIN);
    mark_sending(pair.near);
    send_text(pair.far, "by the bridge");
    expect_text(pair.near, "by the ring, by the bridge");
    expect_bridge(pair.near);
    close_pair(&pair);
}

static void should_wake_who_waits_for_the_bridge(void) {
    struct pair pair = connect_pair();
    mark_sending(pair.near);
    CHECK(await(pair.near, POLLIN | POLLOUT) == POLLOUT);
    expect_bridge(pair.near);
    close_pair(&pair);
}

int main(void) {
    alarm(100);
    RUN(should_write_by_the_bridge);
    RUN(should_read_by_the_bridge);
    RUN(should_wake_who_waits_for_the_bridge);
    puts("done");
    return 0;
}
