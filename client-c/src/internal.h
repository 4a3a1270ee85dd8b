/* Objects and functions shared by the files of librddp. docs/ipc.md specifies messages and rings. */
#ifndef RDDP_INTERNAL_H
#define RDDP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "error.h"
#include "layer.h"
#include "message.h"
#include "processors.h"
#include "rddp.h"
#include "rings.h"
#include "table.h"

#define PROTOCOL_VERSION 12
#define NANOS_PER_MS 1000000u

/* ---- Shared memory ---- */

struct mapping {
    uint8_t *address;
    uint64_t length;
    int descriptor;  /* -1 once the memory is shared */
};

/* Maps a memfd whose size is sealed; closes the descriptor if that fails. */
int map_shared(int descriptor, struct mapping *mapping);
void unmap_shared(struct mapping *mapping);

/* ---- Objects ---- */

struct rddp_connection {
    rddp_session *session;
    uint32_t number;       /* 0 until the daemon has given it */
    _Atomic int state;     /* enum rddp_connection_state */
    bool plain_ddp;
    void *attachment;  /* of the thread that polls */
    struct queue_count sends, receives;
    /* Under the session's lock. */
    struct rddp_connection_info info;
    bool was_established;
    rddp_connection *next_request;  /* of those that wait at the listener */
    void *owner;                    /* of the observer */
};

struct rddp_listener {
    rddp_session *session;
    uint32_t number;
    uint16_t port;
    struct rddp_connection_options options;
    /*
     * Requests that the program has not taken. They enter the table when taken: until then they may be freed at any
     * time.
     */
    rddp_connection *first, *last;
    rddp_listener *next;
    void *owner;  /* of the observer */
};

struct rddp_receive_queue {
    rddp_session *session;
    uint32_t number;
    uint32_t size;
    struct queue_count receives;
    _Atomic bool limit_reached;
    void *owner;  /* of the observer */
};

/* Mapped memory, and the number of its pieces in use. */
struct rddp_memory {
    rddp_session *session;
    uint32_t number;
    uint32_t pieces;
    struct mapping mapping;  /* without an address if the program maps it itself */
    rddp_memory *next;
};

struct rddp_region {
    rddp_session *session;
    rddp_memory *memory;  /* NULL if the region has several pieces */
    uint64_t offset;      /* in the memory */
    uint64_t length;
    uint64_t base;
    uint32_t stag;
    bool owns_piece;
    bool deregistered;
    rddp_region *next;
};

/* ---- A session ---- */

/* A request that waits for its reply; on the stack of the thread that waits. */
struct pending {
    uint32_t number;
    bool done;
    struct message reply;
    /* Called on the session's thread with its lock held, before later messages are handled; may be NULL. */
    void (*arrived)(struct pending *pending);
    void *argument;
    struct pending *next;
};

struct rddp_session {
    int socket;
    int daemon_pid;
    int stop;            /* eventfd that ends the thread */
    int wake;            /* eventfd: an event has come */
    int signal;          /* the daemon's end writes it for completions */
    int epoll;           /* wake and signal */
    /* Set when the session opens: handles events of its objects. Called with the lock held. */
    void (*event_handler)(rddp_session *session, struct message *event);
    void (*lost_handler)(rddp_session *session);
    const struct observer *observer;  /* or NULL */
    void *observer_argument;

    uint64_t timeout;    /* of a request, ns */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_mutex_t memory_lock;  /* one memory request at a time: both ends agree when a memory's last piece is freed */
    pthread_mutex_t send_lock;
    uint32_t last_request;
    struct pending *pending;
    char why_lost[256];
    _Atomic bool lost;

    struct rddp_limits limits;
    char interface_name[64];
    uint32_t address;
    struct mapping ring_memory;
    struct rings rings;
    struct placement placement;

    struct object_table connections;
    struct object_table receive_queues;
    rddp_listener *listeners;
    rddp_memory *memories;
    rddp_region *regions;
};

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t now(void);
uint64_t deadline_after(uint64_t nanos);

/* Waits for `changed` with the lock held; false once the deadline has passed. */
bool wait_changed(rddp_session *session, uint64_t deadline);

/* Finds the connection or receive queue with a number; NULL if there is none. */
rddp_connection *find_connection(rddp_session *session, uint32_t number);
rddp_receive_queue *find_receive_queue(rddp_session *session, uint32_t number);

/* Copies an event into the objects that it concerns, with the lock held. */
void handle_event(rddp_session *session, struct message *event);
/* Ends every connection because the session is lost, with the lock held. */
void end_connections(rddp_session *session);

/* ---- Requests to the daemon ---- */

/*
 * Sends a request and waits for its reply, which must be of the expected type. The reply's descriptors belong to the
 * caller. RDDP_LOST, or the reason of a refusal.
 */
int request(rddp_session *session, struct message *message, unsigned expected, uint64_t longer, struct pending *pending);

/* Sends a request that Done answers, and waits for the reply. */
int request_done(rddp_session *session, struct message *message);

/* Fails with RDDP_LOST and the reason of the loss. */
int fail_lost(rddp_session *session);

/* Seals the memory against holes, and waits until the daemon has allocated its pages. */
int share_memory(rddp_session *session, uint32_t number, struct mapping *mapping);

/* Starts and stops the session's thread. */
int start_thread(rddp_session *session);
void stop_thread(rddp_session *session);

/* Frees the rest of a session's memory, and its listeners with their waiting requests. */
void free_memories(rddp_session *session);
void free_listeners(rddp_session *session);

#endif
