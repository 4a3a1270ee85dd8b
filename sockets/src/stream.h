/*
 * A stream: a connection that the daemon owns, whose octets lie in two rings in memory that this process shares with it. The
 * program's descriptor is a socket at which the daemon has the other end: what the kernel says of it is that it is readable when a
 * message of the daemon's is there, and writable unless this library has filled it (docs/ipc.md#octet-streams).
 *
 * Nothing here waits.
 */
#ifndef RDDP_SOCKETS_STREAM_H
#define RDDP_SOCKETS_STREAM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "descriptors.h"
#include "session.h"
#include "shared.h"

struct item;
struct mapping;

struct stream {
    struct object object;  /* first */
    struct stream_header *header;
    uint8_t *sending, *receiving;          /* the rings */
    uint32_t send_octets, receive_octets;  /* that these can use */
    struct mapping *mapping;               /* of its memory; NULL of a bridge */
    const struct session *session;
    uint32_t section, index;
    struct stream *origin;  /* of a bridge: what it is the bridge of, which has the header; NULL otherwise */
    struct item *items;     /* of epoll instances; under the library's lock */
    int fallback;           /* the program's socket of the kernel, which connects if the peer's host has no rddp; -1 */
    struct sockaddr_in6 to; /* where it does so; IPv4 mapped */
};

/* What the daemon gives for a stream. The descriptors stay the caller's. */
struct stream_parts {
    const struct session *session;
    uint32_t section, index, send_octets, receive_octets;
    int socket, memory;
};

/* Maps a stream's memory. With a reference; NULL with errno. The engine does not use it before begin_stream(). */
struct stream *map_stream(const struct stream_parts *parts, int domain);
/* Lets the engine use it: with the flags MAPPED and, of an accepted one, TAKEN. */
void begin_stream(struct stream *stream, uint32_t flags);

/* What takes the place of a stream at its descriptors, whose octets pass by a bridge. With a reference; NULL without memory. */
struct stream *new_bridge(struct stream *origin);

/* The descriptor's stream with a reference, or NULL. */
static inline struct stream *take_stream(int descriptor) {
    return (struct stream *)take(descriptor, A_STREAM);
}

static inline void put_stream(struct stream *stream) {
    put(&stream->object);
}

/* Whether a bridge is to take its place. */
static inline bool has_moved(const struct stream *stream) {
    const struct stream_header *header = stream->header;
    /* The daemon marks one after the other: what is written in between would be lost. */
    return ((atomic_load(&header->written) | atomic_load(&header->consumed)) & MOVED) != 0 && atomic_load(&header->lost) == 0;
}

/* Called when a descriptor of a stream is closed. */
extern void (*stream_forgotten)(struct stream *stream, int descriptor);

/* ---- Its state ---- */

/* What poll(2) reports of it. */
uint32_t stream_events(const struct stream *stream);

/* Whether a connection is established, and nothing has gone wrong since. */
bool is_connected(const struct stream *stream);
bool is_connecting(const struct stream *stream);
/* Whether a connection is, or has been. */
bool was_established(const struct stream *stream);
/* Whether it has failed or was reset. */
bool is_dead(const struct stream *stream);

/* Takes what went wrong, which is told once (SO_ERROR); 0: nothing. */
int take_error(struct stream *stream);
/* Of connecting: 0, or what went wrong. */
int take_outcome(struct stream *stream);

/* Whether nothing follows the octets that have come. */
bool has_end(const struct stream *stream);
/* Octets to be read. */
uint32_t readable_octets(const struct stream *stream);
/* Whether so many octets, at least, can be read, or all that will come, or an error. */
bool is_readable(const struct stream *stream, uint32_t octets);
bool is_writable(const struct stream *stream);
/* SO_RCVLOWAT, or half of the ring if that is less. */
uint32_t low_mark(const struct stream *stream);

/* ---- Octets ---- */

/* Of a step: it has a result, it would have to wait, or the octets pass by a bridge. */
enum step { STEP_DONE, STEP_WAITS, STEP_MOVED };

/*
 * Receives what is there into the pieces, from a place on, and says how many octets; or the end, 0, or an error, -1 with errno. Flags:
 * MSG_PEEK, MSG_TRUNC (discards). The descriptor is the stream's. A call that has octets already, `from` of them, returns these: an error
 * is left to the next one.
 */
enum step receive_step(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, size_t from, int flags,
    ssize_t *result);

/*
 * Sends as many octets of the pieces, from a place on, as there is room for, or of few all, if the caller waits. STEP_WAITS without any.
 * As with receive_step(), an error is left to the next call if `from` is not 0.
 */
enum step send_step(struct stream *stream, const struct iovec *pieces, size_t count, size_t from, bool waits, ssize_t *result);

/* shutdown(2) of one direction. */
void end_sending(struct stream *stream);
void end_receiving(struct stream *stream);
void abort_at_close(struct stream *stream);
/* The daemon uses another congestion control: CUBIC, NEW_RENO or DCTCP. */
void choose_congestion(struct stream *stream, enum congestion chosen);
/* What the daemon sends has another DSCP, 0 to 63. */
void choose_dscp(struct stream *stream, unsigned dscp);

/* ---- What the kernel says of the socket ---- */

/*
 * Somebody is going to sleep at the socket, one more: the daemon makes it readable when something comes, if nothing is there yet;
 * with `again` if something is there, too. Whoever sleeps no more says so: the daemon sends nothing for the last one.
 */
void begin_waiting(struct stream *stream, bool again);
void end_waiting(struct stream *stream);
/* Who waits goes on to sleep. */
void rearm(struct stream *stream, bool again);
/* What is left at a stream where others wait is said again. */
void tell_others(struct stream *stream);
/* Receives messages of the daemon's that are for what is gone. */
void drain(struct stream *stream, int descriptor);

/* The socket is not writable until the ring has room; `full`: a blocking send(2) there would block, too. */
void arm_out(struct stream *stream, int descriptor, bool full);
/* Fills the socket. */
void fill(int descriptor, bool full);

/* The socket is at its end: the daemon has ended, unless the header says something else. */
void note_hangup(struct stream *stream);
/* Nothing can be done with it any more. */
void lose_stream(struct stream *stream);

size_t octets_of(const struct iovec *pieces, size_t count);

#endif
