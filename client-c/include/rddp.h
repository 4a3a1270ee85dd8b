/*
 * librddp: the interface of programs to rddpd, in C11.
 *
 * A program opens a session with the daemon on its machine, registers memory, connects to peers, and posts requests:
 * the daemon writes straight into the peer's registered memory, and the peer's daemon into ours. In terms of verbs, a
 * session is a context and a completion queue in one, with up to 4096 protection domains; a region is an ibv_mr; a
 * connection is a queue pair with its rdma_cm_id; rddp_post() is ibv_post_send() and ibv_post_recv(), rddp_poll() is
 * ibv_poll_cq().
 *
 * Results. A function that can fail returns 0, or one of enum rddp_reason; rddp_error() then says what was wrong.
 * Arguments that C's type system cannot check (a null session, a region of another session) are the program's
 * responsibility.
 *
 * Threads. One thread at a time may post to a session (rddp_post(), rddp_post_shared()), and one at a time may poll it
 * (rddp_poll(), rddp_arm(), rddp_await()); both may run at the same time. Any thread may call all other functions. Each
 * session has its own thread, which blocks all signals, receives the daemon's messages and notices the daemon's end.
 * Neither rddp_post() nor rddp_poll() makes a system call, takes a lock, or allocates.
 *
 * fork(2). A child must not use its parent's sessions; it opens its own.
 */
#ifndef RDDP_H
#define RDDP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RDDP_EXPORT __attribute__((visibility("default")))
#define RDDP_CHECK_RESULT __attribute__((warn_unused_result))

/* Why a request was refused, or why a connection failed or ended. The numbers below 64 are the daemon's. */
enum rddp_reason {
    RDDP_OK = 0,
    RDDP_VERSION = 1,          /* the daemon speaks another version of the control protocol */
    RDDP_PERMISSION = 2,       /* the user lacks the permission */
    RDDP_LIMIT = 3,            /* a limit of the session, the interface or the daemon is reached */
    RDDP_RESOURCES = 4,        /* the system has no memory, descriptors or mappings left */
    RDDP_INVALID = 5,          /* an argument is wrong */
    RDDP_NOT_FOUND = 6,        /* the session has no such object */
    RDDP_STATE = 7,            /* the object's state does not allow the request */
    RDDP_ADDRESS_IN_USE = 8,   /* the port is in use */
    RDDP_NO_INTERFACE = 9,     /* the daemon has no such interface or address */
    RDDP_UNSAFE_MEMORY = 10,   /* an access to the memory could fault */
    RDDP_PROTOCOL = 11,        /* a malformed message or ring entry */
    RDDP_INTERNAL = 12,        /* internal error of the daemon */
    RDDP_UNREACHABLE = 13,     /* no route to the address */

    RDDP_LOCAL_CLOSE = 32,     /* closed gracefully by this side */
    RDDP_PEER_CLOSE = 33,      /* closed gracefully by the peer */
    RDDP_LOCAL_ABORT = 34,     /* aborted by this side */
    RDDP_RESET = 35,           /* reset by the peer */
    RDDP_REFUSED = 36,         /* no program listens there, or the peer's program rejected the connection */
    RDDP_TIMEOUT = 37,         /* no answer in time */
    RDDP_MPA_ERROR = 38,       /* MPA found an error; the detail is its number, 1 to 7 (RFC 5044 section 8) */
    RDDP_DDP_ERROR = 39,       /* DDP found an error; the detail is type << 8 | code (RFC 5041 section 7.2) */
    RDDP_RDMAP_ERROR = 40,     /* RDMAP found an error; the detail is type << 8 | code (RFC 5040 section 4.8) */
    RDDP_TERMINATED = 41,      /* the peer found an error; the detail is layer << 12 | type << 8 | code */
    RDDP_STOPPING = 42,        /* the daemon is stopping, or has ended */

    RDDP_AGAIN = 64,           /* a queue is full: poll, and post again */
    RDDP_UNAVAILABLE = 65,     /* no daemon can be used at that path */
    RDDP_LOST = 66,            /* the session is lost: the daemon has ended, or does not answer */
    RDDP_SYSTEM = 67           /* a system call of this process failed */
};

/* Describes in English why this thread's last failed call failed. Valid until its next call. */
RDDP_EXPORT const char *rddp_error(void);

/* The name of a reason, such as "LIMIT". */
RDDP_EXPORT const char *rddp_reason_name(int reason);

/* ---- Sessions ---- */

typedef struct rddp_session rddp_session;

struct rddp_session_options {
    const char *interface_name;     /* NULL or "": the daemon's first one */
    const char *program_name;       /* for the daemon's log; NULL: the name of the process */
    unsigned request_timeout_ms;    /* longest wait for a reply; 0: 20 s */
    /*
     * Sizes; 0: the daemon's default. The daemon's configuration limits them (largest-... of [limits]);
     * rddp_session_limits() returns what the session got.
     */
    uint32_t send_queue;     /* of a connection: all requests but receives */
    uint32_t receive_queue;  /* of a connection */
    uint32_t requests;       /* slots of the ring that carries requests to the daemon */
    uint32_t completions;    /* slots of the ring of completions: requests posted and not yet reported */
    uint32_t regions;        /* regions and windows */
    uint32_t memories;       /* memories that the program brings, or allocates with more than 1 MiB */
};

struct rddp_limits {
    uint32_t completions;       /* requests posted and not yet reported */
    uint32_t send_queue;        /* of one connection: all requests but receives */
    uint32_t receive_queue;     /* of one connection */
    uint32_t inline_octets;     /* carried in a request itself */
    uint32_t connections;
    uint32_t regions;
    uint32_t memories;
    uint64_t memory;            /* octets */
};

/* The path of the daemon's socket: $RDDP_SOCKET, or /run/rddp/rddpd.sock. */
RDDP_EXPORT const char *rddp_default_socket(void);

/*
 * Opens a session with the daemon that listens at a path (NULL: the default). Options may be NULL.
 * RDDP_UNAVAILABLE if there is no usable daemon; otherwise the reason of the daemon's refusal.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_open(
    const char *path, const struct rddp_session_options *options, rddp_session **session);

/* Most IPv6 addresses listed for an interface: the configured one, and the link-local one. */
#define RDDP_MAX_IPV6 2

/* An interface of the daemon. */
struct rddp_interface {
    char name[64];     /* by which rddp_session_options choose it */
    uint32_t address;  /* IPv4; 0: the interface has IPv6 only */
    uint32_t gateway;  /* IPv4; 0: none */
    uint32_t mtu;      /* octets of the longest IP packet */
    uint8_t prefix;    /* bits of the prefix of the IPv4 network; 0 without one */
    uint8_t mac[6];
    unsigned ipv6_count;  /* 0: no IPv6 */
    struct in6_addr ipv6[RDDP_MAX_IPV6];
    uint8_t ipv6_prefix[RDDP_MAX_IPV6];
};

/*
 * Asks the daemon at a path (NULL: the default) for its interfaces, without a session. Stores up to max of them, and
 * their total in count.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_list_interfaces(
    const char *path, struct rddp_interface *interfaces, unsigned max, unsigned *count);

/*
 * Ends the session, its connections and listeners, and unmaps its memory. Every object of the session is invalid
 * afterwards. No other thread may be in a call that uses the session. NULL does nothing.
 */
RDDP_EXPORT void rddp_close(rddp_session *session);

RDDP_EXPORT void rddp_session_limits(const rddp_session *session, struct rddp_limits *limits);
RDDP_EXPORT const char *rddp_interface_name(const rddp_session *session);

/*
 * IPv4 address of the interface, or 0 if it has IPv6 only. All IPv4 addresses and ports of this header are in host
 * order, IPv6 addresses in network order. An IPv6 address that stands for either family has IPv4 mapped
 * (::ffff:10.0.0.1).
 */
RDDP_EXPORT uint32_t rddp_interface_address(const rddp_session *session);

/*
 * Process id of the daemon, as the kernel reported it when the session was opened: another process may go on with the session
 * since then (rddp daemon --replace).
 */
RDDP_EXPORT int rddp_daemon_pid(const rddp_session *session);

/* RDDP_LOST once the session is lost (rddp_error() says why), else RDDP_OK. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_session_state(rddp_session *session);

/* ---- Memory ---- */

typedef struct rddp_region rddp_region;
typedef struct rddp_connection rddp_connection;

/* Rights to a region, as of ibv_reg_mr(): the peer's rights to change memory need RDDP_LOCAL_WRITE, too. */
enum rddp_access {
    RDDP_LOCAL_WRITE = 1,
    RDDP_REMOTE_READ = 2,
    RDDP_REMOTE_WRITE = 4,
    RDDP_REMOTE_ATOMIC = 8,
    RDDP_REMOTE_INVALIDATE = 16,  /* for regions of one connection only */
    RDDP_MW_BIND = 32
};

/*
 * The program chooses the numbers of protection domains (RFC 5040 section 2.1), which are local to its session: a peer
 * may name an STag only on connections of the STag's domain, and a request may name only regions of the domain of its
 * connection or shared receive queue. Otherwise the request completes with RDDP_LOCAL_PROTECTION_ERROR. Objects without
 * a chosen domain have domain 0.
 */
#define RDDP_LARGEST_DOMAIN 4095

/* Allocates and registers zeroed memory. Allocates all of its pages before it returns. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_allocate(
    rddp_session *session, uint64_t octets, unsigned access, rddp_region **region);

/*
 * Registers all of a memfd of the program, which may be of huge pages: sealed by F_SEAL_SHRINK and F_SEAL_GROW, not by
 * F_SEAL_SEAL. Adds F_SEAL_FUTURE_WRITE unless the memfd is immutable, as the daemon's may be; processes that write to it must
 * map it before. The caller keeps the descriptor and may close it. A session with a memfd that has the seal keeps the daemon from
 * being replaced.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_register_fd(
    rddp_session *session, int descriptor, unsigned access, rddp_region **region);

/*
 * Registers a part of a region again, with its own STag and rights. It shares the memory; free it before the whole
 * region. With a connection (else NULL), only that connection's peer may use the STag, and a peer with any right may
 * invalidate it (RFC 5040 section 5.3).
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_register_part(rddp_region *whole, uint64_t offset, uint64_t octets,
    unsigned access, rddp_connection *connection, rddp_region **region);

/* Options of a region. Begin with zeros. */
struct rddp_region_options {
    unsigned access;              /* enum rddp_access */
    rddp_connection *connection;  /* only its peer may use the STag, and invalidate it; NULL: all peers */
    uint64_t base;                /* Tagged Offset of the first octet; with the length it must be below 2^64 */
    uint32_t domain;              /* protection domain; that of the connection if one is given */
};

/* Memory that program and daemon share, without an STag. */
typedef struct rddp_memory rddp_memory;

/*
 * Allocates zeroed memory, and all of its pages before it returns: in whole pages, at least 1 MiB. Nothing else lies in its
 * mapping, so the program may map parts of it a second time (mremap(2) with an old size of 0).
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_allocate_memory(rddp_session *session, uint64_t octets, rddp_memory **memory);

/* The first octet; NULL for memory from rddp_adopt(). */
RDDP_EXPORT void *rddp_memory_address(const rddp_memory *memory);

/*
 * Shares a memfd of the program like rddp_register_fd(), but neither registers nor maps it: the program must map what
 * it needs of it before. The memfd may have F_SEAL_FUTURE_WRITE if another session has it now. The caller keeps the
 * descriptor, which must be for reading and writing, and may close it.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_adopt(rddp_session *session, int descriptor, rddp_memory **memory);

/*
 * Registers a part of such memory. rddp_region_address() of the region is NULL with memory from rddp_adopt(); free it with
 * rddp_free(), before the memory.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_register(rddp_memory *memory, uint64_t offset, uint64_t octets,
    const struct rddp_region_options *options, rddp_region **region);

/* A part of such memory. */
struct rddp_memory_piece {
    rddp_memory *memory;
    uint64_t offset;
    uint64_t octets;
};

#define RDDP_MAX_MEMORY_PIECES 200

/*
 * Registers several pieces, side by side, as one region: offsets and Tagged Offsets run on from one piece to the next.
 * Each piece but the first begins at a page boundary (4096 octets) of its memory, and each but the last ends at one.
 * Free the region before any memory of its pieces.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_register_pieces(rddp_session *session, const struct rddp_memory_piece *pieces,
    unsigned count, const struct rddp_region_options *options, rddp_region **region);

/* Frees memory from rddp_allocate_memory() or rddp_adopt(). RDDP_STATE while a region on it is registered. NULL does nothing. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_free_memory(rddp_memory *memory);

/* rddp_register_part() with options. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_register_part_with(rddp_region *whole, uint64_t offset, uint64_t octets,
    const struct rddp_region_options *options, rddp_region **region);

/*
 * Deregisters the STag, and frees the memory if the region was made with it. Afterwards the daemon places and reads
 * nothing there: a posted request that names the region completes with RDDP_LOCAL_PROTECTION_ERROR when the daemon
 * processes it, and ends its connection. RDDP_STATE while a window is bound to it, or parts of it are registered (its
 * own STag is invalid then): call it again after that.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_free(rddp_region *region);

RDDP_EXPORT void *rddp_region_address(const rddp_region *region);
RDDP_EXPORT uint64_t rddp_region_length(const rddp_region *region);
/* The STag: local in this program's requests, remote in the peers'. */
RDDP_EXPORT uint32_t rddp_region_stag(const rddp_region *region);
/* The Tagged Offset of the first octet, for peers. This program's requests count offsets from the first octet. */
RDDP_EXPORT uint64_t rddp_region_base(const rddp_region *region);

/* A memory window: opens a part of a region to one peer under its own STag, see RDDP_BIND. */
typedef struct rddp_window {
    uint32_t number;
    uint32_t stag;   /* after the next bind; each completion of a bind has the following one */
} rddp_window;

/* Who chooses a window's STags, and who may use the window. */
enum rddp_window_kind {
    RDDP_WINDOW_RENAMED = 0,       /* the daemon chooses another STag for each bind; to be invalidated between two binds */
    RDDP_WINDOW_TYPE_2 = 1,        /* type 2 of verbs: likewise, but each bind chooses the last octet of the STag */
    RDDP_WINDOW_TYPE_1 = 2         /* type 1 of verbs: keyed, for all peers of its domain; may be bound at any time, and a bind of
                                      no octets closes it */
};

/* Allocates an unbound window of a domain. RDDP_LIMIT at the limit of regions and windows. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_allocate_window(rddp_session *session, enum rddp_window_kind kind,
    uint32_t domain, rddp_window *window);
/* Frees a window: peers can no longer use its STag. RDDP_STATE while a bind of it is posted and not completed. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_free_window(rddp_session *session, rddp_window window);

/* A shared receive queue. Its receives name regions of its domain; its connections may have other domains. */
typedef struct rddp_receive_queue rddp_receive_queue;

RDDP_EXPORT RDDP_CHECK_RESULT int rddp_create_receive_queue(
    rddp_session *session, uint32_t size, uint32_t domain, rddp_receive_queue **queue);
/* Makes rddp_take_receive_queue_limit() return true once when fewer than limit receives are left. 0 disarms it. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_arm_receive_queue(rddp_receive_queue *queue, uint32_t limit);
RDDP_EXPORT bool rddp_take_receive_queue_limit(rddp_receive_queue *queue);
/* Flushes its receives. RDDP_STATE while a connection or a listener uses it. Call it on the thread that polls. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_destroy_receive_queue(rddp_receive_queue *queue);

/* ---- Connections ---- */

/* Congestion control of TCP (RFC 9438, RFC 5681, RFC 8257). */
enum rddp_congestion {
    RDDP_CONGESTION_AS_CONFIGURED = 0, RDDP_CUBIC = 1, RDDP_NEW_RENO = 2, RDDP_DCTCP = 3
};

enum rddp_choice { RDDP_AS_CONFIGURED = 0, RDDP_NO = 1, RDDP_YES = 2 };

#define RDDP_DEPTH_AS_CONFIGURED UINT32_MAX
#define RDDP_DSCP_AS_CONFIGURED UINT32_MAX
#define RDDP_MAX_PRIVATE_DATA 512

/* Options of a connection, or of all connections of a listener. Begin with RDDP_CONNECTION_DEFAULTS. */
struct rddp_connection_options {
    uint32_t held_octets;               /* octets of messages without a posted receive that the daemon keeps; 0: none */
    rddp_receive_queue *receive_queue;  /* NULL: receives are posted to the connection */
    uint32_t ird;                       /* Reads served at a time */
    uint32_t ord;                       /* Reads outstanding at a time */
    uint32_t revision;                  /* of MPA: 0 (as configured), 1 or 2 */
    enum rddp_choice peer_to_peer;      /* the accepting side may send first (RFC 6581) */
    enum rddp_choice revision_1_retry;  /* connect again with revision 1 if the peer closes upon revision 2 */
    uint32_t tagged_notices;            /* plain DDP: notices of Tagged Messages that may be posted */
    const uint32_t *queues;             /* plain DDP: receives that each queue holds; NULL: RDMAP */
    uint16_t queue_count;               /* 0 to 256 */
    uint32_t domain;                    /* protection domain */
    /*
     * Sends and Writes (with plain DDP: all messages) complete when TCP has their last octet acknowledged, not when they
     * have been sent. A peer that is rddp acknowledges a message when it has placed it, unless the message is held for a
     * receive that the peer's program has not posted, or the peer has found an error, which ends the connection. Other
     * peers need not. What was sent and not acknowledged when a connection fails completes with RDDP_FLUSHED, but for the
     * message that the peer has refused.
     */
    bool acknowledged;
    /*
     * Sends with immediate data (RDDP_SEND_WITH_IMMEDIATE) are wanted. RDMAP does not have them, so both ends must be rddp,
     * and both programs must want them: send_with_immediate of struct rddp_startup says whether they do. The wish is 12 octets
     * behind the private data, which then has at most 496; the peer's daemon takes them off, a peer that is not rddp does
     * not.
     */
    bool send_with_immediate;
    unsigned withheld_rights;           /* that the peer has not got, whatever regions and windows grant: RDDP_REMOTE_READ,
                                           RDDP_REMOTE_WRITE, RDDP_REMOTE_ATOMIC */
    /*
     * Differentiated Services codepoint (RFC 2474) of the packets that this end sends, 0 to 63, or RDDP_DSCP_AS_CONFIGURED.
     * Packets of the handshake that accepts a connection have the interface's.
     */
    uint32_t dscp;
    /*
     * Congestion control of what this end sends. RDDP_DCTCP is for networks whose switches mark packets, and the peer should
     * use it, too; an interface without ECN refuses it. Of a connection that is accepted it holds once TCP's handshake is over.
     */
    enum rddp_congestion congestion;
};

#define RDDP_CONNECTION_DEFAULTS                                                                                       \
    { .ird = RDDP_DEPTH_AS_CONFIGURED, .ord = RDDP_DEPTH_AS_CONFIGURED, .dscp = RDDP_DSCP_AS_CONFIGURED }

/* Results of the startup frames. The peer's numbers are UINT32_MAX if its frame has none. */
struct rddp_startup {
    uint32_t revision;
    bool peer_to_peer;
    uint32_t peer_ird, peer_ord;
    uint32_t ird, ord;  /* in use at this end */
    bool send_with_immediate;  /* both ends want Sends with immediate data */
};

enum rddp_connection_state {
    RDDP_REQUESTED,    /* waits to be accepted or rejected by this program */
    RDDP_CONNECTING,
    RDDP_ESTABLISHED,
    RDDP_STREAM_FAILED,  /* plain DDP: receives nothing more; close it */
    RDDP_CLOSED
};

struct rddp_connection_info {
    enum rddp_connection_state state;
    bool peer_closed;  /* the peer sends nothing more */
    uint32_t local_address, remote_address;  /* 0 over IPv6 */
    struct in6_addr local_ipv6, remote_ipv6;  /* of either family */
    uint16_t local_port, remote_port;
    struct rddp_startup startup;
    size_t private_length;  /* of the peer's request or reply */
    uint8_t private_data[RDDP_MAX_PRIVATE_DATA];
    int reason;       /* why it ended, enum rddp_reason; 0 while it has not */
    uint32_t detail;  /* a number that goes with the reason */
    char text[256];   /* in English */
};

/*
 * Connects to a peer, and waits until the connection is established, rejected or failed. options may be NULL.
 * RDDP_REFUSED if no program listens or the peer's program rejected; info, unless NULL, then has the startup and
 * private data of the rejection.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_connect(rddp_session *session, uint32_t address, uint16_t port,
    const void *private_data, size_t private_length, unsigned timeout_ms,
    const struct rddp_connection_options *options, rddp_connection **connection, struct rddp_connection_info *info);

/*
 * Begins to connect, and returns at once: rddp_connection_info() says when it is established or has failed. Requests
 * may be posted at once.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_start_connect(rddp_session *session, uint32_t address, uint16_t port,
    const void *private_data, size_t private_length, unsigned timeout_ms,
    const struct rddp_connection_options *options, rddp_connection **connection);

/* Like rddp_connect() and rddp_start_connect(), to an address of either family. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_connect_ipv6(rddp_session *session, const struct in6_addr *address,
    uint16_t port, const void *private_data, size_t private_length, unsigned timeout_ms,
    const struct rddp_connection_options *options, rddp_connection **connection, struct rddp_connection_info *info);
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_start_connect_ipv6(rddp_session *session, const struct in6_addr *address,
    uint16_t port, const void *private_data, size_t private_length, unsigned timeout_ms,
    const struct rddp_connection_options *options, rddp_connection **connection);

/* Waits until the connection is established or has ended; RDDP_TIMEOUT if it does neither in time. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_await_established(rddp_connection *connection, unsigned timeout_ms);

RDDP_EXPORT void rddp_connection_info(const rddp_connection *connection, struct rddp_connection_info *info);

/* The connection's state, without a lock. */
RDDP_EXPORT enum rddp_connection_state rddp_connection_state(const rddp_connection *connection);

/* Sets and returns a pointer of the program's, NULL at first; for the thread that polls. */
RDDP_EXPORT void rddp_attach(rddp_connection *connection, void *attachment);
RDDP_EXPORT void *rddp_attachment(const rddp_connection *connection);

/*
 * Ends the connection: gracefully (sends what was posted, then closes) or at once with a reset. Its requests
 * complete or are flushed; then its state is RDDP_CLOSED.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_disconnect(rddp_connection *connection, bool graceful);

/* Waits until the connection has ended; RDDP_TIMEOUT if it does not in time. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_await_closed(rddp_connection *connection, unsigned timeout_ms);

/*
 * Forgets the connection, with a reset if it has not ended. Poll its completions before: later ones have a NULL
 * connection. The pointer is invalid afterwards. Call it on the thread that polls. NULL does nothing.
 */
RDDP_EXPORT void rddp_forget(rddp_connection *connection);

/* ---- Queue pairs by number ---- */

/*
 * A random number, from 2^20 to 2^24 - 1, for queue pairs of this session, which nobody else of the interface has, or has had for two
 * minutes. Two programs tell each other numbers and addresses by other means, as programs of InfiniBand do before
 * ibv_modify_qp(), and each expects the other: rddp_expect(). RDDP_LIMIT with as many numbers as allowed; RDDP_STATE if
 * the interface's queue-pair-port is 0. rddp_close() gives all numbers back.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_create_number(rddp_session *session, uint32_t *number);

/*
 * Gives a number back. RDDP_STATE while a connection of it waits for its peer: disconnect it first. An established one
 * goes on without the number.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_free_number(rddp_session *session, uint32_t number);

#define RDDP_UNKNOWN_PSN UINT32_MAX

/* The peer that a queue pair expects. Numbers and PSNs are below 2^24. */
struct rddp_expectation {
    uint32_t number;         /* own, from rddp_create_number() */
    uint32_t remote_number;  /* the peer's */
    struct in6_addr local;   /* an address of the interface, the one that the peer has been told; IPv4 mapped */
    struct in6_addr remote;  /* the peer's, of the same family; both are link-local, or neither is */
    uint32_t psn;            /* first packet sequence number of the own sends, or RDDP_UNKNOWN_PSN: said later */
    uint32_t remote_psn;     /* that of the peer's sends */
    /*
     * How long requests other than receives may wait for the peer; it may be half as long again. 0: for ever. Where
     * nothing waits, nothing is given up.
     */
    uint32_t timeout_ms;
};

/*
 * Expects a peer, whose program expects this end likewise, earlier or later. The connection is RDDP_CONNECTING, and takes
 * requests of all kinds at once, which wait until the peer is there. Then it is RDDP_ESTABLISHED; or it fails, with
 * RDDP_TIMEOUT, or with RDDP_REFUSED if no daemon that knows queue pairs answers at the peer's address, and its requests
 * are flushed. rddp_disconnect() ends the wait, too; once the connection has ended, its number can expect again.
 * Options may be NULL; both ends may send first, whatever revision, peer_to_peer and revision_1_retry say. The queue pair may
 * be its own peer. RDDP_INVALID if the addresses or numbers cannot be; RDDP_NOT_FOUND if the number is not of this session; RDDP_STATE if it has a connection that has not ended; RDDP_UNREACHABLE without a route.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_expect(rddp_session *session, const struct rddp_expectation *expectation,
    const struct rddp_connection_options *options, rddp_connection **connection);

/*
 * Says what rddp_expect() has left open: psn and timeout_ms are as there. Does nothing if the connection is established,
 * or has ended.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_expect_psn(rddp_connection *connection, uint32_t psn, uint32_t timeout_ms);

/* ---- Listeners ---- */

typedef struct rddp_listener rddp_listener;

/*
 * Listens at the interface's IPv4 address, which it must have; port 0: any free one. The backlog is the most requests
 * that wait for this program.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_listen(rddp_session *session, uint16_t port, uint32_t backlog,
    const struct rddp_connection_options *options, rddp_listener **listener);

/* Listens at an address of either family; at :: (in6addr_any) for connections to any address of the interface. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_listen_ipv6(rddp_session *session, const struct in6_addr *address,
    uint16_t port, uint32_t backlog, const struct rddp_connection_options *options, rddp_listener **listener);

RDDP_EXPORT uint16_t rddp_listener_port(const rddp_listener *listener);

/*
 * Returns the next connection request, in the state RDDP_REQUESTED, or RDDP_TIMEOUT. Receives may be posted to it
 * before it is accepted, for the peer's first message. A request that ends before it is returned here is dropped.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_next_request(
    rddp_listener *listener, unsigned timeout_ms, rddp_connection **connection);

/* Options of one connection when it is accepted. Begin with RDDP_ACCEPT_DEFAULTS: the listener's options. */
struct rddp_accept_options {
    rddp_receive_queue *receive_queue;  /* NULL: as the listener's; else only before a receive is posted */
    uint32_t ird;                       /* Reads served at a time, at most the listener's */
    uint32_t ord;                       /* Reads outstanding at a time, at most the listener's */
    uint32_t domain;                    /* may differ from the listener's until something is posted to the connection */
};

#define RDDP_DOMAIN_OF_LISTENER UINT32_MAX

#define RDDP_ACCEPT_DEFAULTS                                                                                           \
    { .ird = RDDP_DEPTH_AS_CONFIGURED, .ord = RDDP_DEPTH_AS_CONFIGURED, .domain = RDDP_DOMAIN_OF_LISTENER }

/*
 * Accepts a request, and returns at once: rddp_connection_info() says when it is established or has failed. options may
 * be NULL. RDDP_INVALID or RDDP_LIMIT if the daemon refuses the private data or the options: answer it again.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_start_accept(rddp_connection *connection, const void *private_data,
    size_t private_length, const struct rddp_accept_options *options);

/* Accepts a request, and waits until the connection is established. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_accept(rddp_connection *connection, const void *private_data,
    size_t private_length, const struct rddp_accept_options *options);

/* Rejects a request and forgets the connection: the pointer is invalid afterwards, even if the call fails. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_reject(
    rddp_connection *connection, const void *private_data, size_t private_length);

/* Stops listening and rejects waiting requests. NULL does nothing. */
RDDP_EXPORT void rddp_close_listener(rddp_listener *listener);

/* ---- Requests ---- */

enum rddp_opcode {
    RDDP_RECEIVE = 1,
    RDDP_SEND = 2,             /* remote_stag: an STag for the peer to invalidate, or 0 */
    RDDP_WRITE = 3,
    RDDP_READ = 4,             /* one piece */
    RDDP_WRITE_IMMEDIATE = 5,
    RDDP_IMMEDIATE = 6,   /* no octets; uses up the peer's receive, which needs room for eight if the peer is not rddp */
    RDDP_FETCH_ADD = 7,        /* atomics: one piece of eight octets, for the old value */
    RDDP_SWAP = 8,
    RDDP_COMPARE_SWAP = 9,
    RDDP_INVALIDATE = 10,      /* remote_stag: an STag of this session */
    RDDP_BIND = 11,            /* remote_stag: the window's number; remote_to: rights of the peer; one piece; immediate: the
                                  Tagged Offset of its first octet; queue: the last octet of the STag of a keyed window */
    RDDP_SEND_WITH_IMMEDIATE = 12,  /* a message with immediate data of 32 bits, if both ends want such Sends; else it
                                       completes with RDDP_LOCAL_OPERATION_ERROR */
    RDDP_SEND_UNTAGGED = 16,   /* plain DDP from here on */
    RDDP_SEND_TAGGED = 17,
    RDDP_RECEIVE_UNTAGGED = 18,
    RDDP_TAGGED_NOTICE = 19
};

enum rddp_flags {
    RDDP_SIGNALLED = 1,  /* report success; failures, receives and binds are always reported */
    RDDP_INLINE = 2,     /* the octets at inline_data go into the request itself */
    RDDP_FENCED = 4,     /* wait for the answers to earlier Reads and atomics of the connection */
    RDDP_SOLICITED = 8   /* wake the peer's program */
};

#define RDDP_MAX_PIECES 6
#define RDDP_MAX_INLINE 168

/* A part of a region. */
struct rddp_piece {
    uint32_t stag;
    uint64_t offset;  /* from the region's first octet */
    uint64_t length;
};

/* A request; rddp_post() reads only the fields that its opcode needs. */
struct rddp_request {
    uint64_t id;  /* the program's, returned in the completion */
    enum rddp_opcode opcode;
    unsigned flags;
    const struct rddp_piece *pieces;  /* the message, or where to place it */
    unsigned piece_count;             /* 0 (no octets) to RDDP_MAX_PIECES */
    const void *inline_data;          /* with RDDP_INLINE; may be used again when rddp_post() returns */
    uint32_t inline_length;           /* at most RDDP_MAX_INLINE */
    uint32_t remote_stag;
    uint64_t remote_to;               /* Tagged Offset in the peer's memory */
    uint64_t immediate;               /* immediate data; of plain DDP the RsvdULP */
    uint32_t queue;                   /* plain DDP: the Queue Number */
    uint64_t operand, mask, compare, compare_mask;  /* of atomics (RFC 7306 section 5) */
};

/*
 * Posts a request; RDDP_AGAIN while a queue is full. RDDP_INVALID if the request cannot be put into the ring. The
 * daemon checks whether the request may use the memory, and else completes it with RDDP_LOCAL_PROTECTION_ERROR.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_post(rddp_connection *connection, const struct rddp_request *request);

/* Posts a receive to a shared receive queue: the opcode is RDDP_RECEIVE. */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_post_shared(rddp_receive_queue *queue, const struct rddp_request *request);

enum rddp_status {
    RDDP_SUCCESS = 0,
    RDDP_LOCAL_LENGTH_ERROR = 1,
    RDDP_LOCAL_PROTECTION_ERROR = 2,
    RDDP_LOCAL_OPERATION_ERROR = 3,
    RDDP_FLUSHED = 4,
    RDDP_REMOTE_ACCESS_ERROR = 5,
    RDDP_REMOTE_OPERATION_ERROR = 6,
    RDDP_FATAL_ERROR = 7,
    RDDP_MW_BIND_ERROR = 8
};

/* The name of a status, such as "FLUSHED". */
RDDP_EXPORT const char *rddp_status_name(int status);

enum rddp_completion_flags {
    RDDP_HAS_IMMEDIATE = 1,   /* of a receive: immediate data has come; without the last flag its memory is as it was */
    RDDP_WAS_SOLICITED = 2,   /* of a receive: the peer wants this program woken */
    RDDP_HAS_INVALIDATED = 4, /* of a receive: the peer has invalidated the STag */
    RDDP_OF_SEND = 8          /* of a receive: the immediate data came with a Send, whose message the receive holds */
};

struct rddp_completion {
    uint64_t id;
    uint64_t octets;     /* of the message */
    uint64_t immediate;  /* of a notice of plain DDP: the Tagged Offset */
    rddp_connection *connection;  /* NULL if the program has forgotten it */
    uint32_t connection_number;
    uint32_t detail;     /* error number, or 0 */
    uint32_t stag;       /* invalidated by the peer; of a bind: the one after the next bind */
    uint32_t object;     /* shared receive queue or window; 0 for none */
    uint64_t rsvd_ulp;   /* plain DDP: RsvdULP, Queue Number and Message Sequence Number */
    uint32_t queue, msn;
    uint8_t opcode;      /* enum rddp_opcode */
    uint8_t status;      /* enum rddp_status */
    uint8_t flags;       /* enum rddp_completion_flags */
};

/*
 * Takes up to max completions, and returns how many. Requests of a queue complete in the order of their posts; the next
 * completion of the queue retires successful requests that are not signalled. Returns only 0 once the session is lost,
 * see rddp_session_state().
 */
RDDP_EXPORT int rddp_poll(rddp_session *session, struct rddp_completion *completions, int max);

/*
 * Gives the processor to other threads. A program that polls, for completions or for what a peer writes into its memory, calls this
 * once in 16 polls that find nothing, if there are fewer processors than threads that poll, engines included. Unlike sched_yield(2) it
 * gives the thread short time slices first, since the kernel charges a yield the rest of one. On a machine with two processors it leaves
 * that of the engine, or joins it beside busy threads of others. In a program that was started with a filter of system calls (seccomp) it
 * is sched_yield(); a filter that comes later has to allow sched_getattr(2), sched_setattr(2), sched_getaffinity(2) and
 * sched_setaffinity(2). A thread of the policy SCHED_FIFO or SCHED_RR makes way for such threads only: an engine on its processor waits
 * for up to a second. It calls rddp_await() instead. Any thread.
 */
RDDP_EXPORT void rddp_yield(rddp_session *session);

/*
 * Waits for a completion, a connection request, or a change of a connection or of the session. May return early.
 * RDDP_TIMEOUT after timeout_ms; RDDP_LOST when the session is lost and no completion is left.
 */
RDDP_EXPORT RDDP_CHECK_RESULT int rddp_await(rddp_session *session, unsigned timeout_ms);

/*
 * A descriptor for poll(2) or epoll(7), readable when rddp_await() would return at once. Before each wait call
 * rddp_arm(); if it returns false, there are completions already: do not wait. After the wait, poll.
 */
RDDP_EXPORT int rddp_descriptor(const rddp_session *session);
RDDP_EXPORT RDDP_CHECK_RESULT bool rddp_arm(rddp_session *session);

#ifdef __cplusplus
}
#endif

#endif
