/*
 * The memory that the daemon shares with programs: the header of a stream, and the doorbells (docs/ipc.md#octet-streams). Both are
 * in the machine's byte order.
 */
#ifndef RDDP_SOCKETS_SHARED_H
#define RDDP_SOCKETS_SHARED_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HEADER_OCTETS 4096u

/* Bit of `written` and `consumed`: the octets pass by a bridge from now on. */
#define MOVED (UINT64_C(1) << 63)

enum stream_state { CONNECTING_STREAM, ESTABLISHED_STREAM, FAILED_STREAM, ENDED_STREAM };

/* Of program_flags. */
enum { MAPPED = 1, TAKEN = 2, END_SENDING = 4, RECEIVING_ENDED = 8, ABORT_AT_CLOSE = 16 };

/* Of daemon_flags. */
enum { PEER_ENDED = 1, WAS_RESET = 2, BRIDGED = 4, ACKNOWLEDGED = 8, DCTCP_ALLOWED = 1 << 11 };

/* Congestion control: bits 8 and 9 of program_flags, what the program has chosen; bits 8 to 10 of daemon_flags, what it began with. */
#define CONGESTION_SHIFT 8

enum congestion { NO_CONGESTION, CUBIC, NEW_RENO, DCTCP, NO_CONTROL };

/* DSCP: bits 16 to 22 of program_flags, what the program has chosen and 1 more. */
#define DSCP_SHIFT 16

/* Addresses of a stream: AF_INET uses the first four octets. Ports are in the machine's order. */
struct stream_ends {
    uint16_t family, local_port, remote_port, zero;
    uint8_t local[16], remote[16];
};

/* An option that has been set, for getsockopt(2). */
struct kept_option {
    int32_t level, name;
    uint32_t length;  /* 0: none */
    uint8_t value[20];
};

#define KEPT_OPTIONS 64

struct stream_header {
    char magic[8];
    uint32_t version;
    _Atomic uint32_t state, error;
    uint32_t section, index, send_octets, receive_octets;
    alignas(64) _Atomic uint64_t written;   /* by programs, under the write lock */
    _Atomic uint32_t send_ring;             /* octets of the ring in use; likewise */
    alignas(64) _Atomic uint64_t sent;      /* by the daemon: room up to here is free again */
    _Atomic uint32_t send_allowed;          /* by the daemon: octets that the ring may use */
    alignas(64) _Atomic uint64_t received;  /* by the daemon */
    _Atomic uint32_t receive_ring;          /* by the daemon: octets of the ring in use; to be read after `received` */
    alignas(64) _Atomic uint64_t consumed;  /* by programs */
    alignas(64) _Atomic uint32_t program_flags;
    alignas(64) _Atomic uint32_t daemon_flags;
    alignas(64) _Atomic uint32_t armed_in;
    alignas(64) _Atomic uint32_t armed_out;
    alignas(64) union {
        pthread_mutex_t write_lock;
        uint8_t room[128];
    };
    alignas(64) struct stream_ends ends;

    /* ---- Of this library: what belongs to the open file description ---- */
    alignas(64) uint32_t domain;        /* of the program's socket: AF_INET or AF_INET6 */
    _Atomic uint32_t nonblocking;
    _Atomic uint32_t low_mark;          /* SO_RCVLOWAT */
    _Atomic uint32_t error_told;        /* the error has been told once */
    _Atomic uint32_t connect_told;      /* connect(2) has told the outcome */
    _Atomic uint32_t lost;              /* the daemon has ended without a word */
    _Atomic uint32_t waiters;           /* threads that sleep, and items of epoll instances that the kernel watches */
    _Atomic uint32_t tokens;            /* messages that are in the socket, or are going to be; a hint */
    _Atomic uint32_t fillings;          /* how often a write has found the ring full */
    alignas(64) struct kept_option options[KEPT_OPTIONS];  /* under the write lock */
};

_Static_assert(offsetof(struct stream_header, index) == 24, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, written) == 64, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, send_ring) == 72, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, send_allowed) == 136, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, receive_ring) == 200, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, consumed) == 256, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, armed_out) == 512, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, ends) == 704, "the daemon's layout");
_Static_assert(offsetof(struct stream_header, domain) == 768, "the daemon's layout");
_Static_assert(sizeof(struct stream_header) <= HEADER_OCTETS, "a page");

/* Of one engine. */
struct doorbells {
    _Atomic uint64_t summary;  /* bit i: of the four words from 4 i on, one is not 0 */
    alignas(64) _Atomic uint32_t sleeping;
    _Atomic uint32_t processor;  /* that the engine's thread was seen on, and 1 more; 0: none yet */
    alignas(64) _Atomic uint64_t bits[256];
    uint8_t zero[1920];
};

_Static_assert(sizeof(struct doorbells) == 4096, "the daemon's layout");

/* The page behind the doorbells, which processes with the same session share. */
struct session_page {
    pthread_mutex_t requests;
    alignas(64) pthread_mutex_t accepting;
    _Atomic uint32_t last_request;
    _Atomic uint64_t mover;  /* the thread that was moved last, and when; see leave_processors() */
};

/* The message by which a listener gets a stream. */
struct offer {
    uint32_t version, section, index, send_octets, receive_octets;
    struct stream_ends ends;
    uint32_t zero;
};

_Static_assert(sizeof(struct offer) == 64, "the daemon's layout");

#endif
