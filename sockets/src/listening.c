#include "listening.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "addresses.h"
#include "libc.h"
#include "locks.h"
#include "options.h"
#include "session.h"
#include "settings.h"
#include "stream.h"
#include "waiting.h"

#define MAX_BACKLOG 65535
#define REUSE_PORT 1u
#define ONLY_IPV6 2u

void (*listener_made)(const struct listener *listener, int descriptor);

static void end_listener(struct object *object) {
    unhide(&((struct listener *)object)->channel);
}

__attribute__((constructor(101))) static void prepare(void) {
    static const struct functions functions = {.size = sizeof(struct listener), .end = end_listener};
    set_functions(A_LISTENER, &functions);
}

/* ---- listen ---- */

/* A socket that is bound nowhere gets its port before it listens: rddp's is the same. */
static int bind_if_unbound(int descriptor, int domain) {
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } nowhere = {.any = {.sa_family = (sa_family_t)domain}};
    return LIBC(bind)(descriptor, &nowhere.any, domain == AF_INET ? sizeof nowhere.ipv4 : sizeof nowhere.ipv6);
}

static uint32_t backlog_of(int backlog) {
    int least = backlog < 0 || backlog > MAX_BACKLOG ? MAX_BACKLOG : backlog;
    return least < 1 ? 1 : (uint32_t)least;
}

/* The number that the kernel has given a socket, whoever holds it; 0: none. */
static uint64_t cookie_of(int descriptor) {
    uint64_t cookie = 0;
    socklen_t length = sizeof cookie;
    return LIBC(getsockopt)(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &length) == 0 ? cookie : 0;
}

/* 0: the daemon offers streams at the listener's channel. Else the daemon's reason with errno, or REQUEST_LOST. */
static int ask(struct listener *listener, int descriptor, uint32_t backlog, uint16_t *port) {
    struct in6_addr address;
    struct message message;
    read_bound(descriptor, &address, port);
    bool only6 = listener->domain == AF_INET6 && option_of(descriptor, IPPROTO_IPV6, IPV6_V6ONLY) != 0;
    begin_message(&message, STREAM_LISTEN);
    if (listener->domain == AF_INET) {
        address = mapped(unmapped(&address));
    }
    put_ipv6(&message, &address);
    put_u32(&message, *port);
    put_u32(&message, backlog);
    put_u32(&message, (option_of(descriptor, SOL_SOCKET, SO_REUSEPORT) != 0 ? REUSE_PORT : 0) | (only6 ? ONLY_IPV6 : 0));
    put_u64(&message, cookie_of(descriptor));
    int result = request(listener->session, &message, STREAM_LISTENING);
    if (result != REQUEST_DONE) {
        return result;
    }
    listener->number = get_u32(&message);
    (void)get_u32(&message);
    int channel = take_descriptor(&message), hidden = hide(channel, &listener->channel);
    close(channel);
    return hidden < 0 ? REQUEST_LOST : REQUEST_DONE;
}

static struct listener *new_listener(int domain, struct session *session) {
    lock_library();
    struct listener *made = (struct listener *)new_object(A_LISTENER);
    unlock_library();
    if (made != NULL) {
        made->channel = -1;
        made->domain = domain;
        made->session = session;
    }
    return made;
}

/* Lets its channel be found after an exec(2), by the number that the kernel has given the listening socket. */
static void name_channel(const struct listener *listener, int descriptor) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    uint64_t cookie = cookie_of(descriptor);
    if (cookie != 0) {
        int octets = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "rddp-listener/%llx/%llx", (unsigned long long)cookie,
            (unsigned long long)now());
        (void)LIBC(bind)(listener->channel, (struct sockaddr *)&name, (socklen_t)(sizeof name.sun_family + 1 + (size_t)octets));
    }
}

static int listen_anew(int descriptor, int domain, int backlog) {
    struct session *session = open_session();
    struct listener *listener = session == NULL ? NULL : new_listener(domain, session);
    uint16_t port = 0;
    if (listener == NULL) {
        return errno == ENETDOWN ? LIBC(listen)(descriptor, backlog) : -1;
    }
    int result = ask(listener, descriptor, backlog_of(backlog), &port);
    int error = errno;
    if (result > 0 && result != REFUSED_NO_INTERFACE) {
        /* Nobody could connect by rddp, and nobody would know. */
        put_listener(listener);
        return fails(error);
    }
    int listens = LIBC(listen)(descriptor, backlog);
    if (listens == 0 && result == REQUEST_DONE) {
        name_channel(listener, descriptor);
        name(&listener->object, descriptor);
        if (listener_made != NULL) {
            listener_made(listener, descriptor);
        }
        sockets_log("listens at port %u", port);
    }
    put_listener(listener);
    return listens;
}

static int change_backlog(struct listener *listener, int backlog) {
    struct message message;
    if (listener->session != NULL) {
        begin_message(&message, STREAM_BACKLOG);
        put_u32(&message, listener->number);
        put_u32(&message, backlog_of(backlog));
        (void)request(listener->session, &message, DONE);
    }
    put_listener(listener);
    return 0;
}

int listen_socket(int descriptor, int backlog) {
    struct listener *listener = take_listener(descriptor);
    if (listener != NULL) {
        int result = LIBC(listen)(descriptor, backlog);
        if (result == 0) {
            return change_backlog(listener, backlog);
        }
        put_listener(listener);
        return result;
    }
    int domain = tcp_domain(descriptor);
    struct in6_addr address;
    uint16_t port;
    if (domain == 0 || is_bound_to_device(descriptor, NULL)) {
        return LIBC(listen)(descriptor, backlog);
    }
    read_bound(descriptor, &address, &port);
    if (port == 0 && bind_if_unbound(descriptor, domain) != 0) {
        return -1;
    }
    return listen_anew(descriptor, domain, backlog);
}

void stop_listening(int descriptor) {
    struct listener *listener = take_listener(descriptor);
    if (listener != NULL) {
        unname(descriptor);
        put_listener(listener);
    }
}

static void note_end(int descriptor) {
    sockets_log("the daemon has ended: a listener is the kernel's alone");
    stop_listening(descriptor);
}

bool has_offer(int descriptor) {
    struct listener *listener = take_listener(descriptor);
    if (listener == NULL) {
        return false;
    }
    char octet;
    ssize_t got = recv(listener->channel, &octet, sizeof octet, MSG_PEEK | MSG_DONTWAIT);
    put_listener(listener);
    if (got == 0) {
        note_end(descriptor);
    }
    return got > 0;
}

/* ---- accept ---- */

/* Of a message of the channel. */
union ancillary {
    struct cmsghdr header;
    char room[CMSG_SPACE(2 * sizeof(int))];
};

static void take_both(struct msghdr *message, int descriptors[2]) {
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    descriptors[0] = descriptors[1] = -1;
    if (control != NULL && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS) {
        size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors, CMSG_DATA(control), (count < 2 ? count : 2) * sizeof(int));
    }
}

static void close_both(const int descriptors[2]) {
    for (int i = 0; i < 2; i++) {
        if (descriptors[i] >= 0) {
            close(descriptors[i]);
        }
    }
}

/*
 * Takes the next offer, under the session's lock: it is looked at first, so that it stays where it is if the process may have no more
 * descriptors. Without a session it goes, and the daemon offers the stream again. 1: there is one; 0: none; -1 with errno. ENOTCONN: the
 * daemon has ended.
 */
static int take_offer(const struct listener *listener, struct offer *offer, int descriptors[2]) {
    union ancillary ancillary;
    struct iovec piece = {.iov_base = offer, .iov_len = sizeof *offer};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
    int look = listener->session != NULL ? MSG_PEEK : 0;
    /* Another thread's exec(2) would find a stream whose memory nobody has mapped. */
    ssize_t got = recvmsg(listener->channel, &message, MSG_CMSG_CLOEXEC | look | MSG_DONTWAIT);
    if (got <= 0) {
        return got == 0 ? fails(ENOTCONN) : errno == EAGAIN ? 0 : -1;
    }
    take_both(&message, descriptors);
    if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors[1] < 0) {
        close_both(descriptors);
        return fails(EMFILE);
    }
    struct offer taken;
    if (look != 0
        && (recv(listener->channel, &taken, sizeof taken, MSG_DONTWAIT) != sizeof taken || memcmp(&taken, offer, sizeof taken) != 0)) {
        /* Somebody without the lock was faster. */
        close_both(descriptors);
        return 0;
    }
    return 1;
}

/* No memory is shared with its engine: it belongs to another program's session. */
static int open_by_bridge(const int descriptors[2], int flags) {
    int made = request_bridge(descriptors[0]), error = errno;
    close_both(descriptors);
    if (made >= 0) {
        (void)fcntl(made, F_SETFD, (flags & SOCK_CLOEXEC) != 0 ? FD_CLOEXEC : 0);
        (void)fcntl(made, F_SETFL, (flags & SOCK_NONBLOCK) != 0 ? O_NONBLOCK : 0);
    }
    errno = error;
    return made;
}

/* The stream gets the number that the kernel has given its socket. */
static int open_offered(const struct listener *listener, int descriptor, const struct offer *offer, const int descriptors[2],
    struct sockaddr *address, socklen_t *length, int flags) {
    const struct stream_parts parts = {.session = listener->session, .section = offer->section, .index = offer->index,
        .send_octets = offer->send_octets, .receive_octets = offer->receive_octets, .socket = descriptors[0], .memory = descriptors[1]};
    struct stream *stream = map_stream(&parts, listener->domain);
    if (stream == NULL || !name(&stream->object, parts.socket)) {
        int error = stream == NULL ? errno : EMFILE;
        close_both(descriptors);
        if (stream != NULL) {
            put_stream(stream);
        }
        return fails(error);
    }
    close(parts.memory);
    if ((flags & SOCK_CLOEXEC) == 0) {
        (void)fcntl(parts.socket, F_SETFD, 0);
    }
    if ((flags & SOCK_NONBLOCK) != 0) {
        (void)fcntl(parts.socket, F_SETFL, O_NONBLOCK);
        atomic_store(&stream->header->nonblocking, 1);
    }
    atomic_store(&stream->header->connect_told, 1);
    inherit_options(stream, parts.socket, descriptor);
    begin_stream(stream, MAPPED | TAKEN);
    struct in6_addr remote = address_of_end(&offer->ends, true);
    store_address(listener->domain, &remote, offer->ends.remote_port, address, length);
    put_stream(stream);
    return parts.socket;
}

static bool is_ready_now(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

/* -1 with errno; EAGAIN: there is nobody. */
static int accept_now(struct listener *listener, int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    struct offer offer;
    int descriptors[2], result;
    uint64_t signals = block_signals();
    if (listener->session != NULL) {
        lock_shared(&listener->session->page->accepting);
    }
    int taken = take_offer(listener, &offer, descriptors);
    bool lost = taken < 0 && errno == ENOTCONN;
    if (taken == 0 || lost) {
        /* Nobody takes it in between: the call does not wait. */
        result = is_ready_now(descriptor) ? LIBC(accept4)(descriptor, address, length, flags) : fails(EAGAIN);
    } else {
        result = -1;
    }
    int error = errno;
    if (listener->session != NULL) {
        unlock_shared(&listener->session->page->accepting);
    }
    if (lost) {
        note_end(descriptor);
    }
    if (taken > 0 && listener->session == NULL) {
        struct in6_addr remote = address_of_end(&offer.ends, true);
        result = open_by_bridge(descriptors, flags);
        error = errno;
        if (result >= 0) {
            store_address(listener->domain, &remote, offer.ends.remote_port, address, length);
        }
    } else if (taken > 0) {
        result = open_offered(listener, descriptor, &offer, descriptors, address, length, flags);
        error = errno;
    }
    restore_signals(signals);
    errno = error;
    return result;
}

/* 0, or -1 with errno. Drops the reference. */
static int await_somebody(struct listener *listener, int descriptor, uint64_t began) {
    uint64_t deadline = deadline_by_option(descriptor, SO_RCVTIMEO, began);
    struct pollfd polled[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = listener->channel, .events = POLLIN}};
    put_listener(listener);
    int ready;
    do {
        struct timespec time = time_until(deadline);
        ready = LIBC(ppoll)(polled, 2, deadline == FOREVER ? NULL : &time, NULL);
    } while (ready < 0 && errno == EINTR && deadline == FOREVER && handlers_restart());
    return ready > 0 ? 0 : ready == 0 ? fails(EAGAIN) : -1;
}

int accept_socket(struct listener *listener, int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    uint64_t began = 0;
    while (listener != NULL) {
        int accepted = accept_now(listener, descriptor, address, length, flags);
        if (accepted >= 0 || (errno != EAGAIN && errno != ECONNABORTED)) {
            put_listener(listener);
            return accepted;
        }
        int state = fcntl(descriptor, F_GETFL, 0);
        if (state < 0 || (state & O_NONBLOCK) != 0) {
            put_listener(listener);
            return state < 0 ? -1 : fails(EAGAIN);
        }
        began = began == 0 ? now() : began;
        if (await_somebody(listener, descriptor, began) != 0) {
            return -1;
        }
        listener = take_listener(descriptor);
    }
    return LIBC(accept4)(descriptor, address, length, flags);
}

/* ---- exec ---- */

/* Control connections of programs before this one: their listeners end with them. */
static int inherited_sessions[4] = {-1, -1, -1, -1};

static void set_kept(const struct listener *listener, int flag) {
    (void)fcntl(listener->channel, F_SETFD, flag);
    if (listener->session != NULL) {
        (void)fcntl(listener->session->control, F_SETFD, flag);
        return;
    }
    for (size_t i = 0; i < sizeof inherited_sessions / sizeof inherited_sessions[0]; i++) {
        if (inherited_sessions[i] >= 0) {
            (void)fcntl(inherited_sessions[i], F_SETFD, flag);
        }
    }
}

/* The program may have changed its mind since the last time. */
static void close_at_exec(struct object *object, int descriptor, void *argument) {
    (void)descriptor;
    (void)argument;
    set_kept((const struct listener *)object, FD_CLOEXEC);
}

static void keep_if_inherited(struct object *object, int descriptor, void *argument) {
    (void)argument;
    int flags = fcntl(descriptor, F_GETFD, 0);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) {
        set_kept((const struct listener *)object, 0);
    }
}

void keep_listeners_for_exec(void) {
    lock_library();
    for_each(A_LISTENER, close_at_exec, NULL);
    for_each(A_LISTENER, keep_if_inherited, NULL);
    unlock_library();
}

/* The name of a Unix socket, or of its other end; false: it has none. */
static bool read_name(int descriptor, bool remote, struct sockaddr_un *address) {
    socklen_t length = sizeof *address - 1;
    memset(address, 0, sizeof *address);
    int result = remote ? LIBC(getpeername)(descriptor, (struct sockaddr *)address, &length)
                        : LIBC(getsockname)(descriptor, (struct sockaddr *)address, &length);
    return result == 0 && address->sun_family == AF_UNIX;
}

static void keep_session(int descriptor) {
    struct sockaddr_un address;
    if (option_of(descriptor, SOL_SOCKET, SO_TYPE) != SOCK_SEQPACKET || is_hidden(descriptor) || !read_name(descriptor, true, &address)
        || strcmp(address.sun_path, daemon_socket()) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof inherited_sessions / sizeof inherited_sessions[0]; i++) {
        if (inherited_sessions[i] < 0 && hide(descriptor, &inherited_sessions[i]) >= 0) {
            close(descriptor);
            return;
        }
    }
}

static struct listener *found;
static unsigned long long wanted_cookie;

static void use_for_socket(int descriptor) {
    int domain = tcp_domain(descriptor);
    if (domain != 0 && cookie_of(descriptor) == wanted_cookie) {
        found->domain = domain;
        name(&found->object, descriptor);
        sockets_log("goes on listening at descriptor %d", descriptor);
    }
}

static void use_channel(int descriptor) {
    struct sockaddr_un address;
    if (option_of(descriptor, SOL_SOCKET, SO_TYPE) != SOCK_SEQPACKET || is_hidden(descriptor) || !read_name(descriptor, false, &address)
        || sscanf(address.sun_path + 1, "rddp-listener/%llx/", &wanted_cookie) != 1) {
        return;
    }
    found = new_listener(0, NULL);
    if (found != NULL && hide(descriptor, &found->channel) >= 0) {
        close(descriptor);
        for_each_open(use_for_socket);
    }
    if (found != NULL) {
        put_listener(found);
    }
}

void find_inherited_listeners(void) {
    for_each_open(use_channel);
    if (found != NULL) {
        for_each_open(keep_session);
    }
}
