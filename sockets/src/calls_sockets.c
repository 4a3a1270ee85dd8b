/* The functions of libc that make, connect and close sockets. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "connecting.h"
#include "epolls.h"
#include "io.h"
#include "keeper.h"
#include "listening.h"
#include "progress.h"
#include "settings.h"
#include "signals.h"
#include "stream.h"

static int fails(int error) {
    errno = error;
    return -1;
}

static void before_fork(void) {
    lock_engine();
    prepare_child();
}

static void in_parent(void) {
    keep_child();
    unlock_engine();
}

static void in_child(void) {
    become_child();
    unlock_engine();
}

static void on_last_closed(struct sock *sock) {
    leave_epolls(sock);
    close_sock(sock);
}

__attribute__((constructor)) static void begin(void) {
    read_rules();
    last_closed = on_last_closed;
    pthread_atfork(before_fork, in_parent, in_child);
}

__attribute__((destructor)) static void end(void) {
    finish();
}

EXPORT _Noreturn void(_exit)(int status) {
    finish();
    LIBC(_exit)(status);
    __builtin_unreachable();
}

EXPORT _Noreturn void _Exit(int status) {
    _exit(status);
}

/* Puts a new TCP socket into the table. */
static void adopt(int descriptor, int family, bool nonblocking) {
    lock_engine();
    struct sock *sock = new_sock(family);
    if (sock != NULL) {
        sock->nonblocking = nonblocking;
        name(sock, descriptor);
        release(sock);
    } else {
        unname(descriptor);
    }
    unlock_engine();
}

EXPORT int(socket)(int family, int type, int protocol) {
    int descriptor = LIBC(socket)(family, type, protocol);
    bool tcp = (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP);
    if (descriptor >= 0 && tcp && (family == AF_INET || family == AF_INET6) && is_own_process()) {
        int error = errno;
        adopt(descriptor, family, (type & SOCK_NONBLOCK) != 0);
        errno = error;
    }
    return descriptor;
}

/* An interface's address is none of the kernel's: its socket may be bound to it all the same. */
EXPORT int(bind)(int descriptor, const struct sockaddr *address, socklen_t length) {
    int result = LIBC(bind)(descriptor, address, length);
    struct in6_addr at;
    uint16_t port;
    if (result == 0 || errno != EADDRNOTAVAIL || !read_address(address, length, &at, &port)) {
        return result;
    }
    struct sock *sock = take(descriptor);
    if (sock == NULL) {
        return fails(EADDRNOTAVAIL);
    }
    unsigned count;
    struct link *list = links(&count);
    bool own = false;
    for (unsigned i = 0; i < count; i++) {
        own = own || has_address(&list[i], &at);
    }
    int on = 1;
    if (own && (sock->family == AF_INET
                ? LIBC(setsockopt)(descriptor, IPPROTO_IP, IP_FREEBIND, &on, sizeof on)
                : LIBC(setsockopt)(descriptor, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on)) == 0) {
        return (int)leave(sock, LIBC(bind)(descriptor, address, length));
    }
    errno = EADDRNOTAVAIL;
    return (int)leave(sock, -1);
}

/* ---- Connecting ---- */

/* Lets the rules decide, and begins. 0, or the errno of connect(2), with which the socket stays as it is. */
static int choose_way(struct sock *sock, const struct sockaddr *address, socklen_t length) {
    struct decision made = {.way = WAY_KERNEL};
    struct in6_addr to;
    uint16_t port;
    if (read_address(address, length, &to, &port)) {
        made = decide(rddp_networks(), &to, port);
    }
    if (made.way == WAY_KERNEL) {
        leave_to_kernel(sock);
        return 0;
    }
    return made.way == WAY_REFUSED ? EACCES : begin_connecting(sock, &to, port, &made);
}

static int connect_sock(struct sock *sock, const struct sockaddr *address, socklen_t length) {
    int descriptor = sock->descriptor;
    progress();
    if (sock->stage == STAGE_CONNECTED && sock->dead && sock->connection == NULL) {
        if (sock->error != 0) {
            return fails(take_error(sock));
        }
        sock->stage = STAGE_FRESH;  /* another try */
        sock->dead = sock->failed = sock->peer_ended = false;
    }
    if (sock->stage == STAGE_CONNECTED) {
        return fails(EISCONN);
    }
    if (sock->stage == STAGE_CONNECTING && sock->nonblocking) {
        return fails(EALREADY);
    }
    if (sock->stage == STAGE_FRESH) {
        int error = choose_way(sock, address, length);
        if (error != 0) {
            return fails(error);
        }
    }
    if (sock->stage == STAGE_CONNECTING) {
        if (sock->nonblocking) {
            return fails(EINPROGRESS);
        }
        if (await_sock(sock, POLLOUT, sock->send_timeout) != 0) {
            return fails(errno == EAGAIN ? EINPROGRESS : errno);
        }
    }
    if (sock->stage == STAGE_CONNECTED) {
        return sock->error == 0 ? 0 : fails(take_error(sock));
    }
    unlock_engine();
    int result = LIBC(connect)(descriptor, address, length);
    lock_engine();
    return result;
}

static int option_of(int descriptor, int level, int option) {
    int value = -1;
    socklen_t length = sizeof value;
    LIBC(getsockopt)(descriptor, level, option, &value, &length);  /* on failure the value stays */
    return value;
}

/*
 * Adopts a TCP socket that this library has not made, or has left to the kernel, which did not connect it: the rules hold for
 * it, too. Returns the error that the kernel owes its program, or 0.
 */
static int adopt_unconnected(int descriptor) {
    struct tcp_info info = {.tcpi_state = 0};
    socklen_t length = sizeof info;
    int family = option_of(descriptor, SOL_SOCKET, SO_DOMAIN), protocol = option_of(descriptor, SOL_SOCKET, SO_PROTOCOL);
    if (!is_own_process() || (family != AF_INET && family != AF_INET6) || protocol != IPPROTO_TCP
        || LIBC(getsockopt)(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || info.tcpi_state != TCP_CLOSE) {
        return 0;
    }
    int error = option_of(descriptor, SOL_SOCKET, SO_ERROR);
    if (error == 0) {
        adopt(descriptor, family, (LIBC(fcntl)(descriptor, F_GETFL) & O_NONBLOCK) != 0);
    }
    return error;
}

int connect_by_rules(int descriptor, const struct sockaddr *address, socklen_t length) {
    struct sock *sock = take(descriptor);
    if (sock == NULL) {
        int before = errno, error = adopt_unconnected(descriptor);
        if (error > 0) {
            return fails(error);
        }
        errno = before;
        sock = take(descriptor);
    }
    if (sock == NULL) {
        return LIBC(connect)(descriptor, address, length);
    }
    return (int)leave(sock, connect_sock(sock, address, length));
}

EXPORT int(connect)(int descriptor, const struct sockaddr *address, socklen_t length) {
    return connect_by_rules(descriptor, address, length);
}

/* ---- Listening ---- */

EXPORT int(listen)(int descriptor, int backlog) {
    int result = LIBC(listen)(descriptor, backlog);
    struct sock *sock = result == 0 ? take(descriptor) : NULL;
    if (sock == NULL) {
        return result;
    }
    if (sock->stage == STAGE_FRESH) {
        begin_listening(sock, backlog < 0 ? 0 : (unsigned)backlog);
        if (sock->stage == STAGE_LISTENING) {
            /* So that a thread that finds nothing in the kernel can go on to wait at both. */
            int flags = LIBC(fcntl)(descriptor, F_GETFL);
            LIBC(fcntl)(descriptor, F_SETFL, flags | O_NONBLOCK);
        } else {
            leave_to_kernel(sock);
        }
    }
    return (int)leave(sock, 0);
}

static void store_address(int family, const struct in6_addr *from, uint16_t port, struct sockaddr *address,
    socklen_t *length) {
    if (address == NULL || length == NULL) {
        return;
    }
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    memcpy(&ipv4.sin_addr, &from->s6_addr[12], sizeof ipv4.sin_addr);
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_addr = *from, .sin6_port = htons(port)};
    socklen_t own = family == AF_INET ? sizeof ipv4 : sizeof ipv6;
    memcpy(address, family == AF_INET ? (void *)&ipv4 : (void *)&ipv6, *length < own ? *length : own);
    *length = own;
}

/* Gives an accepted socket a descriptor. */
static int open_accepted(struct sock *made, struct sockaddr *address, socklen_t *length, int flags) {
    int descriptor = LIBC(socket)(made->family, SOCK_STREAM | (flags & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0);
    if (descriptor < 0 || !name(made, descriptor)) {
        int error = descriptor < 0 ? errno : EMFILE;
        if (descriptor >= 0) {
            LIBC(close)(descriptor);
        }
        abandon_stream(made);
        return fails(error);
    }
    made->nonblocking = (flags & SOCK_NONBLOCK) != 0;
    store_address(made->family, &made->remote, made->remote_port, address, length);
    return descriptor;
}

struct acceptance {
    struct watch watch;
    struct sleeper *sleeper;
};

static void on_ready(struct watch *watch) {
    wake(((struct acceptance *)watch)->sleeper);
}

static bool is_ready(void *argument) {
    const struct sock *sock = ((struct acceptance *)argument)->watch.sock;
    return sock->first_ready != NULL || sock->descriptors == 0;
}

static void on_cancel(void *argument) {
    struct acceptance *acceptance = argument;
    struct sock *sock = acceptance->watch.sock;
    remove_watch(&acceptance->watch);
    release(sock);
}

/* Waits for a connection of rddp's or the kernel's. 0, or -1 with errno. */
static int await_connection(struct sock *sock, int descriptor) {
    struct acceptance acceptance = {.watch = {.changed = on_ready}, .sleeper = own_sleeper()};
    struct pollfd kernel[1 + WAIT_EXTRA] = {{.fd = descriptor, .events = POLLIN}};
    if (acceptance.sleeper == NULL) {
        return -1;
    }
    struct timespec limit = {.tv_sec = (time_t)(sock->receive_timeout / 1000000000u),
        .tv_nsec = (long)(sock->receive_timeout % 1000000000u)};
    struct wait wait = {.ready = is_ready, .argument = &acceptance, .kernel = kernel, .kernel_count = 1,
        .deadline = sock->receive_timeout == 0 ? FOREVER : deadline_in(&limit), .cancelled = on_cancel};
    add_watch(sock, &acceptance.watch);
    enum wait_result result = wait_through_signals(&wait);
    int error = errno;
    remove_watch(&acceptance.watch);
    return result == READY || result == KERNEL_READY ? 0 : fails(result == TIMED_OUT ? EAGAIN : error);
}

static int accept_from(struct sock *sock, int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    use_listener(sock);
    progress();
    for (;;) {
        struct sock *made = next_ready(sock);
        if (made != NULL) {
            int accepted = open_accepted(made, address, length, flags);
            release(made);
            return accepted;
        }
        int accepted = LIBC(accept4)(descriptor, address, length, flags);
        if (accepted >= 0) {
            unname(accepted);
        }
        if (accepted >= 0 || (errno != EAGAIN && errno != ECONNABORTED) || sock->nonblocking) {
            return accepted;
        }
        if (sock->descriptors == 0) {
            return fails(EINVAL);
        }
        if (await_connection(sock, descriptor) != 0) {
            return -1;
        }
    }
}

EXPORT int(accept4)(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    struct sock *sock = take(descriptor);
    if (sock == NULL || sock->stage != STAGE_LISTENING) {
        if (sock != NULL) {
            leave(sock, 0);
        }
        return LIBC(accept4)(descriptor, address, length, flags);
    }
    return (int)leave(sock, accept_from(sock, descriptor, address, length, flags));
}

EXPORT int(accept)(int descriptor, struct sockaddr *address, socklen_t *length) {
    return (accept4)(descriptor, address, length, 0);
}

/* ---- Names ---- */

EXPORT int(getsockname)(int descriptor, struct sockaddr *address, socklen_t *length) {
    struct sock *sock = take(descriptor);
    if (sock == NULL || (sock->stage != STAGE_CONNECTED && sock->stage != STAGE_FORWARDED)) {
        if (sock != NULL) {
            leave(sock, 0);
        }
        return LIBC(getsockname)(descriptor, address, length);
    }
    store_address(sock->family, &sock->local, sock->local_port, address, length);
    return (int)leave(sock, 0);
}

EXPORT int(getpeername)(int descriptor, struct sockaddr *address, socklen_t *length) {
    struct sock *sock = take(descriptor);
    if (sock == NULL || (!is_stream(sock) && sock->stage != STAGE_FORWARDED)) {
        if (sock != NULL) {
            leave(sock, 0);
        }
        return LIBC(getpeername)(descriptor, address, length);
    }
    if (sock->stage == STAGE_CONNECTING || sock->dead) {
        errno = ENOTCONN;
        return (int)leave(sock, -1);
    }
    store_address(sock->family, &sock->remote, sock->remote_port, address, length);
    return (int)leave(sock, 0);
}

/* ---- Ending ---- */

EXPORT int(shutdown)(int descriptor, int how) {
    struct sock *sock = take(descriptor);
    if (sock == NULL) {
        return LIBC(shutdown)(descriptor, how);
    }
    if (!is_stream(sock)) {
        int result = LIBC(shutdown)(descriptor, how);
        if (result == 0 && sock->stage == STAGE_LISTENING) {
            end_listening(sock);
            leave_to_kernel(sock);
        }
        return (int)leave(sock, result);
    }
    if (sock->stage == STAGE_CONNECTING || sock->dead || how < SHUT_RD || how > SHUT_RDWR) {
        errno = how < SHUT_RD || how > SHUT_RDWR ? EINVAL : ENOTCONN;
        return (int)leave(sock, -1);
    }
    if (how != SHUT_RD) {
        end_sending(sock);
    }
    if (how != SHUT_WR) {
        sock->receiving_ended = true;
    }
    sock_changed(sock);
    return (int)leave(sock, 0);
}

EXPORT int(close)(int descriptor) {
    if (!is_plain(descriptor) && is_own_process()) {
        lock_engine();
        unname(descriptor);
        unlock_engine();
    }
    return LIBC(close)(descriptor);
}

EXPORT int(close_range)(unsigned first, unsigned last, int flags) {
    if ((flags & (1 << 2)) == 0 && is_own_process()) {  /* not CLOSE_RANGE_CLOEXEC */
        lock_engine();
        for (unsigned at = first; at <= last && at < MAX_DESCRIPTORS; at++) {
            unname((int)at);
        }
        unlock_engine();
    }
    return LIBC(close_range)(first, last, flags);
}

/* ---- Duplicates ---- */

/* Makes a duplicate of a descriptor name the same socket. Returns its argument. */
static int name_duplicate(int descriptor, int made) {
    if (made >= 0 && made != descriptor && is_own_process() && (!is_plain(descriptor) || !is_plain(made))) {
        int error = errno;
        lock_engine();
        struct sock *sock = sock_at(descriptor);
        unname(made);
        if (sock != NULL) {
            name(sock, made);
            duplicate_epoll(descriptor, made);
        }
        unlock_engine();
        errno = error;
    }
    return made;
}

EXPORT int(dup)(int descriptor) {
    return name_duplicate(descriptor, LIBC(dup)(descriptor));
}

/* What stands at the number is closed first: its last octets must not go to the duplicate. */
static bool replaces(int descriptor, int replaced) {
    if (is_plain(replaced) || !is_own_process() || descriptor == replaced
        || LIBC(fcntl)(descriptor, F_GETFD) < 0) {
        return false;
    }
    lock_engine();
    unname(replaced);
    unlock_engine();
    return true;
}

EXPORT int(dup2)(int descriptor, int replaced) {
    replaces(descriptor, replaced);
    return name_duplicate(descriptor, LIBC(dup2)(descriptor, replaced));
}

EXPORT int(dup3)(int descriptor, int replaced, int flags) {
    replaces(descriptor, replaced);
    return name_duplicate(descriptor, LIBC(dup3)(descriptor, replaced, flags));
}

/* ---- Flags ---- */

static int get_or_set_flags(struct sock *sock, int descriptor, int command, long argument) {
    if (command == F_SETFL) {
        bool nonblocking = (argument & O_NONBLOCK) != 0;
        long set = sock->stage == STAGE_LISTENING ? argument | O_NONBLOCK : argument;
        int result = LIBC(fcntl)(descriptor, F_SETFL, set);
        sock->nonblocking = result == 0 ? nonblocking : sock->nonblocking;
        return result;
    }
    int flags = LIBC(fcntl)(descriptor, F_GETFL);
    return flags < 0 ? flags : (flags & ~O_NONBLOCK) | (sock->nonblocking ? O_NONBLOCK : 0);
}

EXPORT int(fcntl)(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    struct sock *sock = command == F_GETFL || command == F_SETFL ? take(descriptor) : NULL;
    if (sock != NULL) {
        return (int)leave(sock, get_or_set_flags(sock, descriptor, command, argument));
    }
    int result = LIBC(fcntl)(descriptor, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? name_duplicate(descriptor, result) : result;
}

EXPORT int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return (fcntl)(descriptor, command, argument);
}
