/*
 * Writes a text into the memory of `rddp echo`, and has it sent back: the README's program in C.
 *
 *   hello 10.0.0.2 7471 "a text"
 *
 * It needs no file beside it:
 *
 *   cc -D_GNU_SOURCE -o hello hello.c $(pkg-config --cflags --libs rddp)
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rddp.h"

#define TIMEOUT_MS 10000

static void check(int result) {
    if (result != RDDP_OK) {
        fprintf(stderr, "%s: %s\n", rddp_reason_name(result), rddp_error());
        exit(1);
    }
}

static void fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static rddp_session *open_session(void) {
    rddp_session *session;
    check(rddp_open(NULL, NULL, &session));
    return session;
}

static uint32_t parse_address(const char *text) {
    struct in_addr address;
    if (inet_pton(AF_INET, text, &address) != 1) {
        fail("not an IPv4 address");
    }
    return ntohl(address.s_addr);
}

/* Where the peer may be written, in network byte order. */
struct remote_buffer {
    uint32_t stag;
    uint64_t to;
    uint64_t length;
} __attribute__((packed));

static struct remote_buffer announced(const struct rddp_connection_info *info) {
    struct remote_buffer buffer;
    if (info->private_length < sizeof buffer) {
        fail("the peer has not said where its memory is");
    }
    memcpy(&buffer, info->private_data, sizeof buffer);
    buffer.stag = be32toh(buffer.stag);
    buffer.to = be64toh(buffer.to);
    buffer.length = be64toh(buffer.length);
    return buffer;
}

static struct rddp_piece piece_of(const rddp_region *region, uint64_t offset, uint64_t length) {
    struct rddp_piece made = {.stag = rddp_region_stag(region), .offset = offset, .length = length};
    return made;
}

/* Waits for the next completion, which must be a success. */
static void next_success(rddp_session *session) {
    struct rddp_completion completion;
    while (rddp_poll(session, &completion, 1) == 0) {
        check(rddp_await(session, TIMEOUT_MS));
    }
    if (completion.status != RDDP_SUCCESS) {
        fail(rddp_status_name(completion.status));
    }
}

/* Ends a connection in order: what was posted is sent first. */
static void close_connection(rddp_connection *connection) {
    check(rddp_disconnect(connection, true));
    check(rddp_await_closed(connection, TIMEOUT_MS));
    rddp_forget(connection);
}

int main(int count, char **arguments) {
    if (count != 4) {
        fail("usage: hello ADDRESS PORT TEXT");
    }
    const char *text = arguments[3];
    size_t octets = strlen(text);
    if (octets > 4096) {
        fail("the text may have 4096 octets");
    }

    rddp_session *session = open_session();
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
