/* What the examples have in common: they end with a message when something fails. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rddp.h"

#define TIMEOUT_MS 10000

static inline void check(int result) {
    if (result != RDDP_OK) {
        fprintf(stderr, "%s: %s\n", rddp_reason_name(result), rddp_error());
        exit(1);
    }
}

static inline void fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    exit(1);
}

/* A session with the daemon, at one of its interfaces. */
static inline rddp_session *open_session(const char *interface_name) {
    struct rddp_session_options options = {.interface_name = interface_name};
    rddp_session *session;
    check(rddp_open(NULL, &options, &session));
    return session;
}

static inline uint32_t parse_address(const char *text) {
    struct in_addr address;
    if (inet_pton(AF_INET, text, &address) != 1) {
        fail("not an IPv4 address");
    }
    return ntohl(address.s_addr);
}

/* ---- Memory that a peer may use ---- */

/*
 * What a peer has to know to reach memory of this program. It travels in the private data of a connection's request or
 * reply, in network byte order.
 */
struct remote_buffer {
    uint32_t stag;
    uint64_t to;
    uint64_t length;
} __attribute__((packed));

static inline struct remote_buffer announce(const rddp_region *region) {
    struct remote_buffer made = {.stag = htobe32(rddp_region_stag(region)),
        .to = htobe64(rddp_region_base(region)), .length = htobe64(rddp_region_length(region))};
    return made;
}

/* What a peer has announced. */
static inline struct remote_buffer announced(const struct rddp_connection_info *info) {
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

static inline struct rddp_piece piece_of(const rddp_region *region, uint64_t offset, uint64_t length) {
    struct rddp_piece made = {.stag = rddp_region_stag(region), .offset = offset, .length = length};
    return made;
}

/* ---- Completions ---- */

/* Waits until there may be a completion, a connection request, or a change of a connection; a second at most. */
static inline void wait_for_change(rddp_session *session) {
    int result = rddp_await(session, 1000);
    if (result != RDDP_TIMEOUT) {
        check(result);
    }
}

/* Waits for the next completion, which must be a success. */
static inline struct rddp_completion next_success(rddp_session *session) {
    struct rddp_completion completion;
    while (rddp_poll(session, &completion, 1) == 0) {
        check(rddp_await(session, TIMEOUT_MS));
    }
    if (completion.status != RDDP_SUCCESS) {
        fail(rddp_status_name(completion.status));
    }
    return completion;
}

/* ---- Peers of a server ---- */

#define MAX_PEERS 64

struct peers {
    rddp_connection *each[MAX_PEERS];
    int count;
};

/* Accepts who asks to connect, with private data; waits so long if nobody does. */
static inline void accept_peers(struct peers *peers, rddp_listener *listener, const void *data, size_t octets,
    unsigned timeout_ms) {
    for (; peers->count < MAX_PEERS; timeout_ms = 0) {
        rddp_connection *peer;
        int result = rddp_next_request(listener, timeout_ms, &peer);
        if (result == RDDP_TIMEOUT) {
            return;
        }
        check(result);
        if (rddp_start_accept(peer, data, octets, NULL) == RDDP_OK) {
            peers->each[peers->count++] = peer;
        } else {
            rddp_forget(peer);  /* it has given up in the meantime */
        }
    }
}

/* Closes connections that the peer has closed, and forgets those that have ended. */
static inline void close_ended(struct peers *peers) {
    for (int i = peers->count - 1; i >= 0; i--) {
        struct rddp_connection_info info;
        rddp_connection_info(peers->each[i], &info);
        bool has_ended = info.state == RDDP_CLOSED
            || (info.peer_closed && rddp_disconnect(peers->each[i], true) != RDDP_OK);
        if (has_ended) {
            rddp_forget(peers->each[i]);
            peers->each[i] = peers->each[--peers->count];
        }
    }
}

/* Listens, and prints the port for whoever starts the clients. */
static inline rddp_listener *listen_at(rddp_session *session, const char *port,
    const struct rddp_connection_options *options) {
    rddp_listener *listener;
    check(rddp_listen(session, (uint16_t)atoi(port), 16, options, &listener));
    printf("port %u\n", rddp_listener_port(listener));
    fflush(stdout);
    return listener;
}

/* Ends a connection in order: what was posted is sent first. */
static inline void close_connection(rddp_connection *connection) {
    check(rddp_disconnect(connection, true));
    check(rddp_await_closed(connection, TIMEOUT_MS));
    rddp_forget(connection);
}

#endif
