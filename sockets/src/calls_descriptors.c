/* The functions of libc that close, duplicate and change descriptors. */
#include <errno.h>
#include <linux/sockios.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "bridge.h"
#include "calls.h"
#include "epolls.h"
#include "io.h"
#include "libc.h"
#include "locks.h"
#include "options.h"

#define CLOSE_RANGE_CLOEXEC_ 4

/* ---- Closing ---- */

EXPORT int(close)(int descriptor) {
    if (is_named(descriptor)) {
        if (is_hidden(descriptor)) {
            return fails(EBADF);
        }
        leave(descriptor);
    }
    return LIBC(close)(descriptor);
}

/* But for the library's own. */
static int close_some(unsigned first, unsigned last, int flags) {
    unsigned from = first;
    for (unsigned at = first; at <= last && at < MAX_DESCRIPTORS; at++) {
        if (!is_named((int)at)) {
            continue;
        }
        if (is_hidden((int)at)) {
            if (from < at && LIBC(close_range)(from, at - 1, flags) != 0) {
                return -1;
            }
            from = at + 1;
        } else if ((flags & CLOSE_RANGE_CLOEXEC_) == 0) {
            leave((int)at);
        }
    }
    return from <= last ? LIBC(close_range)(from, last, flags) : 0;
}

EXPORT int(close_range)(unsigned first, unsigned last, int flags) {
    return first > last ? fails(EINVAL) : close_some(first, last, flags);
}

EXPORT void(closefrom)(int first) {
    (void)close_some(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}

/* ---- Duplicates ---- */

/* A duplicate of a descriptor is what that is. Returns its argument. */
static int name_duplicate(int descriptor, int made) {
    if (made < 0 || made == descriptor || !is_named(descriptor) || !is_own_process()) {
        return made;
    }
    int error = errno;
    static const enum kind kinds[] = {A_STREAM, A_LISTENER, AN_EPOLL};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct object *object = take(descriptor, kinds[i]);
        if (object != NULL) {
            bool known = name(object, made);
            put(object);
            /* A number beyond the table; and what a program makes of its standard streams, stdio or another program uses. */
            if (kinds[i] == A_STREAM && (!known || made <= STDERR_FILENO)) {
                use_bridge(descriptor);
            }
        }
    }
    errno = error;
    return made;
}

/* What stands at the number goes. */
static void clear(int descriptor, int replaced) {
    if (is_named(replaced) && descriptor != replaced && fcntl(descriptor, F_GETFD, 0) >= 0) {
        make_way(replaced);
        leave(replaced);
    }
}

/* In a child of vfork(2), which goes on with exec(2): its parent knows nothing of the duplicate. */
static void prepare_for_child(int descriptor) {
    if (is_named(descriptor) && !is_own_process()) {
        use_bridge(descriptor);
    }
}

EXPORT int(dup)(int descriptor) {
    prepare_for_child(descriptor);
    return name_duplicate(descriptor, LIBC(dup)(descriptor));
}

EXPORT int(dup2)(int descriptor, int replaced) {
    prepare_for_child(descriptor);
    clear(descriptor, replaced);
    return name_duplicate(descriptor, LIBC(dup2)(descriptor, replaced));
}

EXPORT int(dup3)(int descriptor, int replaced, int flags) {
    prepare_for_child(descriptor);
    clear(descriptor, replaced);
    return name_duplicate(descriptor, LIBC(dup3)(descriptor, replaced, flags));
}

/* ---- Flags ---- */

static void note_flags(int descriptor, bool nonblocking) {
    struct stream *stream = take_stream(descriptor);
    if (stream != NULL) {
        atomic_store(&stream->header->nonblocking, nonblocking);
        put_stream(stream);
    }
}

EXPORT int(fcntl)(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        prepare_for_child(descriptor);
        return name_duplicate(descriptor, LIBC(fcntl)(descriptor, command, argument));
    }
    int result = LIBC(fcntl)(descriptor, command, argument);
    if (command == F_SETFL && result == 0 && is_named(descriptor)) {
        note_flags(descriptor, (argument & O_NONBLOCK) != 0);
    }
    return result;
}

EXPORT int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return (fcntl)(descriptor, command, argument);
}

/* Whether a stream answers it, and not its socket. */
static bool is_known(unsigned long request) {
    return request == FIONREAD || request == FIONBIO || request == TIOCOUTQ || request == SIOCOUTQNSD || request == SIOCATMARK;
}

EXPORT int(ioctl)(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct stream *stream = is_known(request) ? current_stream(descriptor) : NULL;
    if (stream == NULL || stream->origin != NULL || argument == NULL) {
        if (stream != NULL) {
            put_stream(stream);
        }
        return LIBC(ioctl)(descriptor, request, argument);
    }
    int result = 0;
    if (request == FIONBIO) {
        result = LIBC(ioctl)(descriptor, request, argument);
        if (result == 0) {
            atomic_store(&stream->header->nonblocking, *(int *)argument != 0);
        }
    } else if (request == FIONREAD) {
        *(int *)argument = (int)readable_octets(stream);
    } else if (request == SIOCATMARK) {
        *(int *)argument = 0;  /* nothing is out of band */
    } else {
        *(int *)argument = (int)(atomic_load(&stream->header->written) - atomic_load(&stream->header->sent));
    }
    put_stream(stream);
    return result;
}

/* It is a call of libc's own ioctl(2). */
EXPORT int(sockatmark)(int descriptor) {
    int mark;
    return (ioctl)(descriptor, SIOCATMARK, &mark) < 0 ? -1 : mark;
}

/* ---- Options ---- */

EXPORT int(getsockopt)(int descriptor, int level, int name, void *value, socklen_t *length) {
    struct stream *stream = current_stream(descriptor);
    struct stream_ends ends;
    if (stream != NULL) {
        int result = get_option(stream, descriptor, level, name, value, length);
        put_stream(stream);
        return result;
    }
    int result = LIBC(getsockopt)(descriptor, level, name, value, length);
    /* A bridge says that it is a Unix socket, and has no options of TCP. */
    bool unlike = result != 0 ? errno == EOPNOTSUPP
                              : level == SOL_SOCKET && (name == SO_DOMAIN || name == SO_PROTOCOL) && value != NULL
            && (*(int *)value == AF_UNIX || *(int *)value == 0);
    int error = errno;
    if (unlike && is_bridge(descriptor, &ends)) {
        return get_bridge_option(ends.family, descriptor, level, name, value, length);
    }
    errno = error;
    return result;
}

EXPORT int(setsockopt)(int descriptor, int level, int name, const void *value, socklen_t length) {
    struct stream *stream = current_stream(descriptor);
    struct stream_ends ends;
    if (stream != NULL) {
        int result = set_option(stream, descriptor, level, name, value, length);
        put_stream(stream);
        return result;
    }
    int result = LIBC(setsockopt)(descriptor, level, name, value, length);
    int error = errno;
    if (result != 0 && error == EOPNOTSUPP && is_bridge(descriptor, &ends)) {
        return set_bridge_option(ends.family, descriptor, level, name, value, length);
    }
    errno = error;
    return result;
}

/* ---- By number ---- */

bool call_on_descriptors(long number, const long of[6], long *result) {
    int descriptor = (int)of[0], second = (int)of[1], third = (int)of[2];
    switch (number) {
        case SYS_close: *result = (close)(descriptor); break;
        case SYS_close_range: *result = close_range((unsigned)descriptor, (unsigned)second, third); break;
        case SYS_dup: *result = (dup)(descriptor); break;
        case SYS_dup2: *result = (dup2)(descriptor, second); break;
        case SYS_dup3: *result = dup3(descriptor, second, third); break;
        case SYS_fcntl: *result = (fcntl)(descriptor, second, of[2]); break;
        case SYS_getsockopt: *result = (getsockopt)(descriptor, second, third, (void *)of[3], (socklen_t *)of[4]); break;
        case SYS_setsockopt: *result = (setsockopt)(descriptor, second, third, (void *)of[3], (socklen_t)of[4]); break;
        case SYS_ioctl: *result = ioctl(descriptor, (unsigned long)of[1], (void *)of[2]); break;
        default: return false;
    }
    return true;
}
