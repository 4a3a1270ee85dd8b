/* What happens while the library looks at what has happened: a watch of one connection comes in between, under the lock. */
#include "ends.h"
#include "internal.h"
#include "stream.h"

#define OCTETS 100

struct interruption {
    struct watch watch;  /* first */
    struct sock *writer, *reader;
    bool done;
};

static void await_peer_closed(const struct sock *sock) {
    rddp_session *session = sock->connection->session;
    pthread_mutex_lock(&session->lock);
    while (!sock->connection->info.peer_closed) {
        CHECK(wait_changed(session, deadline_after(DEADLINE_MS * (uint64_t)NANOS_PER_MS)));
    }
    pthread_mutex_unlock(&session->lock);
}

/* Once the end of the watched connection is seen, another one gets its last octets and its end. */
static void on_change(struct watch *watch) {
    struct interruption *interruption = (struct interruption *)watch;
    if (!watch->sock->failed || interruption->done) {
        return;
    }
    static uint8_t octets[OCTETS] = {1};
    struct iovec piece = {.iov_base = octets, .iov_len = OCTETS};
    interruption->done = true;
    CHECK(write_stream(interruption->writer, &piece, 1, 0) == OCTETS);
    end_sending(interruption->writer);
    end_stream(interruption->writer, true);
    await_peer_closed(interruption->reader);
}

static void should_read_octets_that_come_with_the_end(void) {
    /* The second one is looked at before the first. */
    struct pair late = connect_pair(), early = connect_pair();
    lock_engine();
    struct interruption interruption = {.watch.changed = on_change, .writer = sock_at(late.near), .reader = sock_at(late.far)};
    add_watch(sock_at(early.far), &interruption.watch);
    unlock_engine();
    CHECK(close(early.near) == 0);
    char octets[OCTETS];
    CHECK(recv(late.far, octets, OCTETS, MSG_WAITALL) == OCTETS);
    expect_end(late.far);
    expect_end(early.far);
    lock_engine();
    CHECK(interruption.done);
    remove_watch(&interruption.watch);
    unlock_engine();
    CHECK(close(early.far) == 0 && close(early.listener) == 0);
    close_pair(&late);
}

int main(void) {
    RUN(should_read_octets_that_come_with_the_end);
    puts("done");
    return 0;
}
