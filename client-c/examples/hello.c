/*
 * Writes a text into the memory of `rddp echo`, and has it sent back: the README's program in C.
 *
 *   hello 10.0.0.2 7471 "a text"
 */
#include "example.h"

int main(int count, char **arguments) {
    if (count != 4) {
        fail("usage: hello ADDRESS PORT TEXT");
    }
    const char *text = arguments[3];
    size_t octets = strlen(text);
    if (octets > 4096) {
        fail("the text may have 4096 octets");
    }

    rddp_session *session = open_session(NULL);
    rddp_region *region;
    rddp_connection *peer;
    struct rddp_connection_info info;
    check(rddp_allocate(session, 8192, RDDP_LOCAL_WRITE, &region));
    check(rddp_connect(session, parse_address(arguments[1]), (uint16_t)atoi(arguments[2]), NULL, 0, TIMEOUT_MS, NULL,
        &peer, &info));

    /* The peer's program says where it may be written. */
    struct remote_buffer remote = announced(&info);

    char *memory = rddp_region_address(region);
    memcpy(memory, text, octets);
    struct rddp_piece message = piece_of(region, 0, octets);
    struct rddp_piece answer = piece_of(region, 4096, 4096);
    struct rddp_request requests[] = {
        {.opcode = RDDP_RECEIVE, .pieces = &answer, .piece_count = 1},
        {.opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED, .pieces = &message, .piece_count = 1,
            .remote_stag = remote.stag, .remote_to = remote.to},                   /* into its memory */
        {.opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &message, .piece_count = 1}, /* for the echo */
    };
    for (int i = 0; i < 3; i++) {
        check(rddp_post(peer, &requests[i]));
    }
    for (int left = 3; left > 0; left--) {
        next_success(session);
    }
    printf("%.*s\n", (int)octets, memory + 4096);

    close_connection(peer);
    check(rddp_free(region));
    rddp_close(session);
    return 0;
}
