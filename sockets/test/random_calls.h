/* The calls of random_test on one connection, whose results the model checks. False: the connection is gone. */
#ifndef RANDOM_CALLS_H
#define RANDOM_CALLS_H

#include <netinet/tcp.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <time.h>

#include "random_model.h"

/* ---- Receiving ---- */

/* False at the stream's end, or if it is reset. */
static bool receive(const struct end *end) {
    static uint8_t into[LARGEST];
    struct side *mine = own(end);
    if (pthread_mutex_trylock(&mine->receiving) != 0) {
        return true;
    }
    unsigned ready = there(end), kind = below(9);
    /* Waits without a limit for what must come. */
    bool blocking = ready > 0 && below(3) == 0;
    unsigned asked = random_size(LARGEST);
    int flags = blocking ? 0 : MSG_DONTWAIT;
    bool takes = true;
    const uint8_t *shown = into;
    ssize_t result;
    struct iovec parts[2] = {{into, asked / 2}, {into + asked / 2, asked - asked / 2}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    struct mmsghdr several[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 1}}, {.msg_hdr = {.msg_iov = parts + 1, .msg_iovlen = 1}}};
    note(end->connection, "receive kind %u, %u octets, %s, %u there", kind, asked, blocking ? "waits" : "does not wait", ready);
    switch (kind) {
        case 0:
            takes = false;
            result = recv(end->descriptor, into, asked, flags | MSG_PEEK);
            break;
        case 1:
            /* All of it comes, unless the stream ends before. */
            if (blocking) {
                asked = asked > ready ? ready : asked;
                flags |= MSG_WAITALL;
            }
            result = recv(end->descriptor, into, asked, flags);
            MUST(!blocking || result == (ssize_t)asked || reset_is_allowed(end), end->connection);
            break;
        case 2:
            shown = NULL;
            result = recv(end->descriptor, NULL, asked, flags | MSG_TRUNC);
            break;
        case 3: result = recvmsg(end->descriptor, &message, flags); break;
        case 4:
            result = blocking ? readv(end->descriptor, parts, 2) : recvmsg(end->descriptor, &message, flags | MSG_CMSG_CLOEXEC);
            break;
        case 5:
            result = recvmmsg(end->descriptor, several, asked < 2 || blocking ? 1 : 2, flags, NULL);
            asked = asked < 2 || blocking ? asked / 2 : asked;
            if (asked == 0) {
                asked = 1;
            }
            /* The first may be short: then the second is not behind it in memory. */
            if (result == 2 && several[0].msg_len < parts[0].iov_len) {
                memmove(into + several[0].msg_len, parts[1].iov_base, several[1].msg_len);
            }
            if (result > 0) {
                result = (ssize_t)several[0].msg_len + (result == 2 ? (ssize_t)several[1].msg_len : 0);
            }
            if (parts[0].iov_len == 0 && result == 0) {
                takes = false;
                result = -1;
                errno = EAGAIN;
                blocking = false;
            }
            break;
        case 6:
            if (blocking) {
                result = read(end->descriptor, into, asked);
                break;
            }
            /* fall through */
        default: result = recvfrom(end->descriptor, into, asked, flags, NULL, NULL); break;
    }
    int error = errno;
    note(end->connection, "receive kind %u: %zd, errno %d", kind, result, result < 0 ? error : 0);
    errno = error;
    bool goes_on = check_received(end, result, shown, asked, takes, !blocking);
    pthread_mutex_unlock(&mine->receiving);
    return goes_on;
}

/* What must be there is found by poll(), select() and epoll, too; and what they find is there. */
static void wait_for_octets(const struct end *end) {
    struct side *mine = own(end);
    if (pthread_mutex_trylock(&mine->receiving) != 0) {
        return;
    }
    bool must = there(end) > 0;
    unsigned kind = below(4);
    note(end->connection, "wait kind %u, %s", kind, must ? "octets are there" : "perhaps nothing");
    struct pollfd polled = {.fd = end->descriptor, .events = POLLIN};
    struct timespec limit = {.tv_nsec = 1000000};
    struct timeval select_limit = {.tv_usec = 1000};
    int found;
    if (kind == 0) {
        found = poll(&polled, 1, must ? -1 : 1);
    } else if (kind == 1) {
        found = ppoll(&polled, 1, must ? NULL : &limit, NULL);
    } else if (kind == 2) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(end->descriptor, &set);
        found = select(end->descriptor + 1, &set, NULL, NULL, must ? NULL : &select_limit);
    } else {
        int epoll = epoll_create1(EPOLL_CLOEXEC);
        struct epoll_event event = {.events = EPOLLIN | (below(2) == 0 ? EPOLLET : 0u)};
        MUST(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, end->descriptor, &event) == 0, end->connection);
        found = epoll_wait(epoll, &event, 1, must ? -1 : 1);
        close(epoll);
    }
    MUST(found == 1 || (found == 0 && !must), end->connection);
    if (found == 1) {
        uint8_t octet;
        ssize_t result = recv(end->descriptor, &octet, 1, MSG_PEEK | MSG_DONTWAIT);
        MUST(result >= 0 || errno != EAGAIN, end->connection);
        check_received(end, result, &octet, 1, false, false);
    }
    pthread_mutex_unlock(&mine->receiving);
}

static sigjmp_buf out;
static volatile sig_atomic_t jumps;

static void on_timer(int signal) {
    (void)signal;
    if (jumps) {
        siglongjmp(out, 1);
    }
}

/* Leaves a recv() that blocks, by a handler. It only looks, so nothing is lost. */
static void jump_out(const struct end *end) {
    struct side *mine = own(end);
    if (pthread_mutex_trylock(&mine->receiving) != 0) {
        return;
    }
    note(end->connection, "siglongjmp out of recv");
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec soon = {.it_value = {.tv_nsec = 300000}, .it_interval = {.tv_nsec = 1000000}};
    timer_t timer;
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, end->connection);
    if (sigsetjmp(out, 1) == 0) {
        uint8_t octet;
        jumps = 1;
        MUST(timer_settime(timer, 0, &soon, NULL) == 0, end->connection);
        while (recv(end->descriptor, &octet, 1, MSG_PEEK) == 1) {
        }
    }
    jumps = 0;
    timer_delete(timer);
    pthread_mutex_unlock(&mine->receiving);
}

static void *peek_in_thread(void *argument) {
    uint8_t octet;
    (void)!recv(*(int *)argument, &octet, 1, MSG_PEEK);
    return NULL;
}

static void cancel_thread(const struct end *end) {
    note(end->connection, "cancel a thread in recv");
    pthread_t thread;
    int descriptor = end->descriptor;
    void *result;
    MUST(pthread_create(&thread, NULL, peek_in_thread, &descriptor) == 0, end->connection);
    if (below(2) == 0) {
        sched_yield();
    }
    pthread_cancel(thread);
    MUST(pthread_join(thread, &result) == 0, end->connection);
}

/* ---- Sending ---- */

static ssize_t send_kind(const struct end *end, unsigned kind, const uint8_t *octets, unsigned count, int flags) {
    struct iovec parts[2] = {{(void *)octets, count / 3}, {(void *)(octets + count / 3), count - count / 3}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    struct mmsghdr one = {.msg_hdr = message};
    switch (kind) {
        case 0: return flags == 0 ? write(end->descriptor, octets, count) : send(end->descriptor, octets, count, flags);
        case 1: return flags == 0 ? writev(end->descriptor, parts, 2) : sendmsg(end->descriptor, &message, flags);
        case 2: return sendmsg(end->descriptor, &message, flags);
        case 3: return sendmmsg(end->descriptor, &one, 1, flags) == 1 ? (ssize_t)one.msg_len : -1;
        case 4: return send(end->descriptor, octets, count, flags | MSG_MORE);
        default: return sendto(end->descriptor, octets, count, flags, NULL, 0);
    }
}

/* Octets by sendfile(), of a file that has them. */
static ssize_t send_file(const struct end *end, const uint8_t *octets, unsigned count) {
    int file = memfd_create("sent", MFD_CLOEXEC);
    MUST(file >= 0 && write(file, octets, count) == (ssize_t)count, end->connection);
    off_t from = 0;
    ssize_t sent = sendfile(end->descriptor, file, &from, count);
    MUST(sent < 0 || from == sent, end->connection);
    int error = errno;
    close(file);
    errno = error;
    return sent;
}

/* One call, of that many octets. False if the connection is gone. */
static bool send_octets(const struct end *end, unsigned count, bool blocking) {
    struct side *mine = own(end);
    if (pthread_mutex_trylock(&mine->sending) != 0) {
        return true;
    }
    bool goes_on = true;
    if (!atomic_load(&mine->ended)) {
        uint64_t from = atomic_load(&mine->sent);
        unsigned kind = below(7);
        const uint8_t *octets = octets_at(end->connection, me, from);
        note(end->connection, "send kind %u, %u octets, %s", kind, count, blocking ? "waits" : "does not wait");
        atomic_store(&mine->intended, from + count);
        ssize_t sent = kind == 6 && blocking ? send_file(end, octets, count)
                                             : send_kind(end, kind, octets, count, blocking ? 0 : MSG_DONTWAIT | MSG_NOSIGNAL);
        int error = errno;
        note(end->connection, "send kind %u: %zd, errno %d", kind, sent, sent < 0 ? error : 0);
        errno = error;
        if (sent < 0) {
            MUST(error == EAGAIN ? !blocking : (error == EPIPE || error == ECONNRESET) && peer_may_be_gone(end), end->connection);
            goes_on = error == EAGAIN;
        } else {
            MUST(sent > 0 && sent <= (ssize_t)count && (!blocking || sent == (ssize_t)count || peer_may_be_gone(end)), end->connection);
        }
        atomic_store(&mine->sent, from + (sent > 0 ? (uint64_t)sent : 0));
        atomic_store(&mine->intended, atomic_load(&mine->sent));
    }
    pthread_mutex_unlock(&mine->sending);
    return goes_on;
}

/* Octets that are taken without somebody who reads. */
#define SURE 32768u

/* Waits only where there is room, whether or not the peer reads. */
static bool send_some(const struct end *end) {
    unsigned count = random_size(LARGEST);
    uint64_t outstanding = atomic_load(&own(end)->sent) - atomic_load(&other(end)->received);
    return send_octets(end, count, outstanding + count <= SURE && below(2) == 0);
}

/* ---- Descriptors ---- */

static void close_somehow(int descriptor) {
    switch (below(3)) {
        case 0: syscall(SYS_close, descriptor); break;
        case 1: close_range((unsigned)descriptor, (unsigned)descriptor, 0); break;
        default: close(descriptor); break;
    }
}

/* Sends a descriptor to this process itself. */
static int pass_on(int descriptor, unsigned connection) {
    int pair[2];
    char octet = 'x', room[CMSG_SPACE(sizeof descriptor)] = "";
    struct iovec part = {&octet, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, connection);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof descriptor)};
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    MUST(sendmsg(pair[0], &message, 0) == 1, connection);
    close_somehow(descriptor);
    MUST(recvmsg(pair[1], &message, 0) == 1 && (header = CMSG_FIRSTHDR(&message)) != NULL, connection);
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    close(pair[0]);
    close(pair[1]);
    return descriptor;
}

/* The connection at another number. */
static void move(struct end *end) {
    int before = end->descriptor;
    unsigned kind = below(5);
    note(end->connection, "move kind %u", kind);
    switch (kind) {
        case 0: end->descriptor = dup(before); break;
        case 1: end->descriptor = fcntl(before, F_DUPFD_CLOEXEC, 20); break;
        case 2: {
            int at = open("/dev/null", O_RDONLY);
            end->descriptor = dup2(before, at);
            break;
        }
        case 3: {
            int at = open("/dev/null", O_RDONLY);
            end->descriptor = dup3(before, at, O_CLOEXEC);
            break;
        }
        default: end->descriptor = pass_on(before, end->connection); return;
    }
    MUST(end->descriptor >= 0, end->connection);
    close_somehow(before);
}

/* Addresses and options, which are as the kernel has them. */
static void ask(const struct end *end) {
    struct sockaddr_in peer, here;
    socklen_t length = sizeof peer, here_length = sizeof here;
    unsigned port = atomic_load(&model->ports[end->connection]), service = atomic_load(&model->port);
    if (getpeername(end->descriptor, (struct sockaddr *)&peer, &length) == 0) {
        MUST(peer.sin_family == AF_INET && ntohs(peer.sin_port) == (me == 0 ? service : port), end->connection);
    } else {
        MUST(errno == ENOTCONN && peer_may_be_gone(end), end->connection);
    }
    MUST(getsockname(end->descriptor, (struct sockaddr *)&here, &here_length) == 0, end->connection);
    MUST(here.sin_family == AF_INET && ntohs(here.sin_port) == (me == 0 ? port : service), end->connection);
    int value = 1;
    length = sizeof value;
    MUST(setsockopt(end->descriptor, IPPROTO_TCP, TCP_NODELAY, &value, length) == 0, end->connection);
    MUST(setsockopt(end->descriptor, SOL_SOCKET, SO_KEEPALIVE, &value, length) == 0, end->connection);
    MUST(getsockopt(end->descriptor, SOL_SOCKET, SO_TYPE, &value, &length) == 0 && value == SOCK_STREAM, end->connection);
}

#endif
