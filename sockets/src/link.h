/* The daemon's interfaces, and this process's session at each of them, which is opened when it is first needed. */
#ifndef RDDP_SOCKETS_LINK_H
#define RDDP_SOCKETS_LINK_H

#include <stdatomic.h>

#include "rules.h"
#include "sock.h"

/* Registered memory of one connection: slots to receive into, and slots to send from. */
struct buffer {
    rddp_region *region;
    uint8_t *address;
    uint32_t stag;
    struct buffer *next;
};

struct link {
    struct rddp_interface interface;
    rddp_session *session;  /* NULL: not open */
    int reason;             /* why open_link() had none, enum rddp_reason */
    _Atomic bool events;    /* something has happened to a listener or a connection; set by the session's thread */
    struct sock *socks;     /* those that have a connection, or unread octets of one that has ended */
    unsigned streams;       /* sockets that have a connection */
    unsigned most_streams;  /* for more the session's rings have no room */
    struct buffer *spare;
};

/* All interfaces, or the one that RDDP_INTERFACE names; none without a daemon. */
struct link *links(unsigned *count);

/* The networks of all interfaces of the daemon; those that the program's start has named, if there is no daemon. */
const struct networks *rddp_networks(void);

/* Called when a session has been opened: a thread that sleeps waits for those that were open before. */
extern void (*session_opened)(void);

/* An open session of the link, or NULL, which has been logged; link->reason says why. */
rddp_session *open_link(struct link *link);

/* Closes a session that is lost: nothing may use its objects any more. */
void close_link(struct link *link);

/* Forgets the parent's sessions, in a forked child. */
void forget_links(void);

/* The link by which a peer is reached without a router, from an address if that is not ::; NULL for none. */
struct link *link_to(const struct in6_addr *peer, const struct in6_addr *from);

/* Whether two addresses are in one of the interface's networks. */
bool in_network(const struct link *link, const struct in6_addr *address);

/* Whether an interface has the address. */
bool has_address(const struct link *link, const struct in6_addr *address);

/* A socket's address, IPv4 mapped; false if it is of another family. */
bool read_address(const struct sockaddr *address, socklen_t length, struct in6_addr *to, uint16_t *port);

/* Memory for a connection; NULL, which has been logged, if there is none. */
struct buffer *get_buffer(struct link *link);
void put_buffer(struct link *link, struct buffer *buffer);

#endif
