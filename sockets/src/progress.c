#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "connecting.h"
#include "internal.h"
#include "listening.h"
#include "settings.h"
#include "stream.h"

#define COMPLETIONS 64
/* How long a process waits at its end for its peers. */
#define FINISH_NANOS 5000000000u
#define FINISH_MS 20

static uint64_t activity;

uint64_t last_activity(void) {
    return activity;
}

static bool take_completions(struct link *link) {
    struct rddp_completion completions[COMPLETIONS];
    bool some = false;
    int count;
    do {
        count = rddp_poll(link->session, completions, COMPLETIONS);
        for (int i = 0; i < count; i++) {
            if (completions[i].connection != NULL && rddp_attachment(completions[i].connection) != NULL) {
                on_completion(rddp_attachment(completions[i].connection), &completions[i]);
            }
        }
        some = some || count > 0;
    } while (count == COMPLETIONS);
    return some;
}

static void look_at_start(struct sock *sock, enum rddp_connection_state state) {
    if (sock->listens != NULL) {
        if (state == RDDP_CLOSED) {
            take_completions(sock->link);  /* what came before the end */
        }
        on_accepting(sock, state);
    } else if (sock->descriptors == 0) {
        /* Closed while it connected, or the listener was. */
        if (state == RDDP_CLOSED) {
            detach_stream(sock);
        } else if (!sock->failed) {
            end_stream(sock, false);
        }
    } else {
        on_connecting(sock, state);
    }
}

static void look_at(struct sock *sock) {
    if (sock->connection == NULL) {
        return;
    }
    enum rddp_connection_state state = rddp_connection_state(sock->connection);
    struct rddp_connection_info info;
    if (sock->stage == STAGE_CONNECTING && state >= RDDP_ESTABLISHED) {
        look_at_start(sock, state);
    }
    if (sock->stage != STAGE_CONNECTED || sock->connection == NULL) {
        return;
    }
    rddp_connection_info(sock->connection, &info);
    if (info.state != RDDP_CLOSED && (!info.peer_closed || sock->failed)) {
        return;
    }
    /* The daemon has published what came before the end; it may have done so after the last look. */
    take_completions(sock->link);
    if (info.state == RDDP_CLOSED) {
        on_end(sock, info.reason);
    } else if (!sock->failed) {
        /* Its program has closed: it takes nothing more. */
        sock->peer_ended = true;
        end_stream(sock, true);
        sock_changed(sock);
    }
}

static void listen_on(struct sock *sock, int descriptor) {
    if (sock->stage == STAGE_LISTENING && sock->descriptor == descriptor) {
        accept_requests(sock);
    }
}

static struct link *lost_link;

static void lose_listener(struct sock *sock, int descriptor) {
    (void)descriptor;
    if (sock->stage == STAGE_LISTENING) {
        lose_listeners(sock, lost_link);
    }
}

static void lose(struct link *link) {
    sockets_log("the daemon of %s is gone", link->interface.name);
    for (struct sock *sock = link->socks; sock != NULL; sock = link->socks) {
        sock->references++;
        if (sock->stage == STAGE_CONNECTING) {
            look_at(sock);
        }
        if (sock->octets > 0) {
            sock->error = ECONNRESET;
            sock->dead = true;
        }
        discard_octets(sock);  /* its memory goes with the session */
        if (sock->connection != NULL) {
            sock->stage = STAGE_CONNECTED;
            on_end(sock, RDDP_STOPPING);
        } else {
            sock_changed(sock);
        }
        release(sock);
    }
    lost_link = link;
    for_each_sock(lose_listener);
    close_link(link);
}

void progress(void) {
    unsigned count;
    claim_listeners();
    bool retries = take_retries();
    struct link *list = links(&count);
    for (unsigned i = 0; i < count; i++) {
        struct link *link = &list[i];
        if (link->session == NULL) {
            continue;
        }
        bool events = atomic_load_explicit(&link->events, memory_order_relaxed) && atomic_exchange(&link->events, false);
        if (take_completions(link)) {
            activity = now();
        }
        if (retries) {
            retry_streams(link);
        }
        if (!events) {
            continue;
        }
        activity = now();
        struct sock *next;
        for (struct sock *sock = link->socks; sock != NULL; sock = next) {
            next = sock->next;
            sock->references++;
            look_at(sock);
            release(sock);
        }
        for_each_sock(listen_on);
        if (link->session->lost) {
            lose(link);
        }
    }
}

bool arm_links(void) {
    unsigned count;
    struct link *list = links(&count);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].session != NULL && (!rddp_arm(list[i].session) || atomic_load(&list[i].events))) {
            return false;
        }
    }
    return true;
}

unsigned poll_links(struct pollfd *polled, unsigned room) {
    unsigned count, added = 0;
    struct link *list = links(&count);
    for (unsigned i = 0; i < count && added < room; i++) {
        if (list[i].session != NULL) {
            polled[added++] = (struct pollfd){.fd = rddp_descriptor(list[i].session), .events = POLLIN};
        }
    }
    return added;
}

void close_sock(struct sock *sock) {
    if (sock->forwarders > 0) {
        return;  /* a child has it still */
    }
    if (sock->stage == STAGE_LISTENING) {
        end_listening(sock);
    } else if (sock->stage == STAGE_CONNECTING) {
        abandon_stream(sock);
    } else if (sock->stage == STAGE_CONNECTED) {
        discard_octets(sock);
        if (sock->abortive) {
            end_stream(sock, false);
        } else if (!sock->failed) {
            end_sending(sock);
            end_stream(sock, true);
        }
    }
}

/* ---- The end of the process ---- */

static bool is_unfinished(const struct sock *sock) {
    return sock->connection != NULL && sock->stage == STAGE_CONNECTED && sock->sending_ended && !sock->end_acknowledged
        && !sock->dead;
}

static bool all_finished(void) {
    unsigned count;
    struct link *list = links(&count);
    for (unsigned i = 0; i < count; i++) {
        for (struct sock *sock = list[i].socks; sock != NULL; sock = sock->next) {
            if (is_unfinished(sock)) {
                return false;
            }
        }
    }
    return true;
}

static void end_open(struct sock *sock, int descriptor) {
    (void)descriptor;
    if (sock->stage == STAGE_CONNECTED && sock->connection != NULL && !sock->failed) {
        end_sending(sock);
        end_stream(sock, true);
    }
}

void finish(void) {
    struct pollfd polled[16];
    if (!is_own_process() || !try_lock_engine()) {
        return;
    }
    for_each_sock(end_open);
    uint64_t deadline = deadline_after(FINISH_NANOS);
    progress();
    while (!all_finished() && now() < deadline) {
        if (arm_links()) {
            poll(polled, poll_links(polled, 16), FINISH_MS);
        }
        progress();
    }
    unlock_engine();
}
