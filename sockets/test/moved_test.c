/* The move of a stream to a bridge: beside a write, and after the daemon has marked one ring and the other one not yet. */
#include "ends.h"

#include <sys/syscall.h>

#include "bridge.h"
#include "locks.h"

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

struct mover {
    int descriptor;
    _Atomic pid_t thread;
    _Atomic bool has_moved;
};

static void *move(void *argument) {
    struct mover *mover = argument;
    atomic_store(&mover->thread, gettid());
    CHECK(use_bridge(mover->descriptor));
    atomic_store(&mover->has_moved, true);
    return NULL;
}

/* Whether a thread waits for a lock (proc(5)). */
static bool waits_for_lock(pid_t thread) {
    char path[64], call[16] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, call, sizeof call - 1) > 0 && close(file) == 0);
    return strtol(call, NULL, 10) == SYS_futex;
}

static void should_move_between_two_writes(void) {
    struct pair pair = connect_pair();
    struct stream *stream = take_stream(pair.near);
    struct mover mover = {.descriptor = pair.near};
    pthread_t thread;
    uint64_t signals = block_signals();
    lock_shared(&stream->header->write_lock);
    CHECK(pthread_create(&thread, NULL, move, &mover) == 0);
    while (atomic_load(&mover.thread) == 0 || !waits_for_lock(mover.thread)) {
        CHECK(!atomic_load(&mover.has_moved));
    }
    unlock_shared(&stream->header->write_lock);
    restore_signals(signals);
    CHECK(pthread_join(thread, NULL) == 0);
    put_stream(stream);
    expect_bridge(pair.near);
    send_text(pair.near, "by the bridge");
    expect_text(pair.far, "by the bridge");
    close_pair(&pair);
}

int main(void) {
    alarm(100);
    RUN(should_write_by_the_bridge);
    RUN(should_read_by_the_bridge);
    RUN(should_wake_who_waits_for_the_bridge);
    RUN(should_move_between_two_writes);
    puts("done");
    return 0;
}
