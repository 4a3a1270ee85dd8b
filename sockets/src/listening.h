/* listen(2) and accept(2): connections by rddp beside the kernel's. */
#ifndef RDDP_SOCKETS_LISTENING_H
#define RDDP_SOCKETS_LISTENING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "descriptors.h"

struct session;

/* The kernel's socket stands at the program's descriptor. */
struct listener {
    struct object object;  /* first */
    int channel;           /* where the daemon offers streams; hidden */
    int domain;
    uint32_t number;       /* of the daemon's */
    struct session *session;  /* NULL: it is of the program before exec(2), and streams come by bridges */
};

/* The descriptor's listener with a reference, or NULL. */
static inline struct listener *take_listener(int descriptor) {
    return (struct listener *)take(descriptor, A_LISTENER);
}

static inline void put_listener(struct listener *listener) {
    put(&listener->object);
}

/* Called when rddp listens beside a socket. */
extern void (*listener_made)(const struct listener *listener, int descriptor);

/* listen(2). */
int listen_socket(int descriptor, int backlog);

/* accept4(2) of a listener, with whose reference the call begins: it is dropped. */
int accept_socket(struct listener *listener, int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/* Whether a connection by rddp waits to be accepted. If the daemon has ended, the listener becomes the kernel's alone. */
bool has_offer(int descriptor);

/* shutdown(2) of a listener: it is the kernel's alone. */
void stop_listening(int descriptor);

/* Before exec(2): listeners that the program which follows gets go on in it. */
void keep_listeners_for_exec(void);
/* In a new program: finds listeners that it has got from the one before. */
void find_inherited_listeners(void);

#endif
