/*
 * Copies a file to a peer. The sender writes chunks in turn into two halves of the receiver's memory, and sends an empty
 * message behind each. The receiver stores the chunk, and answers with an empty message; so one chunk is on its way while
 * the one before is stored.
 *
 *   file_copy receive INTERFACE PORT FILE
 *   file_copy send INTERFACE ADDRESS PORT FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "example.h"

#define CHUNK ((uint64_t)1 << 20)

static rddp_session *session;
static rddp_region *chunks;
static rddp_connection *peer;

static uint64_t length_at(uint64_t at, uint64_t size) {
    return size - at < CHUNK ? size - at : CHUNK;
}

static uint64_t half_of(uint64_t at) {
    return at / CHUNK % 2 * CHUNK;
}

static char *address_of(uint64_t at) {
    return (char *)rddp_region_address(chunks) + half_of(at);
}

/* A message without octets. Signalled: the completion of a Send also retires the Writes before it. */
static void post_empty(enum rddp_opcode opcode) {
    struct rddp_request request = {.opcode = opcode, .flags = RDDP_SIGNALLED};
    check(rddp_post(peer, &request));
}

static void send_chunk(int file, uint64_t at, uint64_t size, const struct remote_buffer *sink) {
    uint64_t length = length_at(at, size);
    for (uint64_t done = 0; done < length;) {
        ssize_t octets = pread(file, address_of(at) + done, length - done, (off_t)(at + done));
        if (octets <= 0) {
            fail("the file cannot be read, or has become shorter");
        }
        done += (uint64_t)octets;
    }
    struct rddp_piece piece = piece_of(chunks, half_of(at), length);
    struct rddp_request write = {.opcode = RDDP_WRITE, .pieces = &piece, .piece_count = 1, .remote_stag = sink->stag,
        .remote_to = sink->to + half_of(at)};
    post_empty(RDDP_RECEIVE);  /* for the answer */
    check(rddp_post(peer, &write));
    post_empty(RDDP_SEND);
}

static void send_file(const char *address, const char *port, const char *name) {
    int file = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        fail("the file cannot be opened");
    }
    uint64_t size = (uint64_t)status.st_size, size_sent = htobe64(size);
    struct rddp_connection_info info;
    check(rddp_connect(session, parse_address(address), (uint16_t)atoi(port), &size_sent, sizeof size_sent, TIMEOUT_MS,
        NULL, &peer, &info));
    struct remote_buffer sink = announced(&info);
    for (uint64_t at = 0, stored = 0; stored < size;) {
        while (at < size && at - stored < 2 * CHUNK) {
            send_chunk(file, at, size, &sink);
            at += length_at(at, size);
        }
        if (next_success(session).opcode == RDDP_RECEIVE) {
            stored += length_at(stored, size);
            printf("%" PRIu64 " of %" PRIu64 "\n", stored, size);
        }
    }
    close_connection(peer);
    close(file);
}

static void store(int file, uint64_t at, uint64_t length) {
    for (uint64_t done = 0; done < length;) {
        ssize_t octets = write(file, address_of(at) + done, length - done);
        if (octets < 0) {
            fail("the file cannot be written");
        }
        done += (uint64_t)octets;
    }
}

static void receive_file(const char *port, const char *name) {
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        fail("the file cannot be created");
    }
    rddp_listener *listener = listen_at(session, port, NULL);
    struct rddp_connection_info info;
    uint64_t size;
    check(rddp_next_request(listener, 60000, &peer));
    rddp_connection_info(peer, &info);
    if (info.private_length < sizeof size) {
        fail("the peer has not said how long the file is");
    }
    memcpy(&size, info.private_data, sizeof size);
    size = be64toh(size);
    post_empty(RDDP_RECEIVE);  /* two chunks may come at once */
    post_empty(RDDP_RECEIVE);
    struct remote_buffer where = announce(chunks);
    check(rddp_accept(peer, &where, sizeof where, NULL));
    for (uint64_t at = 0; at < size;) {
        if (next_success(session).opcode == RDDP_SEND) {
            continue;
        }
        post_empty(RDDP_RECEIVE);
        store(file, at, length_at(at, size));
        post_empty(RDDP_SEND);
        at += length_at(at, size);
    }
    close_connection(peer);
    close(file);
}

int main(int count, char **arguments) {
    bool receives = count == 5 && strcmp(arguments[1], "receive") == 0;
    if (!receives && (count != 6 || strcmp(arguments[1], "send") != 0)) {
        fail("usage: file_copy receive INTERFACE PORT FILE | send INTERFACE ADDRESS PORT FILE");
    }
    session = open_session(arguments[2]);
    check(rddp_allocate(session, 2 * CHUNK, RDDP_LOCAL_WRITE | RDDP_REMOTE_WRITE, &chunks));
    if (receives) {
        receive_file(arguments[3], arguments[4]);
    } else {
        send_file(arguments[3], arguments[4], arguments[5]);
    }
    rddp_close(session);
    return 0;
}
