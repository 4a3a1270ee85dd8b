/*
 * The octets of a connection. They go in Sends into receives of SLOT_OCTETS that the peer has posted; the immediate data
 * of each tell how many receives the sender has posted again. A Send costs one message on the wire, and a short one is in
 * the request itself; a ring in the peer's memory would need a Write, and a message behind it that wakes the peer.
 *
 * What has been sent is posted: the daemon goes on while the program does nothing.
 */
#ifndef RDDP_SOCKETS_STREAM_H
#define RDDP_SOCKETS_STREAM_H

#include "link.h"

/*
 * Messages with octets that may be outstanding. SLOTS has four more: for the end, and for messages that only return
 * credits, of which two wait at most, since each returns RETURN.
 */
#define CREDITS 12u
#define RETURN 6u
#define SEND_QUEUE 64u
/* That a connection may have outstanding: its receives, and its Sends until they are acknowledged. */
#define REQUESTS_OF_STREAM 32u
#define BUFFER_OCTETS ((SLOTS + CREDITS) * (uint64_t)SLOT_OCTETS)

/* What an end tells the other in the private data of its request or reply. */
struct greeting {
    char magic[8];
    uint32_t credits, octets;  /* big-endian */
};

struct greeting own_greeting(void);

/* Reads the peer's; false if it is none. */
bool read_greeting(struct sock *sock, const struct rddp_connection_info *info);

/* Gives a socket a connection of a link, and posts its receives. False without memory. */
bool attach_stream(struct sock *sock, struct link *link, rddp_connection *connection);

/* Takes the connection from the socket, which it forgets: it has ended, or never began. Octets that have arrived stay. */
void detach_stream(struct sock *sock);

/* A request has completed. */
void on_completion(struct sock *sock, const struct rddp_completion *completion);

/* When requests that did not fit into a session's rings are tried again; FOREVER if there are none. */
uint64_t next_retry(void);
/* Whether it is time, once: whoever takes it calls retry_streams() for all links. */
bool take_retries(void);
void retry_streams(struct link *link);

/* The connection has ended, and all its completions have been taken. */
void on_end(struct sock *sock, int reason);

/* Whether a message fits into the session's rings; if not, it is tried again soon. */
bool has_room_for_message(struct sock *sock);

bool readable(const struct sock *sock);
bool writable(const struct sock *sock);

/* The events of poll(2). */
short stream_events(const struct sock *sock);

/* Copies octets that have arrived; returns how many. keep: they stay (MSG_PEEK). */
size_t read_stream(struct sock *sock, const struct iovec *pieces, size_t count, bool keep);

/* Sends octets, as many as the peer has room for, from an offset of the pieces; returns how many. */
size_t write_stream(struct sock *sock, const struct iovec *pieces, size_t count, size_t from);

/* Drops what has arrived, and what still comes. */
void discard_octets(struct sock *sock);

/* Tells the peer that nothing more comes. */
void end_sending(struct sock *sock);

/* Ends the connection: gracefully, or with a reset. */
void end_stream(struct sock *sock, bool graceful);

/* Ends a connection that no program will use. */
void abandon_stream(struct sock *sock);

/* Octets of all pieces. */
size_t octets_of(const struct iovec *pieces, size_t count);

#endif
