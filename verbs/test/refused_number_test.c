/*
 * A queue pair expects a peer at whose address no daemon of rddp listens. The program hears of that also while nobody reads
 * its standard error, where the library says why. The argument is the socket of a daemon whose interfaces have different ports.
 */
#include <fcntl.h>
#include <sched.h>

#include "halves.h"

#define REASON "rddp verbs: nobody listens at port"

/* Makes standard error a pipe that is full; returns the end to read from. */
static FILE *fill_standard_error(void) {
    int ends[2];
    CHECK(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    while (write(ends[1], "", 1) == 1) {
    }
    CHECK(errno == EAGAIN && fcntl(ends[1], F_SETFL, 0) == 0 && fcntl(ends[0], F_SETFL, 0) == 0);
    CHECK(dup2(ends[1], STDERR_FILENO) >= 0 && close(ends[1]) == 0);
    return fdopen(ends[0], "r");
}

/* Reads a line behind what fills the pipe, and says whether it has the reason; 0 at the end, too. */
static int read_reason(FILE *said) {
    char line[1024];
    int octet = getc(said);
    while (octet == '\0') {
        octet = getc(said);
    }
    ungetc(octet, said);
    return octet != EOF && fgets(line, sizeof line, said) != NULL && strncmp(line, REASON, strlen(REASON)) == 0;
}

/* RTS is allowed also once the refusal has come, as on a card, which learns of it by its first send. */
static void expect_nobody(struct half *one, const struct half *two, bool is_late) {
    to_rtr(one, two);
    while (is_late && state_now(one) != IBV_QPS_ERR) {
        sched_yield();
    }
    to_rts(one);
    CHECK(post(one, 1, IBV_WR_SEND, 8, NULL) == 0);
    await(one, IBV_WC_RETRY_EXC_ERR, 1);
    CHECK(state_now(one) == IBV_QPS_ERR);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    alarm(50);  /* a check that fails would write to the full pipe */
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    open_devices();
    struct half one, two;
    create_two(&one, &two, 0);
    int own = dup(STDERR_FILENO);
    FILE *said = fill_standard_error();
    /* The end with the lower address connects. */
    expect_nobody(&one, &two, false);
    to_state(&one, IBV_QPS_RESET);
    to_init(&one, 0);
    expect_nobody(&one, &two, true);
    CHECK(modify_to_rts(&one) == EINVAL);
    CHECK(read_reason(said) == 1);
    CHECK(dup2(own, STDERR_FILENO) >= 0 && close(own) == 0);
    CHECK(read_reason(said) == 0 && fclose(said) == 0);
    destroy(&one);
    destroy(&two);
    CHECK(ibv_close_device(contexts[0]) == 0 && ibv_close_device(contexts[1]) == 0);
    puts("done");
    return 0;
}
