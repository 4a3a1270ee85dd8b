/* ioctl(2), getsockopt(2), setsockopt(2): what rddp's sockets answer themselves. Their kernel sockets keep the rest. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "io.h"
#include "progress.h"

EXPORT int(ioctl)(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct sock *sock = request == FIONREAD || request == FIONBIO ? take(descriptor) : NULL;
    if (sock == NULL || argument == NULL) {
        return sock == NULL ? LIBC(ioctl)(descriptor, request, argument) : (int)leave(sock, (errno = EFAULT, -1));
    }
    int result = 0;
    if (request == FIONBIO) {
        int on = *(int *)argument != 0;
        int set = sock->stage == STAGE_LISTENING ? 1 : on;
        result = LIBC(ioctl)(descriptor, FIONBIO, &set);
        sock->nonblocking = result == 0 ? on != 0 : sock->nonblocking;
    } else if (is_stream(sock)) {
        progress();
        *(int *)argument = sock->octets > INT_MAX ? INT_MAX : (int)sock->octets;
    } else {
        result = LIBC(ioctl)(descriptor, request, argument);
    }
    return (int)leave(sock, result);
}

EXPORT int(getsockopt)(int descriptor, int level, int option, void *value, socklen_t *length) {
    struct sock *sock = level == SOL_SOCKET && option == SO_ERROR ? take_stream(descriptor) : NULL;
    if (sock == NULL) {
        return LIBC(getsockopt)(descriptor, level, option, value, length);
    }
    progress();
    /* It may have become the kernel's just now. */
    if (sock->stage == STAGE_LEFT) {
        return (int)leave(sock, LIBC(getsockopt)(descriptor, level, option, value, length));
    }
    int error = take_error(sock);
    memcpy(value, &error, *length < (socklen_t)sizeof error ? *length : sizeof error);
    *length = sizeof error;
    return (int)leave(sock, 0);
}

static uint64_t nanos_of(const void *value) {
    struct timeval time;
    memcpy(&time, value, sizeof time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* The kernel has checked the value. */
static void note_option(struct sock *sock, int option, const void *value) {
    struct linger linger;
    switch (option) {
        case SO_RCVTIMEO: sock->receive_timeout = nanos_of(value); break;
        case SO_SNDTIMEO: sock->send_timeout = nanos_of(value); break;
        case SO_LINGER:
            memcpy(&linger, value, sizeof linger);
            sock->abortive = linger.l_onoff != 0 && linger.l_linger == 0;
            break;
        default: break;
    }
}

EXPORT int(setsockopt)(int descriptor, int level, int option, const void *value, socklen_t length) {
    struct sock *forwarded = level == IPPROTO_TCP ? take(descriptor) : NULL;
    if (forwarded != NULL) {
        bool is_local = forwarded->stage == STAGE_FORWARDED;
        leave(forwarded, 0);
        if (is_local) {
            return 0;  /* the parent's socket has what it has; the kernel's here is not TCP */
        }
    }
    int result = LIBC(setsockopt)(descriptor, level, option, value, length);
    struct sock *sock = result == 0 && level == SOL_SOCKET ? take(descriptor) : NULL;
    if (sock == NULL) {
        return result;
    }
    note_option(sock, option, value);
    return (int)leave(sock, 0);
}
