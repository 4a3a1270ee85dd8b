/*
 * The daemon ends while a program waits: waiting ends, and every call says that the session is lost. The argument is the
 * daemon's socket. Prints "ready" when the daemon may end.
 */
#include "pair.h"

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    struct pair pair;
    open_pair(&pair, arguments[1], NULL);
    puts("ready");
    fflush(stdout);

    struct rddp_completion completion;
    int result = RDDP_OK;
    while (result == RDDP_OK) {
        CHECK(rddp_poll(pair.one.session, &completion, 1) == 0 || completion.status == RDDP_FLUSHED);
        result = rddp_await(pair.one.session, 60000);
    }
    CHECK(result == RDDP_LOST);
    CHECK_TEXT("the daemon");
    CHECK_RESULT(RDDP_LOST, rddp_session_state(pair.one.session));
    CHECK(rddp_connection_state(pair.one.connection) == RDDP_CLOSED);
    rddp_region *region;
    CHECK_RESULT(RDDP_LOST, rddp_allocate(pair.one.session, 4096, RDDP_LOCAL_WRITE, &region));
    CHECK(rddp_arm(pair.one.session));
    /* The memory stays until the session is closed. */
    pair.one.memory[0] = 1;
    close_pair(&pair);
    puts("done");
    return 0;
}
