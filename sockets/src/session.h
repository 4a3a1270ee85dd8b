/*
 * The session with the daemon: a control connection that all processes of a tree share, and the doorbells (docs/ipc.md). Nobody
 * listens there: each request waits for its answer, one process at a time.
 */
#ifndef RDDP_SOCKETS_SESSION_H
#define RDDP_SOCKETS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "rules.h"
#include "shared.h"

enum {
    SOCKETS_HELLO = 49,
    SOCKETS_WELCOME = 50,
    STREAM_CONNECT = 51,
    STREAM_CONNECTING = 52,
    STREAM_LISTEN = 53,
    STREAM_LISTENING = 54,
    STREAM_LISTEN_END = 55,
    STREAM_BRIDGE = 56,
    STREAM_BRIDGED = 57,
    STREAM_BACKLOG = 58
};

/* Why a request was not carried out; the daemon's are those of docs/ipc.md. */
enum { REQUEST_LOST = -1, REQUEST_DONE = 0, REFUSED_LIMIT = 3, REFUSED_NO_INTERFACE = 9 };

struct session {
    int control, wake;
    uint8_t *memory;
    unsigned sections;
    struct session_page *page;
    struct networks networks;
};

/* The process's session, which is opened at first need and once the last one is lost. NULL with errno, ENETDOWN: there is no daemon. */
struct session *open_session(void);

/* The process's session as it is, or NULL. */
const struct session *present_session(void);

/* The networks of the daemon's interfaces, or those that were known when the program was started. */
const struct networks *rddp_networks(void);

/* The same; the daemon is asked if none are known. */
const struct networks *find_networks(void);

/*
 * Sends a request, and replaces it by its answer of an expected type. Else a reason above, or another one of the daemon, with
 * errno. If the session is lost, it is not used again.
 */
int request(struct session *session, struct message *message, unsigned expected);

/*
 * Forbids holes in memory that the daemon has made and this process has mapped, unless the daemon has forbidden them: see docs/ipc.md.
 * False with errno. Says, unless the last argument is NULL, whether others can map it, too.
 */
bool forbid_holes(int memory, bool *immutable);

/* Asks for the socket by which a stream's octets are to pass from now on. -1 with errno. */
int request_bridge(int stream);

/* Tells the engine of a section that a stream of the session has something new. */
void ring(const struct session *session, unsigned section, unsigned index);

/* The user of the daemon, as a peer's credentials tell it. */
bool is_daemons_user(uid_t user);

#endif
