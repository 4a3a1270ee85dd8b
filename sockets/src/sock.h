/*
 * Sockets that are, or may become, rddp's, and the descriptors that name them. Each has a kernel socket beneath, which
 * keeps the descriptor's number and its options, and which takes over where rddp cannot.
 *
 * Everything is under one lock, `engine`, unless it says otherwise.
 */
#ifndef RDDP_SOCKETS_SOCK_H
#define RDDP_SOCKETS_SOCK_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libc.h"
#include "rddp.h"

#define MAX_DESCRIPTORS (1 << 20)

enum stage {
    STAGE_FRESH,       /* TCP, neither connected nor listening: the kernel's so far */
    STAGE_LISTENING,   /* at both */
    STAGE_CONNECTING,
    STAGE_CONNECTED,   /* until the last descriptor is closed, whatever the peer does */
    STAGE_FORWARDED,   /* of a parent process, which forwards octets to and from a kernel socket of this one */
    STAGE_LEFT,        /* the kernel's for good: no descriptor names it here */
    STAGE_EPOLL        /* no socket, but an epoll instance, which may be watched like one: see epolls.h */
};

struct link;
struct network;
struct buffer;
struct sock;

/* Tells somebody that a socket may be ready for more, or has moved to the kernel. */
struct watch {
    struct sock *sock;
    struct watch *next, **at;
    void (*changed)(struct watch *watch);
    /* The socket is the kernel's no longer (false) or for good (true); NULL if that makes no difference. */
    void (*moved)(struct watch *watch, bool to_kernel);
};

/* A message that has arrived, of which the program has taken the octets before `from`. */
struct arrival {
    uint32_t slot, from, end;
};

#define SLOTS 16           /* receives of a connection */
#define SLOT_OCTETS 16384u

struct sock {
    unsigned references;   /* descriptors, calls, and rddp's connection */
    unsigned descriptors;
    int descriptor;        /* one of them */
    enum stage stage;
    int family;
    bool nonblocking;
    uint64_t receive_timeout, send_timeout;  /* ns; 0: none */
    struct watch *watches;
    struct link *link;     /* the interface's session */
    struct sock *next;     /* of the link, while it has a buffer */

    /* ---- STAGE_LISTENING ---- */
    struct listening {
        rddp_listener *listener;
        struct link *link;
    } *listening;
    unsigned listenings, backlog;
    bool used;       /* a call of this process has waited at it since the last fork(2) */
    bool inherited;  /* the parent has listened: this process listens by rddp when it uses it */
    struct sock *first_ready, *last_ready;  /* connected, to be accepted */
    unsigned waiting;                       /* ready, or not established yet */
    struct sock *next_ready;
    struct sock *listens;                   /* of an accepted one that nobody has taken yet */

    /* ---- STAGE_CONNECTING and STAGE_CONNECTED ---- */
    rddp_connection *connection;  /* NULL once it has ended */
    struct buffer *buffer;
    struct sockaddr_in6 to;       /* of connect(), mapped */
    bool or_kernel;               /* a rule lets the kernel connect once the peer's host has refused */
    const struct network *network;  /* of rddp, in which the peer is; NULL: a rule names it */
    struct in6_addr local, remote;
    uint16_t local_port, remote_port;
    int error;                    /* to be told once (SO_ERROR) */
    bool dead;                    /* connect() has failed, or the connection was reset */
    bool abortive;                /* SO_LINGER with no time: close(2) resets */
    bool peer_ended, sending_ended, receiving_ended;
    bool failed;                  /* nothing can be sent any more */
    bool full;                    /* the session's rings took no request: it is tried again soon */
    bool end_owed;                /* the peer has not been told that nothing more comes */
    uint32_t peer_octets;         /* longest message */
    uint32_t credits;             /* messages that the peer has room for */
    uint32_t owed;                /* receives posted again, of which the peer has not been told */
    uint8_t emptied[SLOTS];       /* slots to post again */
    uint32_t emptied_count;
    uint32_t emptied_credits;     /* of which messages with octets */
    uint32_t sent;                /* messages */
    uint32_t unsent_signal;       /* Sends since the last signalled one */
    bool end_acknowledged;        /* the peer has all, the end included */
    struct arrival arrived[SLOTS];
    uint32_t first, count;        /* of arrived */
    uint64_t octets;              /* in arrived */
    unsigned forwarders;          /* children that use it through this process */
};

extern pthread_mutex_t engine;

/* A thread that has the lock cannot be cancelled: what is called under it has points where it could. */
void lock_engine(void);
/* Within a second: a signal handler that ends the process may have interrupted the thread that has the lock. */
bool try_lock_engine(void);
void unlock_engine(void);

/* A new socket without a descriptor; NULL without memory. */
struct sock *new_sock(int family);

/* Drops a reference. */
void release(struct sock *sock);

/* Locks, and returns the descriptor's socket with a reference; NULL, and no lock, if it is the kernel's alone. */
struct sock *take(int descriptor);

/* Drops the reference and the lock; returns its argument, and keeps errno. */
ssize_t leave(struct sock *sock, ssize_t result);

/* take(), for calls that need a connection: NULL for sockets that are STAGE_FRESH or STAGE_LISTENING, too. */
struct sock *take_stream(int descriptor);

static inline bool is_stream(const struct sock *sock) {
    return sock->stage == STAGE_CONNECTING || sock->stage == STAGE_CONNECTED;
}

/* The descriptor's socket; NULL for none. */
struct sock *sock_at(int descriptor);

/* Whether a descriptor is the kernel's alone. Without the lock. */
bool is_plain(int descriptor);

/* Makes a descriptor name a socket. False if its number is too large. */
bool name(struct sock *sock, int descriptor);

/* Forgets a descriptor; with the last one, the socket ends as close(2) says. */
void unname(int descriptor);

/* Called with the socket whose last descriptor is closed. */
extern void (*last_closed)(struct sock *sock);

/* Tells the watches. */
void sock_changed(struct sock *sock);
void sock_moved(struct sock *sock, bool to_kernel);

/* Takes all its descriptors out of the table: the kernel has the socket from now on. */
void leave_to_kernel(struct sock *sock);

void add_watch(struct sock *sock, struct watch *watch);
void remove_watch(struct watch *watch);

/* Whether this process has the table: not so in a child of vfork(2), which must leave it alone. */
bool is_own_process(void);
/* In a forked child. */
void become_own_process(void);

/* Calls a function for each socket of the table, which may take it out. */
void for_each_sock(void (*call)(struct sock *sock, int descriptor));

#endif
