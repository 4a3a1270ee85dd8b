/* The control connection of a session: requests, replies, events, and the thread that receives them. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define THREAD_STACK (256 << 10)
#define SEND_RETRY_NANOS 1000000

int unblocked_signal;

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t deadline_after(uint64_t nanos) {
    return now() + nanos;
}

bool wait_changed(rddp_session *session, uint64_t deadline) {
    struct timespec time = {.tv_sec = (time_t)(deadline / 1000000000u), .tv_nsec = (long)(deadline % 1000000000u)};
    int before;
    /* A thread that is cancelled here would keep the lock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    bool in_time = pthread_cond_timedwait(&session->changed, &session->lock, &time) != ETIMEDOUT;
    pthread_setcancelstate(before, &before);
    return in_time;
}

int fail_lost(rddp_session *session) {
    pthread_mutex_lock(&session->lock);
    int result = fail(RDDP_LOST, "%s", session->why_lost);
    pthread_mutex_unlock(&session->lock);
    return result;
}

/* Under the lock. The first reason is kept. */
static void lose(rddp_session *session, const char *why) {
    if (!session->lost) {
        snprintf(session->why_lost, sizeof session->why_lost, "%s", why);
        session->lost = true;
        session->lost_handler(session);
    }
    pthread_cond_broadcast(&session->changed);
    eventfd_write(session->wake, 1);
}

static void lose_with_lock(rddp_session *session, const char *why) {
    pthread_mutex_lock(&session->lock);
    lose(session, why);
    pthread_mutex_unlock(&session->lock);
}

/* Sends a message, and waits until the daemon takes it; no other thread may send a request meanwhile. */
static int send_request(rddp_session *session, struct message *message, uint64_t deadline) {
    int result = RDDP_OK;
    pthread_mutex_lock(&session->send_lock);
    enum transfer sent = send_message(session->socket, message);
    while (sent == WOULD_BLOCK && !session->lost && now() < deadline) {
        struct timespec pause = {.tv_nsec = SEND_RETRY_NANOS};
        nanosleep(&pause, NULL);
        sent = send_message(session->socket, message);
    }
    if (sent == TRANSFER_FAILED && errno == EMSGSIZE) {
        result = fail(RDDP_INVALID, "the request is longer than a message may be (%d octets)", MESSAGE_OCTETS);
    } else if (sent != TRANSFERRED) {
        lose_with_lock(session, sent == WOULD_BLOCK ? "the daemon does not read its requests" : "the daemon is gone");
        result = RDDP_LOST;
    }
    pthread_mutex_unlock(&session->send_lock);
    return result == RDDP_LOST ? fail_lost(session) : result;
}

static int refusal(struct message *reply) {
    int reason = (int)get_u32(reply);
    get_u32(reply);
    char why[480];
    get_text(reply, why, sizeof why);
    return fail(reason == 0 ? RDDP_INTERNAL : reason, "%s", why);
}

static void unlink_pending(rddp_session *session, struct pending *pending) {
    struct pending **at = &session->pending;
    while (*at != NULL && *at != pending) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = pending->next;
    }
}

int request(rddp_session *session, struct message *message, unsigned expected, uint64_t longer, struct pending *pending) {
    uint64_t deadline = deadline_after(session->timeout + longer);
    pthread_mutex_lock(&session->lock);
    session->last_request = session->last_request == INT32_MAX ? 1 : session->last_request + 1;
    message->request = session->last_request;
    pending->number = message->request;
    pending->done = false;
    pending->next = session->pending;
    session->pending = pending;
    pthread_mutex_unlock(&session->lock);

    int result = send_request(session, message, deadline);
    pthread_mutex_lock(&session->lock);
    while (result == RDDP_OK && !pending->done && !session->lost) {
        if (!wait_changed(session, deadline) && !pending->done) {
            lose(session, "the daemon has not answered in time; the session ends");
        }
    }
    unlink_pending(session, pending);
    bool answered = pending->done;
    pthread_mutex_unlock(&session->lock);
    if (result != RDDP_OK) {
        return result;
    }
    if (!answered) {
        return fail_lost(session);
    }
    if (pending->reply.type == REFUSED) {
        return refusal(&pending->reply);
    }
    if (pending->reply.type != expected) {
        close_descriptors(&pending->reply);
        return fail(RDDP_PROTOCOL, "the daemon answered with a message of type %u instead of %u", pending->reply.type,
            expected);
    }
    return RDDP_OK;
}

int request_done(rddp_session *session, struct message *message) {
    struct pending pending = {.arrived = NULL};
    return request(session, message, DONE, 0, &pending);
}

/* ---- The thread ---- */

static void answer(rddp_session *session, struct message *reply) {
    for (struct pending *pending = session->pending; pending != NULL; pending = pending->next) {
        if (pending->number == reply->request && !pending->done) {
            pending->reply = *reply;
            pending->done = true;
            if (pending->arrived != NULL) {
                pending->arrived(pending);
            }
            pthread_cond_broadcast(&session->changed);
            return;
        }
    }
    close_descriptors(reply);
}

/* Returns whether the daemon's end is still open. */
static bool receive_all(rddp_session *session) {
    struct message message;
    enum transfer received = receive_message(session->socket, &message);
    while (received == TRANSFERRED) {
        pthread_mutex_lock(&session->lock);
        if (message.request != 0) {
            answer(session, &message);
        } else {
            session->event_handler(session, &message);
            close_descriptors(&message);
            pthread_cond_broadcast(&session->changed);
            eventfd_write(session->wake, 1);
        }
        pthread_mutex_unlock(&session->lock);
        received = receive_message(session->socket, &message);
    }
    return received == WOULD_BLOCK;
}

static void *run(void *argument) {
    rddp_session *session = argument;
    struct pollfd polled[] = {
        {.fd = session->stop, .events = POLLIN},
        {.fd = session->socket, .events = POLLIN},
    };
    bool open = true;
    while (open && polled[0].revents == 0 && !session->lost) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR) {
            break;
        }
        /* Not of the daemon's process: another one may go on with the session. */
        open = receive_all(session);
    }
    lose_with_lock(session, open ? "the session is closed"
            : errno == EBADMSG ? "the daemon sent a message that is not well formed"
                               : "the daemon is gone");
    return NULL;
}

int start_thread(rddp_session *session) {
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    sigfillset(&all);
    if (unblocked_signal != 0) {
        sigdelset(&all, unblocked_signal);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&session->thread, &attributes, run, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        errno = error;
        return fail_errno(RDDP_SYSTEM, "no thread for the session");
    }
    session->has_thread = true;
    return RDDP_OK;
}

void stop_thread(rddp_session *session) {
    if (session->has_thread) {
        eventfd_write(session->stop, 1);
        pthread_join(session->thread, NULL);
        session->has_thread = false;
    }
}
