/*
 * The objects behind libibverbs' public structures, shared by the files of librddp-verbs.
 *
 * Locks. `posting` and `polling` of a device make it one thread that posts and one that polls its session. `streams` guards
 * what joins connections, queue pairs and ids, and the queues of events. Order, outermost first: control, disconnecting,
 * polling, posting, librddp's lock of the session, streams. So the observer takes `streams` only, and nobody sends the
 * daemon a message with polling, posting or streams held.
 */
#ifndef RDDP_VERBS_OBJECTS_H
#define RDDP_VERBS_OBJECTS_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "counted.h"
#include "errors.h"
#include "layer.h"
#include "memory/memory.h"
#include "spin.h"
#include "table.h"

/* Exported; verbs.map lets nothing else through. */
#define VERBS __attribute__((visibility("default")))

/* The object that contains a public structure as a member. */
#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

#define MAX_PIECES RDDP_MAX_PIECES
#define MAX_INLINE RDDP_MAX_INLINE
/* Most Reads and atomics of a queue pair: verbs has 8 bits for them. */
#define MAX_READS 255
#define MAX_COMPLETIONS (1 << 20)
/* Messages that come before the program has posted its receives are kept: iWARP has no way to say "not ready". */
#define HELD_OCTETS (1u << 20)
/* Numbers of protection domains that the daemon knows; ibv_alloc_pd() gives all but 0. */
#define MOST_DOMAINS (RDDP_LARGEST_DOMAIN + 1)
#define PORT 1

/* ---- Device ---- */

struct stream;

struct device {
    struct ibv_device ibv;
    struct rddp_interface interface;
    struct device *next;  /* in the list; under its lock */
    struct device *next_retired;
    /* For rdma_cm; opened once, and never closed. */
    struct ibv_context *shared;
    struct ibv_pd *shared_domain;
    /* Protection domains, completion queues, ids, and the places where they listen: what others depend on. */
    _Atomic unsigned objects;
    pthread_mutex_t control;
    rddp_session *session;  /* while a context is open */
    unsigned contexts;
    struct context *first_context;  /* under `streams` */
    struct rddp_limits limits;
    struct spin posting, polling;
    _Atomic bool lost;        /* while a context is open */
    bool flushed;             /* after the loss; under polling */
    unsigned armed;           /* completion queues that wait for a completion; under polling */
    uint8_t domains[MOST_DOMAINS];  /* 1: the number of a protection domain; under control */
    uint32_t reserved;        /* requests that queue pairs may have outstanding; under control */
    struct object_table regions;       /* by lkey */
    struct object_table queue_pairs;   /* by handle */
    struct object_table shared_queues; /* by the daemon's number */
    uint32_t last_region, last_queue_pair;
    /* The device's thread. */
    pthread_t thread;
    bool has_thread;
    int work;                 /* eventfd */
    _Atomic bool stopping;
    struct stream *ending;    /* to be disconnected; under `streams` */
    pthread_mutex_t disconnecting;  /* the thread must not take `control`: its holder may wait for the thread's end */
};

struct asynchronous_event {
    struct ibv_async_event ibv;
    struct asynchronous_event *next;
};

struct context {
    struct device *device;
    struct context *next;
    struct asynchronous_event *first, *last;  /* under `streams` */
    unsigned void_counts;                     /* of async_fd; under `streams` */
    struct verbs_context verbs;  /* its last member grows */
};

static inline struct context *context_of(struct ibv_context *ibv) {
    return CONTAINER(ibv, struct context, verbs.context);
}

static inline struct device *device_of(struct ibv_context *ibv) {
    return context_of(ibv)->device;
}

/* Guards what joins connections, queue pairs and ids. */
extern pthread_mutex_t streams;

/*
 * Finds the device that has an address, and the one that leads to it: by its own address, its network, or a gateway.
 * IPv4 addresses are mapped. An address that stands for this host means the first device of its family. Null with errno
 * if there is none.
 */
struct device *find_device(const struct in6_addr *address);
struct device *route_device(const struct in6_addr *address);

/* Whether an address stands for this host: unspecified, or the loopback one. */
bool is_this_host(const struct in6_addr *address);

/* The interface's own address of the family, and scope, of another; :: if it has none. */
struct in6_addr own_address(const struct rddp_interface *interface, const struct in6_addr *towards);

/*
 * Opens one more context. After the daemon's end, opens a new session if the program has no object of the old one left.
 * Null with errno; ENODEV if it has one left.
 */
struct ibv_context *open_context(struct device *device);

/* Whether the program has an object of the device, or a region or queue of the domain that rdma_cm uses. */
bool is_used(struct device *device);

/* Opens a new session for a lost device. 0, or -1 with errno as above. */
int renew_session(struct device *device);

/* The context that ids of rdma_cm use. Null with errno if it cannot be opened. The second also counts an object. */
struct ibv_context *shared_context(struct device *device);
struct ibv_context *hold_shared_context(struct device *device);

/*
 * Adds an event to a context, about one of its objects or, without an element, about its port. Call the first with
 * `streams` held.
 */
void add_asynchronous_event(struct ibv_context *context, enum ibv_event_type type, void *element);
void report_event(struct ibv_context *context, enum ibv_event_type type, void *element);

/* Drops events about an object that is being destroyed. */
void forget_events(struct ibv_context *context, const void *element);

/* Waits until the program has acknowledged all events that were reported to it. */
void await_acknowledged(pthread_mutex_t *mutex, pthread_cond_t *changed, const uint32_t *acknowledged,
    const unsigned *reported);

/* Starts and stops the thread that drains completions for armed queues, and disconnects. */
int start_device_thread(struct device *device);
void stop_device_thread(struct device *device);

static inline void wake_device_thread(struct device *device) {
    eventfd_write(device->work, 1);
}

/* Set the functions of a new context, file by file. */
void offer_queries(struct verbs_context *verbs);
void offer_posting(struct verbs_context *verbs);
void offer_completions(struct verbs_context *verbs);
void offer_windows(struct verbs_context *verbs);

/* ---- Memory ---- */

struct domain {
    struct ibv_pd ibv;
    uint32_t number;  /* of the daemon's protection domain */
    _Atomic unsigned uses;
};

struct region {
    struct ibv_mr ibv;
    struct memory_registration *registration;
    uint64_t base;  /* what work requests call the first octet's address */
    unsigned access;
    uint32_t stag;
};

/* Librddp's rights for access flags of verbs. */
unsigned rights_of(unsigned access);

static inline struct domain *domain_of(struct ibv_pd *ibv) {
    return (struct domain *)ibv;
}

/* ---- Completions ---- */

struct channel {
    struct ibv_comp_channel ibv;
    /* Under `polling` of the device. */
    struct completion_queue *first, *last;  /* those with events */
    unsigned void_counts;
};

enum armed { NOT_ARMED, ARMED_SOLICITED, ARMED };

struct completion_queue {
    union {
        struct ibv_cq ibv;
        struct ibv_cq_ex extended;
    };
    struct device *device;
    /* All of it under `polling`. */
    struct ibv_wc *entries;
    uint32_t mask;
    uint32_t written, read;
    enum armed armed;
    bool overrun;
    unsigned events_due;       /* in the channel's list */
    unsigned events_reported;  /* by ibv_get_cq_event() */
    unsigned errors_reported;  /* by ibv_get_async_event() */
    struct completion_queue *next_due;
    struct ibv_wc current;     /* of ibv_start_poll() */
    _Atomic unsigned uses;
};

static inline struct completion_queue *completion_queue_of(struct ibv_cq *ibv) {
    return (struct completion_queue *)ibv;
}

/* Adds a completion, with polling held. */
void add_completion(struct completion_queue *queue, const struct ibv_wc *completion, bool solicited);

/* Moves what the daemon has completed into the completion queues, with polling held. */
void drain(struct device *device);

/* ---- Queue pairs ---- */

/* A request that is posted and not completed, to be flushed when the daemon ends. */
struct posted {
    uint64_t id;
    enum ibv_wc_opcode opcode;
    bool quiet;  /* the daemon reports its success, but the program did not ask for it */
};

/* A receive that waits for a connection. */
struct early_receive {
    uint64_t id;
    unsigned piece_count;
    struct rddp_piece pieces[MAX_PIECES];
};

struct queue_pair {
    union {
        struct ibv_qp ibv;
        struct ibv_qp_ex extended;
    };
    struct device *device;
    struct ibv_qp_cap cap;
    bool signal_all;
    struct ibv_qp_attr set;  /* by ibv_modify_qp() */
    bool is_modified;        /* by ibv_modify_qp(), ever */
    bool is_numbered;        /* its number is the daemon's, and peers can name it */
    bool by_number;          /* it has a connection by number, or had it: as a card's, it hears nothing of its peer's orderly end */
    /* Under posting; changed with polling, too. */
    rddp_connection *connection;
    _Atomic bool failed;    /* nothing is sent any more: later requests are posted to be flushed */
    _Atomic bool peer_left; /* in order; receives stay, and the next send fails */
    bool told_last;         /* IBV_EVENT_QP_LAST_WQE_REACHED was reported after that */
    _Atomic bool reported;  /* the completion with the error has come: later ones are flushed */
    struct posted *sent;         /* by sends_of(connection)->posted & sent_mask */
    struct posted *received;
    uint32_t sent_mask, received_mask;
    bool awaits_accept;          /* the connection accepts no receives yet: its domain may change */
    struct early_receive *early;
    uint32_t early_count, early_room;
    struct batch *batch;  /* of the post API, if the queue pair offers it */
    /* Under `streams`. */
    struct stream *stream;
    unsigned events_reported;
};

static inline struct queue_pair *queue_pair_of(struct ibv_qp *ibv) {
    return (struct queue_pair *)ibv;
}

/* Creates a queue pair; numbered: peers can name it. Null with errno. */
struct ibv_qp *create_queue_pair(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted, bool numbered);

struct queue_pair *find_queue_pair(struct device *device, uint32_t number);

/*
 * Reports all posted requests of the queue pair as flushed, with polling and posting held. Only after the daemon's end.
 */
void flush_queue_pair(struct queue_pair *queue_pair);

/* Reports the receives that wait for the connection as flushed, with polling and posting held. */
void flush_early_receives(struct queue_pair *queue_pair);

/* Reports a request as flushed, with polling held. */
void flush_request(struct queue_pair *queue_pair, uint64_t id, enum ibv_wc_opcode opcode);

/* Keeps a receive until there is a connection, with posting held. Returns an errno value. */
int keep_receive(struct queue_pair *queue_pair, const struct early_receive *receive);

/* Keeps a receive that its connection's end has flushed, as if there had been none yet; false with as many as it may have. */
bool keep_flushed_receive(struct queue_pair *queue_pair, uint64_t id);

/* Drops completions of the queue pair that the program has not polled. */
void forget_completions(struct queue_pair *queue_pair);

/* Posts the receives that wait for the connection, with polling and posting held. */
void post_early_receives(struct queue_pair *queue_pair);

/* Fails the queue pair: ends its connection, and flushes later requests. Any thread, without `streams`. */
void fail_queue_pair(struct queue_pair *queue_pair, bool graceful);

/* ---- Shared receive queues ---- */

struct shared_queue {
    struct ibv_srq ibv;
    struct device *device;
    rddp_receive_queue *queue;
    uint32_t size;
    uint64_t *ids;           /* the program's, by the number that the daemon gets */
    /* A ring of free numbers, with counts: `posting` takes them, `polling` returns them. */
    uint32_t *free_numbers;
    _Atomic uint64_t taken, returned;
    _Atomic unsigned uses;
    _Atomic uint32_t limit;
    unsigned events_reported;
};

static inline struct shared_queue *shared_queue_of(struct ibv_srq *ibv) {
    return (struct shared_queue *)ibv;
}

/* ---- Requests ---- */

/*
 * Makes the pieces of a list; EINVAL if there are too many. A wrong lkey or range becomes a piece that the daemon
 * refuses, and sets `refused`, which may be null.
 */
int make_pieces(struct device *device, const struct ibv_pd *domain, const struct ibv_sge *list, int count,
    struct rddp_piece *pieces, unsigned *made, bool *refused);

/* ---- Streams ---- */

struct id;
struct listening;

/* An RDMAP Stream: a connection, the queue pair that uses it, and the id of rdma_cm. */
struct stream {
    struct device *device;
    rddp_connection *connection;  /* null once rejected */
    struct queue_pair *queue_pair;
    struct id *id;
    bool told_established, told_end;
    enum wish { GO_ON, END_GRACEFULLY, ABORT, FREE } wish;
    enum { NOTHING, GRACEFUL_SENT, ABORT_SENT } sent;
    bool queued;
    struct stream *next_ending;
};

struct stream *new_stream(struct device *device, rddp_connection *connection, struct id *id);

/* Joins a queue pair to a stream, and posts its early receives. Returns an errno value. */
int join_queue_pair(struct stream *stream, struct queue_pair *queue_pair);

/* Posts the receives that wait for the connection, once it is accepted. */
void accept_queue_pair(struct queue_pair *queue_pair);

/* Parts a queue pair from its stream; afterwards the daemon uses none of its posted requests. */
void part_queue_pair(struct queue_pair *queue_pair);

/* Ends the connection of a queue pair that is connected by number, and waits until the daemon has. */
void end_in_order(struct queue_pair *queue_pair);

/* Parts the id from its stream. */
void part_id(struct stream *stream);

/* Drops an ended request without a queue pair, with `streams` held: the device's thread frees the stream. */
void drop_stream(struct stream *stream);

/* Notes that the connection is to end; the device's thread asks the daemon. With `streams` held. */
void want_end(struct stream *stream, bool graceful);

/*
 * Carries out what want_end() and drop_stream() have noted. On the device's thread, or on the thread that has ended it.
 */
void end_streams(struct device *device);

/* Handles events of a device's session: those of streams, shared receive queues and places where ids listen. */
extern const struct observer stream_observer;

/* Callbacks of the connection manager, with `streams` held. It sets them when the library is loaded. */
struct hearing {
    void (*established)(struct id *id, const struct rddp_connection_info *info);
    void (*end)(struct id *id, const struct rddp_connection_info *info, bool was_established);
    void (*requests)(struct listening *place);
    void (*removal)(const struct device *device);
};

extern struct hearing hearing;

#endif
