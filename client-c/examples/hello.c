/*
 * Writes a text into the memory of `rddp echo`, and has it sent back: the README's program in C.
 *
 *   hello 10.0.0.2 7471 "a text"
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rddp.h"

static void check(int result) {
    if (result != RDDP_OK) {
        fprintf(stderr, "%s: %s\n", rddp_reason_name(result), rddp_error());
        exit(1);
    }
}

int main(int count, char **arguments) {
    struct in_addr address;
    if (count != 4 || inet_pton(AF_INET, arguments[1], &address) != 1) {
        fprintf(stderr, "usage: %s ADDRESS PORT TEXT\n", arguments[0]);
        return 2;
    }
    const char *text = arguments[3];
    size_t octets = strlen(text);
    if (octets > 4096) {
        fprintf(stderr, "the text may have 4096 octets, not %zu\n", octets);
        return 2;
    }

    rddp_session *session;
    rddp_region *region;
    rddp_connection *peer;
    struct rddp_connection_info info;
    check(rddp_open(NULL, NULL, &session));
    check(rddp_allocate(session, 8192, RDDP_LOCAL_WRITE, &region));
    check(rddp_connect(session, ntohl(address.s_addr), (uint16_t)atoi(arguments[2]), NULL, 0, 5000, NULL, &peer, &info));

    /* The peer's program says where it may be written: STag, Tagged Offset, length. */
    uint32_t stag;
    uint64_t to;
    memcpy(&stag, info.private_data, sizeof stag);
    memcpy(&to, info.private_data + sizeof stag, sizeof to);

    char *memory = rddp_region_address(region);
    memcpy(memory, text, octets);
    struct rddp_piece message = {.stag = rddp_region_stag(region), .length = octets};
    struct rddp_piece answer = {.stag = rddp_region_stag(region), .offset = 4096, .length = 4096};
    struct rddp_request requests[] = {
        {.opcode = RDDP_RECEIVE, .pieces = &answer, .piece_count = 1},
        {.opcode = RDDP_WRITE, .flags = RDDP_SIGNALLED, .pieces = &message, .piece_count = 1,
            .remote_stag = be32toh(stag), .remote_to = be64toh(to)},               /* into its memory */
        {.opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = &message, .piece_count = 1}, /* for the echo */
    };
    for (int i = 0; i < 3; i++) {
        check(rddp_post(peer, &requests[i]));
    }

    for (int left = 3; left > 0;) {
        struct rddp_completion completion;
        if (rddp_poll(session, &completion, 1) == 0) {
            check(rddp_await(session, 5000));
            continue;
        }
        if (completion.status != RDDP_SUCCESS) {
            fprintf(stderr, "%s\n", rddp_status_name(completion.status));
            return 1;
        }
        left--;
    }
    printf("%.*s\n", (int)octets, memory + 4096);

    check(rddp_disconnect(peer, true));
    check(rddp_await_closed(peer, 5000));
    rddp_forget(peer);
    check(rddp_free(region));
    rddp_close(session);
    return 0;
}
