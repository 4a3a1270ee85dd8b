/* The connection manager: replaces librdmacm. */
#ifndef RDDP_VERBS_CM_CM_H
#define RDDP_VERBS_CM_CM_H

#include <rdma/rdma_cma.h>

#include "objects.h"

struct event {
    struct rdma_cm_event ibv;
    struct id *subject;  /* may not be destroyed before the program has acknowledged the event */
    struct event *next;
    uint8_t private_data[RDDP_MAX_PRIVATE_DATA];
};

/* Its queue is under `streams`. */
struct event_channel {
    struct rdma_event_channel ibv;
    struct event *first, *last;
    unsigned void_counts;
};

/* A device at which an id listens. */
struct listening {
    struct id *id;
    struct device *device;
    struct ibv_context *verbs;
    struct ibv_pd *domain;
    rddp_listener *listener;
    struct listening *next;
};

struct id {
    struct rdma_cm_id ibv;
    /*
     * librdmacm's rsockets look at `synchronous` of the ids that they have created, and at nothing else of these six.
     * From release 17 to 64 of rdma-core they follow the public structure in this order.
     */
    void *device_of_librdmacm;
    void *connect;
    size_t connect_length;
    int events_completed;
    int connect_error;
    int synchronous;
    uint8_t further_of_librdmacm[128];

    struct device *device;        /* null until an address is chosen; null for an id that listens at all of them */
    struct ibv_context *verbs;    /* of the device; public only once the id is bound to it */
    struct ibv_pd *domain;
    struct id *next;              /* in the list of all ids; under `streams` */
    struct stream *stream;
    bool unanswered;              /* a request that the program has not accepted; under `streams` */
    struct listening *places;     /* under `streams` */
    struct ibv_qp_init_attr *initial;  /* for the queue pairs of a listening endpoint */
    bool owns_send_cq, owns_recv_cq;
    bool has_dscp;                /* the program has chosen a type of service */
    uint8_t dscp;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t events_acknowledged;
    unsigned events_reported;
};

static inline struct id *id_of(struct rdma_cm_id *ibv) {
    return (struct id *)ibv;
}

/* All ids; under `streams`. */
extern struct id *ids;

/* Sets up an id and adds it to the list, and takes it out, with `streams` held. */
void set_up(struct id *id, struct rdma_event_channel *channel, void *context, enum rdma_port_space space);
void unlist(struct id *id);
void free_id(struct id *id);

/* Makes an id and adds it to the list. Null with errno. */
struct id *new_id(struct rdma_event_channel *channel, void *context, enum rdma_port_space space);

/* Makes an id for an incoming request, with `streams` held. */
struct id *new_child(const struct listening *place);

/* Frees the id of a request that the program has not seen, with `streams` held. */
void free_child(struct id *id);

/* Ends listening; requests that the program has not seen stay events of the id. */
void stop_listening(struct id *id);

/* Options of a connection for the parameters of a program and its shared receive queue; both may be null. */
struct rddp_connection_options connection_options(const struct rdma_conn_param *param, struct ibv_srq *shared);

/* The DSCP of the type of service that the program has chosen. */
uint32_t dscp_of(const struct id *id);

/* Options of the connections that a listener accepts. shared may be null. */
struct rddp_connection_options listening_options(struct ibv_srq *shared);

/* Makes an event for an id, and adds it to the id's channel, with `streams` held. */
struct event *new_event(struct id *id, enum rdma_cm_event_type type, int status);
void append_event(struct event *event);
struct event *add_event(struct id *id, enum rdma_cm_event_type type, int status);

/* Takes `streams` and adds an event. */
void deliver(struct id *id, enum rdma_cm_event_type type, int status);

/* In synchronous mode, waits for the outcome of the request. */
int complete_request(struct id *id);

/* Takes the events of an id, and of requests to it, out of its channel, with `streams` held. */
struct event *remove_events(struct id *id);

/* Takes the event of a request that the program has not seen out of a channel, and frees its id, with `streams` held. */
void remove_request(struct event_channel *channel, struct event *event);

void hear_end(struct id *id, const struct rddp_connection_info *info, bool was_established);

/* Gives an id its device, and shows it in the public structure. The first returns 0, or -1 with errno. */
int bind_device(struct id *id, struct device *device);
void show_device(struct id *id);

/* Ports lie at the same place in both families. */
static inline __be16 *port_of(struct sockaddr_storage *address) {
    return &((struct sockaddr_in *)address)->sin_port;
}

/* The IP address of a socket address; an IPv4 address is mapped. */
struct in6_addr address_in(const struct sockaddr *address);

/* Makes a socket address from an address and a port in network order; a mapped address becomes IPv4. */
void set_address(struct sockaddr_storage *to, const struct in6_addr *address, __be16 port);

#endif
