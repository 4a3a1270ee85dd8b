#include "fallback.h"

#include <errno.h>

#include "addresses.h"
#include "bridge.h"
#include "libc.h"
#include "locks.h"
#include "settings.h"

static bool may_have(const struct stream *stream) {
    uint32_t error = atomic_load(&stream->header->error);
    uint16_t port = ntohs(stream->to.sin6_port);
    if (atomic_load(&stream->header->state) != FAILED_STREAM || (error != EHOSTDOWN && error != ECONNREFUSED)) {
        return false;
    }
    struct decision made = decide(rddp_networks(), &stream->to.sin6_addr, port);
    return made.way == WAY_RDDP_OR_KERNEL && kernel_is_near(made.network, &stream->to.sin6_addr);
}

static void connect_by_kernel(int descriptor, const struct stream *stream, int flags) {
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } to;
    socklen_t length = sizeof to;
    store_address((int)stream->header->domain, &stream->to.sin6_addr, ntohs(stream->to.sin6_port), &to.any, &length);
    (void)fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
    (void)LIBC(connect)(descriptor, &to.any, length);
    (void)fcntl(descriptor, F_SETFL, flags);
}

bool fall_back(struct stream *stream) {
    if (stream->fallback < 0 || !is_dead(stream)) {
        return false;
    }
    int error = errno;
    lock_library();
    bool falls = is_hidden(stream->fallback) && may_have(stream);
    if (falls) {
        int flags = fcntl(stream->fallback, F_GETFL, 0) & ~O_NONBLOCK;
        sockets_log("to port %u: by the kernel", ntohs(stream->to.sin6_port));
        connect_by_kernel(stream->fallback, stream, flags | (atomic_load(&stream->header->nonblocking) != 0 ? O_NONBLOCK : 0));
        replace_stream(stream, stream->fallback, NULL);
    }
    unhide(&stream->fallback);
    unlock_library();
    errno = error;
    return falls;
}
