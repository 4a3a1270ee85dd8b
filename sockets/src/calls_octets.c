/* The functions of libc that read and write. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls.h"
#include "io.h"

#define COPY_OCTETS (64u << 10)

/* ---- Reading ---- */

static ssize_t receive_from(struct sock *sock, void *octets, size_t count, int flags) {
    struct iovec piece = {.iov_base = octets, .iov_len = count};
    return leave(sock, receive(sock, &piece, 1, flags));
}

EXPORT ssize_t(read)(int descriptor, void *octets, size_t count) {
    struct sock *sock = take_stream(descriptor);
    return sock == NULL ? LIBC(read)(descriptor, octets, count) : receive_from(sock, octets, count, 0);
}

EXPORT ssize_t(readv)(int descriptor, const struct iovec *pieces, int count) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL || count < 0 || count > IOV_MAX) {
        return sock == NULL ? LIBC(readv)(descriptor, pieces, count) : leave(sock, (errno = EINVAL, -1));
    }
    return leave(sock, receive(sock, pieces, (size_t)count, 0));
}

EXPORT ssize_t(recvfrom)(int descriptor, void *octets, size_t count, int flags, struct sockaddr *address,
    socklen_t *length) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return LIBC(recvfrom)(descriptor, octets, count, flags, address, length);
    }
    if (length != NULL) {
        *length = 0;  /* as of TCP */
    }
    return receive_from(sock, octets, count, flags);
}

EXPORT ssize_t(recv)(int descriptor, void *octets, size_t count, int flags) {
    return (recvfrom)(descriptor, octets, count, flags, NULL, NULL);
}

EXPORT ssize_t(recvmsg)(int descriptor, struct msghdr *message, int flags) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return LIBC(recvmsg)(descriptor, message, flags);
    }
    message->msg_namelen = 0;
    message->msg_controllen = 0;
    message->msg_flags = 0;
    return leave(sock, receive(sock, message->msg_iov, message->msg_iovlen, flags));
}

/* What a compiler makes of the calls above with _FORTIFY_SOURCE. */
static void check(size_t count, size_t room) {
    if (count > room) {
        static const char text[] = "rddp sockets: a read of more than its buffer holds: the program ends\n";
        (void)!LIBC(write)(STDERR_FILENO, text, sizeof text - 1);
        abort();
    }
}

EXPORT ssize_t __read_chk(int descriptor, void *octets, size_t count, size_t room) {
    check(count, room);
    return (read)(descriptor, octets, count);
}

EXPORT ssize_t __recv_chk(int descriptor, void *octets, size_t count, size_t room, int flags) {
    check(count, room);
    return (recv)(descriptor, octets, count, flags);
}

EXPORT ssize_t __recvfrom_chk(int descriptor, void *octets, size_t count, size_t room, int flags,
    struct sockaddr *address, socklen_t *length) {
    check(count, room);
    return (recvfrom)(descriptor, octets, count, flags, address, length);
}

/* ---- Writing ---- */

static ssize_t transmit_from(struct sock *sock, const struct iovec *pieces, size_t count, int flags) {
    ssize_t sent = leave(sock, transmit(sock, pieces, count, flags));
    if (sent < 0 && errno == EPIPE && (flags & MSG_NOSIGNAL) == 0) {
        pthread_kill(pthread_self(), SIGPIPE);
        errno = EPIPE;
    }
    return sent;
}

EXPORT ssize_t(sendto)(int descriptor, const void *octets, size_t count, int flags, const struct sockaddr *address,
    socklen_t length) {
    if ((flags & MSG_FASTOPEN) != 0 && address != NULL) {
        /* Whose the connection is, connect(2) decides. */
        if (connect_by_rules(descriptor, address, length) != 0) {
            return -1;
        }
        flags &= ~MSG_FASTOPEN;
        address = NULL;
        length = 0;
    }
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return LIBC(sendto)(descriptor, octets, count, flags, address, length);
    }
    struct iovec piece = {.iov_base = (void *)octets, .iov_len = count};
    return transmit_from(sock, &piece, 1, flags);
}

EXPORT ssize_t(send)(int descriptor, const void *octets, size_t count, int flags) {
    return (sendto)(descriptor, octets, count, flags, NULL, 0);
}

EXPORT ssize_t(write)(int descriptor, const void *octets, size_t count) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return LIBC(write)(descriptor, octets, count);
    }
    struct iovec piece = {.iov_base = (void *)octets, .iov_len = count};
    return transmit_from(sock, &piece, 1, 0);
}

EXPORT ssize_t(writev)(int descriptor, const struct iovec *pieces, int count) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL || count < 0 || count > IOV_MAX) {
        return sock == NULL ? LIBC(writev)(descriptor, pieces, count) : leave(sock, (errno = EINVAL, -1));
    }
    return transmit_from(sock, pieces, (size_t)count, 0);
}

EXPORT ssize_t(sendmsg)(int descriptor, const struct msghdr *message, int flags) {
    if ((flags & MSG_FASTOPEN) != 0 && message->msg_name != NULL) {
        if (connect_by_rules(descriptor, message->msg_name, message->msg_namelen) != 0) {
            return -1;
        }
        struct msghdr connected = *message;
        connected.msg_name = NULL;
        connected.msg_namelen = 0;
        return (sendmsg)(descriptor, &connected, flags & ~MSG_FASTOPEN);
    }
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return LIBC(sendmsg)(descriptor, message, flags);
    }
    if (message->msg_controllen > 0) {
        errno = EOPNOTSUPP;
        return leave(sock, -1);
    }
    return transmit_from(sock, message->msg_iov, message->msg_iovlen, flags);
}

/* ---- From one descriptor to another ---- */

/* Copies from a file, at an offset unless that is NULL, to another. The file's offset stands behind what has been written. */
static ssize_t copy(int from, off_t *offset, int to, size_t count) {
    char *octets = malloc(COPY_OCTETS);
    if (octets == NULL) {
        errno = ENOMEM;
        return -1;
    }
    off_t at = offset == NULL ? lseek(from, 0, SEEK_CUR) : *offset;
    size_t done = 0;
    ssize_t got, written;
    do {
        size_t part = count - done < COPY_OCTETS ? count - done : COPY_OCTETS;
        got = pread(from, octets, part, at + (off_t)done);
        written = got <= 0 ? got : (write)(to, octets, (size_t)got);
        done += written > 0 ? (size_t)written : 0;
    } while (written > 0 && got == written && done < count);
    int error = errno;
    if (offset != NULL) {
        *offset = at + (off_t)done;
    } else if (done > 0) {
        lseek(from, at + (off_t)done, SEEK_SET);
    }
    free(octets);
    errno = error;
    return done > 0 ? (ssize_t)done : written;
}

static bool is_one_of_ours(int descriptor) {
    struct sock *sock = take_stream(descriptor);
    if (sock == NULL) {
        return false;
    }
    leave(sock, 0);
    return true;
}

EXPORT ssize_t(sendfile)(int to, int from, off_t *offset, size_t count) {
    return is_one_of_ours(to) ? copy(from, offset, to, count) : LIBC(sendfile)(to, from, offset, count);
}

EXPORT ssize_t sendfile64(int to, int from, off_t *offset, size_t count) {
    return (sendfile)(to, from, offset, count);
}

/* Between a socket and a pipe it is refused as by files that cannot: programs then read and write. */
EXPORT ssize_t(splice)(int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags) {
    if (is_one_of_ours(from) || is_one_of_ours(to)) {
        errno = EINVAL;
        return -1;
    }
    return LIBC(splice)(from, from_offset, to, to_offset, count, flags);
}
