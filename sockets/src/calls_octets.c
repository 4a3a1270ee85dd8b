/* The functions of libc that read and write. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "calls.h"
#include "connecting.h"
#include "io.h"
#include "libc.h"
#include "waiting.h"

#define COPY_OCTETS (64u << 10)

/* The descriptor's stream; a look at what is not rddp's costs no system call. */
static struct stream *stream_at(int descriptor) {
    return is_named(descriptor) ? current_stream(descriptor) : NULL;
}

/* receive() or transmit(). */
typedef ssize_t transfer(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, int flags);

/* Without room read(2), readv(2) and writev(2) return at once, and recv(2) waits all the same. */
static ssize_t move_nothing(struct stream *stream) {
    put_stream(stream);
    return 0;
}

static inline ssize_t transfer_one(transfer *call, struct stream *stream, int descriptor, const void *octets, size_t count, int flags) {
    struct iovec piece = {.iov_base = (void *)octets, .iov_len = count};
    return call(stream, descriptor, &piece, 1, flags);
}

static inline ssize_t transfer_pieces(transfer *call, struct stream *stream, int descriptor, const struct iovec *pieces, int count) {
    if (count < 0 || count > IOV_MAX) {
        put_stream(stream);
        return fails(EINVAL);
    }
    return octets_of(pieces, (size_t)count) == 0 ? move_nothing(stream) : call(stream, descriptor, pieces, (size_t)count, 0);
}

/* ---- Reading ---- */

EXPORT ssize_t(read)(int descriptor, void *octets, size_t count) {
    struct stream *stream = stream_at(descriptor);
    return stream == NULL ? LIBC(read)(descriptor, octets, count)
        : count == 0      ? move_nothing(stream)
                          : transfer_one(receive, stream, descriptor, octets, count, 0);
}

EXPORT ssize_t(readv)(int descriptor, const struct iovec *pieces, int count) {
    struct stream *stream = stream_at(descriptor);
    return stream != NULL ? transfer_pieces(receive, stream, descriptor, pieces, count) : LIBC(readv)(descriptor, pieces, count);
}

EXPORT ssize_t preadv2(int descriptor, const struct iovec *pieces, int count, off_t offset, int flags) {
    struct stream *stream = offset == -1 ? stream_at(descriptor) : NULL;
    return stream != NULL ? transfer_pieces(receive, stream, descriptor, pieces, count)
                          : LIBC(preadv2)(descriptor, pieces, count, offset, flags);
}

EXPORT ssize_t preadv64v2(int descriptor, const struct iovec *pieces, int count, off_t offset, int flags) {
    return preadv2(descriptor, pieces, count, offset, flags);
}

/* A bridge that another process has made is not in the table. */
static bool is_discarded(int descriptor, int flags) {
    struct stream_ends ends;
    return (flags & MSG_TRUNC) != 0 && is_bridge(descriptor, &ends);
}

EXPORT ssize_t(recvfrom)(int descriptor, void *octets, size_t count, int flags, struct sockaddr *address,
    socklen_t *length) {
    struct stream *stream = stream_at(descriptor);
    if (stream == NULL) {
        return is_discarded(descriptor, flags) ? discard(descriptor, count, flags)
            : LIBC(recvfrom)(descriptor, octets, count, flags, address, length);
    }
    if (length != NULL) {
        *length = 0;  /* as of TCP */
    }
    return transfer_one(receive, stream, descriptor, octets, count, flags);
}

EXPORT ssize_t(recv)(int descriptor, void *octets, size_t count, int flags) {
    return (recvfrom)(descriptor, octets, count, flags, NULL, NULL);
}

EXPORT ssize_t(recvmsg)(int descriptor, struct msghdr *message, int flags) {
    struct stream *stream = stream_at(descriptor);
    if (stream == NULL && is_discarded(descriptor, flags)) {
        return discard(descriptor, octets_of(message->msg_iov, message->msg_iovlen), flags);
    }
    if (stream == NULL) {
        return LIBC(recvmsg)(descriptor, message, flags);
    }
    if (message->msg_iovlen > IOV_MAX) {
        put_stream(stream);
        return fails(EMSGSIZE);
    }
    ssize_t got = receive(stream, descriptor, message->msg_iov, message->msg_iovlen, flags);
    if (got >= 0) {
        message->msg_namelen = 0;
        message->msg_controllen = 0;
        message->msg_flags = 0;
    }
    return got;
}

static bool is_stream(int descriptor) {
    struct stream *stream = stream_at(descriptor);
    if (stream != NULL) {
        put_stream(stream);
    }
    return stream != NULL;
}

EXPORT int(recvmmsg)(int descriptor, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout) {
    if (!is_stream(descriptor)) {
        return LIBC(recvmmsg)(descriptor, messages, count, flags, timeout);
    }
    uint64_t deadline = deadline_in(timeout);
    unsigned done = 0;
    while (done < count && (done == 0 || deadline == FOREVER || now() < deadline)) {
        int more = done > 0 && (flags & MSG_WAITFORONE) != 0 ? MSG_DONTWAIT : 0;
        ssize_t got = (recvmsg)(descriptor, &messages[done].msg_hdr, (flags & ~MSG_WAITFORONE) | more);
        if (got < 0) {
            return done > 0 ? (int)done : -1;
        }
        messages[done++].msg_len = (unsigned)got;
        if (got == 0) {
            break;  /* at the end each further one would be empty, too */
        }
    }
    return (int)done;
}

/* What a compiler makes of the calls above with _FORTIFY_SOURCE. */
EXPORT ssize_t __read_chk(int descriptor, void *octets, size_t count, size_t room) {
    check_room(count, room);
    return (read)(descriptor, octets, count);
}

EXPORT ssize_t __recv_chk(int descriptor, void *octets, size_t count, size_t room, int flags) {
    check_room(count, room);
    return (recv)(descriptor, octets, count, flags);
}

EXPORT ssize_t __recvfrom_chk(int descriptor, void *octets, size_t count, size_t room, int flags,
    struct sockaddr *address, socklen_t *length) {
    check_room(count, room);
    return (recvfrom)(descriptor, octets, count, flags, address, length);
}

/* ---- Writing ---- */

EXPORT ssize_t(write)(int descriptor, const void *octets, size_t count) {
    struct stream *stream = stream_at(descriptor);
    return stream != NULL ? transfer_one(transmit, stream, descriptor, octets, count, 0) : LIBC(write)(descriptor, octets, count);
}

EXPORT ssize_t(writev)(int descriptor, const struct iovec *pieces, int count) {
    struct stream *stream = stream_at(descriptor);
    return stream != NULL ? transfer_pieces(transmit, stream, descriptor, pieces, count) : LIBC(writev)(descriptor, pieces, count);
}

EXPORT ssize_t pwritev2(int descriptor, const struct iovec *pieces, int count, off_t offset, int flags) {
    struct stream *stream = offset == -1 ? stream_at(descriptor) : NULL;
    return stream != NULL ? transfer_pieces(transmit, stream, descriptor, pieces, count)
                          : LIBC(pwritev2)(descriptor, pieces, count, offset, flags);
}

EXPORT ssize_t pwritev64v2(int descriptor, const struct iovec *pieces, int count, off_t offset, int flags) {
    return pwritev2(descriptor, pieces, count, offset, flags);
}

EXPORT ssize_t(sendto)(int descriptor, const void *octets, size_t count, int flags, const struct sockaddr *address,
    socklen_t length) {
    struct stream *stream = stream_at(descriptor);
    if (stream != NULL) {
        return transfer_one(transmit, stream, descriptor, octets, count, flags);
    }
    /* Whose the connection is, connect(2) decides. */
    if ((flags & MSG_FASTOPEN) != 0 && address != NULL && is_rddps(address, length)) {
        return connect_socket(descriptor, address, length) != 0
            ? -1 : (sendto)(descriptor, octets, count, flags & ~MSG_FASTOPEN, NULL, 0);
    }
    return LIBC(sendto)(descriptor, octets, count, flags, address, length);
}

EXPORT ssize_t(send)(int descriptor, const void *octets, size_t count, int flags) {
    return (sendto)(descriptor, octets, count, flags, NULL, 0);
}

/* Connections leave the process: whoever gets them has no mapping. False with errno. */
static bool use_bridges_of_sent(const struct msghdr *message) {
    bool all = true;
    struct msghdr copy = *message;
    for (struct cmsghdr *control = copy.msg_control == NULL ? NULL : CMSG_FIRSTHDR(&copy); control != NULL;
         control = CMSG_NXTHDR(&copy, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS || control->cmsg_len < CMSG_LEN(0)) {
            continue;
        }
        for (size_t i = 0; i < (control->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(control) + i * sizeof descriptor, sizeof descriptor);
            all = all && (!is_named(descriptor) || use_bridge(descriptor));
        }
    }
    return all;
}

EXPORT ssize_t(sendmsg)(int descriptor, const struct msghdr *message, int flags) {
    struct stream *stream = stream_at(descriptor);
    if (stream != NULL && message->msg_iovlen <= IOV_MAX) {
        return transmit(stream, descriptor, message->msg_iov, message->msg_iovlen, flags);
    }
    if (stream != NULL) {
        put_stream(stream);
        return fails(EMSGSIZE);
    }
    if (message != NULL && message->msg_controllen > 0 && !use_bridges_of_sent(message)) {
        return -1;
    }
    if (message != NULL && (flags & MSG_FASTOPEN) != 0 && is_rddps(message->msg_name, message->msg_namelen)) {
        struct msghdr connected = *message;
        connected.msg_name = NULL;
        connected.msg_namelen = 0;
        return connect_socket(descriptor, message->msg_name, message->msg_namelen) != 0
            ? -1 : (sendmsg)(descriptor, &connected, flags & ~MSG_FASTOPEN);
    }
    return LIBC(sendmsg)(descriptor, message, flags);
}

EXPORT int(sendmmsg)(int descriptor, struct mmsghdr *messages, unsigned count, int flags) {
    if (!is_stream(descriptor)) {
        for (unsigned i = 0; messages != NULL && i < count; i++) {
            if (messages[i].msg_hdr.msg_controllen > 0 && !use_bridges_of_sent(&messages[i].msg_hdr)) {
                return -1;
            }
        }
        return LIBC(sendmmsg)(descriptor, messages, count, flags);
    }
    unsigned done = 0;
    while (done < count) {
        const struct msghdr *message = &messages[done].msg_hdr;
        ssize_t sent = (sendmsg)(descriptor, message, flags);
        if (sent < 0) {
            return done > 0 ? (int)done : -1;
        }
        messages[done++].msg_len = (unsigned)sent;
        if ((size_t)sent < octets_of(message->msg_iov, message->msg_iovlen)) {
            break;
        }
    }
    return (int)done;
}

/* ---- From one descriptor to another ---- */

/* Copies from a file, at an offset unless that is NULL, to another. The file's offset stands behind what has been written. */
static ssize_t copy(int from, off_t *offset, int to, size_t count) {
    char *octets = malloc(COPY_OCTETS);
    if (octets == NULL) {
        return fails(ENOMEM);
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

/* A pipe has no offsets: the kernel moves octets of it by the bridge. */
static bool is_seekable(int descriptor) {
    int error = errno;
    bool is = lseek(descriptor, 0, SEEK_CUR) >= 0;
    errno = error;
    return is;
}

EXPORT ssize_t(sendfile)(int to, int from, off_t *offset, size_t count) {
    if (is_stream(to) && is_seekable(from)) {
        return copy(from, offset, to, count);
    }
    return use_bridge(to) ? LIBC(sendfile)(to, from, offset, count) : -1;
}

EXPORT ssize_t sendfile64(int to, int from, off_t *offset, size_t count) {
    return (sendfile)(to, from, offset, count);
}

EXPORT ssize_t(splice)(int from, off_t *from_offset, int to, off_t *to_offset, size_t count, unsigned flags) {
    return use_bridge(from) && use_bridge(to) ? LIBC(splice)(from, from_offset, to, to_offset, count, flags) : -1;
}

/* ---- What reads and writes within libc ---- */

EXPORT FILE *(fdopen)(int descriptor, const char *mode) {
    return use_bridge(descriptor) ? LIBC(fdopen)(descriptor, mode) : NULL;
}

EXPORT int(vdprintf)(int descriptor, const char *format, va_list arguments) {
    return use_bridge(descriptor) ? LIBC(vdprintf)(descriptor, format, arguments) : -1;
}

EXPORT int(dprintf)(int descriptor, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = (vdprintf)(descriptor, format, arguments);
    va_end(arguments);
    return result;
}

EXPORT int __vdprintf_chk(int descriptor, int flag, const char *format, va_list arguments) {
    (void)flag;
    return (vdprintf)(descriptor, format, arguments);
}

EXPORT int __dprintf_chk(int descriptor, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int result = (vdprintf)(descriptor, format, arguments);
    va_end(arguments);
    return result;
}

/* ---- By number ---- */

bool call_on_octets(long number, const long of[6], long *result) {
    int descriptor = (int)of[0], flags = (int)of[3];
    void *at = (void *)of[1];
    size_t count = (size_t)of[2];
    switch (number) {
        case SYS_read: *result = (read)(descriptor, at, count); break;
        case SYS_readv: *result = (readv)(descriptor, at, (int)of[2]); break;
        case SYS_preadv2: *result = preadv2(descriptor, at, (int)of[2], of[3], (int)of[5]); break;
        case SYS_recvfrom: *result = (recvfrom)(descriptor, at, count, flags, (void *)of[4], (socklen_t *)of[5]); break;
        case SYS_recvmsg: *result = (recvmsg)(descriptor, at, (int)of[2]); break;
        case SYS_recvmmsg: *result = (recvmmsg)(descriptor, at, (unsigned)of[2], flags, (struct timespec *)of[4]); break;
        case SYS_write: *result = (write)(descriptor, at, count); break;
        case SYS_writev: *result = (writev)(descriptor, at, (int)of[2]); break;
        case SYS_pwritev2: *result = pwritev2(descriptor, at, (int)of[2], of[3], (int)of[5]); break;
        case SYS_sendto: *result = (sendto)(descriptor, at, count, flags, (void *)of[4], (socklen_t)of[5]); break;
        case SYS_sendmsg: *result = (sendmsg)(descriptor, at, (int)of[2]); break;
        case SYS_sendmmsg: *result = (sendmmsg)(descriptor, at, (unsigned)of[2], flags); break;
        case SYS_sendfile: *result = (sendfile)(descriptor, (int)of[1], (off_t *)of[2], (size_t)of[3]); break;
        case SYS_splice: *result = (splice)(descriptor, at, (int)of[2], (off_t *)of[3], (size_t)of[4], (unsigned)of[5]); break;
        default: return false;
    }
    return true;
}
