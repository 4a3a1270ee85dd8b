#include "options.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

#include "libc.h"
#include "locks.h"

#define SO_ZEROCOPY_ 60
#define TCP_AO_ADD_KEY_ 38
#define TCP_AO_INFO_ 40

/* TCP_CA_NAME_MAX of Linux. */
#define CONGESTION_NAME 16

/* Of the socket itself: they are the stream's as well. */
static bool is_of_socket(int level, int name) {
    return level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO || name == SO_LINGER || name == SO_RCVLOWAT);
}

/* As much of an answer as there is room for. */
static int store_part(const void *answer, socklen_t octets, void *value, socklen_t *length) {
    *length = *length < octets ? *length : octets;
    memcpy(value, answer, *length);
    return 0;
}

static int store(int answer, void *value, socklen_t *length) {
    return store_part(&answer, sizeof answer, value, length);
}

/* What a socket is; false if that is not asked. */
static bool answer_kind(int domain, int level, int name, void *value, socklen_t *length) {
    if (level != SOL_SOCKET) {
        return false;
    }
    switch (name) {
        case SO_TYPE: store(SOCK_STREAM, value, length); return true;
        case SO_DOMAIN: store(domain, value, length); return true;
        case SO_PROTOCOL: store(IPPROTO_TCP, value, length); return true;
        case SO_ACCEPTCONN: store(0, value, length); return true;
        default: return false;
    }
}

static struct kept_option *find_option(struct stream_header *header, int level, int name) {
    for (struct kept_option *each = header->options; each < header->options + KEPT_OPTIONS; each++) {
        if (each->length == 0 || (each->level == level && each->name == name)) {
            return each;
        }
    }
    return NULL;
}

/* Under the write lock, as all that looks at the options kept. */
static void keep_option(struct stream_header *header, int level, int name, const void *value, socklen_t length) {
    struct kept_option *kept = find_option(header, level, name);
    if (kept != NULL && length > 0 && length <= sizeof kept->value) {
        *kept = (struct kept_option){.level = level, .name = name, .length = length};
        memcpy(kept->value, value, length);
    }
}

/* A socket of the kernel's with the options kept. -1 with errno. */
static int model_of(const struct stream_header *header, int domain) {
    int model = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    for (unsigned i = 0; model >= 0 && header != NULL && i < KEPT_OPTIONS && header->options[i].length > 0; i++) {
        const struct kept_option *kept = &header->options[i];
        LIBC(setsockopt)(model, kept->level, kept->name, kept->value, kept->length);
    }
    return model;
}

static int close_model(int model, int result) {
    int error = errno;
    close(model);
    errno = error;
    return result;
}

/* As far as the daemon tells: the state. */
static int get_tcp_info(const struct stream *stream, void *value, socklen_t *length) {
    struct tcp_info info = {.tcpi_state = TCP_CLOSE};
    bool peer_ended = (atomic_load(&stream->header->daemon_flags) & PEER_ENDED) != 0;
    bool ended = (atomic_load(&stream->header->program_flags) & END_SENDING) != 0;
    if (is_connecting(stream)) {
        info.tcpi_state = TCP_SYN_SENT;
    } else if (is_connected(stream)) {
        info.tcpi_state = ended ? (peer_ended ? TCP_LAST_ACK : TCP_FIN_WAIT1) : peer_ended ? TCP_CLOSE_WAIT : TCP_ESTABLISHED;
    }
    return store_part(&info, sizeof info, value, length);
}

/* Linux's names, by enum congestion. */
static const char CONGESTION_NAMES[][CONGESTION_NAME] = {"", "cubic", "reno", "dctcp", "none"};

/* The one with that name that programs may choose, or NO_CONGESTION. */
static enum congestion congestion_named(const void *value, socklen_t length) {
    char name[CONGESTION_NAME] = "";
    memcpy(name, value, length < sizeof name ? length : sizeof name - 1);
    for (unsigned i = CUBIC; i <= DCTCP; i++) {
        if (strcmp(name, CONGESTION_NAMES[i]) == 0) {
            return (enum congestion)i;
        }
    }
    return NO_CONGESTION;
}

/* What the program has chosen, or else what the daemon has begun with; "cubic" until it has. */
static int get_congestion(const struct stream *stream, void *value, socklen_t *length) {
    uint32_t chosen = atomic_load(&stream->header->program_flags) >> CONGESTION_SHIFT & 3;
    uint32_t begun = atomic_load(&stream->header->daemon_flags) >> CONGESTION_SHIFT & 7;
    uint32_t used = chosen != NO_CONGESTION ? chosen : begun;
    return store_part(CONGESTION_NAMES[used == NO_CONGESTION || used > NO_CONTROL ? CUBIC : used], CONGESTION_NAME, value, length);
}

static int set_congestion(struct stream *stream, const void *value, socklen_t length) {
    if (value == NULL) {
        return fails(EFAULT);
    }
    if (length == 0) {
        return fails(EINVAL);
    }
    enum congestion chosen = congestion_named(value, length);
    if (chosen == NO_CONGESTION) {
        return fails(ENOENT);
    }
    if (chosen == DCTCP && is_connected(stream) && (atomic_load(&stream->header->daemon_flags) & DCTCP_ALLOWED) == 0) {
        return fails(EPERM);
    }
    choose_congestion(stream, chosen);
    return 0;
}

int get_option(struct stream *stream, int descriptor, int level, int name, void *value, socklen_t *length) {
    struct stream_header *header = stream->header;
    if (value == NULL || length == NULL) {
        return fails(EFAULT);
    }
    if (is_of_socket(level, name)) {
        return LIBC(getsockopt)(descriptor, level, name, value, length);
    }
    if (answer_kind((int)header->domain, level, name, value, length)) {
        return 0;
    }
    if (level == SOL_SOCKET && name == SO_ERROR) {
        return store(take_error(stream), value, length);
    }
    if (level == IPPROTO_TCP && name == TCP_INFO) {
        return get_tcp_info(stream, value, length);
    }
    if (level == IPPROTO_TCP && name == TCP_CONGESTION) {
        return get_congestion(stream, value, length);
    }
    int model = model_of(header, (int)header->domain);
    return model < 0 ? -1 : close_model(model, LIBC(getsockopt)(model, level, name, value, length));
}

/* Whether it is the type of service, or traffic class, of the packets that the stream sends. */
static bool is_of_packets(const struct stream *stream, int level, int name) {
    return stream->header->ends.family == AF_INET ? level == IPPROTO_IP && name == IP_TOS
                                                  : level == IPPROTO_IPV6 && name == IPV6_TCLASS;
}

/* The kernel has taken the value: of IP_TOS it may be one octet, and -1 is the default of IPV6_TCLASS. */
static unsigned dscp_of(const void *value, socklen_t length) {
    int wide = 0;
    if (length < sizeof wide) {
        return *(const uint8_t *)value >> 2;
    }
    memcpy(&wide, value, sizeof wide);
    return wide < 0 ? 0 : (unsigned)wide >> 2 & 63;
}

/* What changes how the stream behaves. */
static void note_option(struct stream *stream, int level, int name, const void *value) {
    struct linger linger;
    int low;
    if (level == SOL_SOCKET && name == SO_LINGER) {
        memcpy(&linger, value, sizeof linger);
        if (linger.l_onoff != 0 && linger.l_linger == 0) {
            abort_at_close(stream);
        } else {
            atomic_fetch_and(&stream->header->program_flags, ~(uint32_t)ABORT_AT_CLOSE);
        }
    } else if (level == SOL_SOCKET && name == SO_RCVLOWAT) {
        memcpy(&low, value, sizeof low);
        atomic_store(&stream->header->low_mark, low <= 0 ? 1 : (uint32_t)low);
    }
}

/* What a program would rely on, to its harm. */
static bool is_refused(int level, int name) {
    if (level == SOL_SOCKET) {
        return name == SO_ZEROCOPY_ || name == SO_PEEK_OFF || name == SO_ATTACH_FILTER || name == SO_ATTACH_BPF;
    }
    return level == IPPROTO_TCP
        && (name == TCP_INQ || name == TCP_MD5SIG || name == TCP_MD5SIG_EXT || (name >= TCP_AO_ADD_KEY_ && name <= TCP_AO_INFO_));
}

int set_option(struct stream *stream, int descriptor, int level, int name, const void *value, socklen_t length) {
    struct stream_header *header = stream->header;
    if (is_refused(level, name)) {
        return fails(EOPNOTSUPP);
    }
    if (is_of_socket(level, name)) {
        int result = LIBC(setsockopt)(descriptor, level, name, value, length);
        if (result == 0) {
            note_option(stream, level, name, value);
        }
        return result;
    }
    if (level == IPPROTO_TCP && name == TCP_CONGESTION) {
        return set_congestion(stream, value, length);
    }
    int model = model_of(NULL, (int)header->domain);
    int result = model < 0 ? -1 : close_model(model, LIBC(setsockopt)(model, level, name, value, length));
    if (result == 0) {
        uint64_t signals = block_signals();
        lock_shared(&header->write_lock);
        keep_option(header, level, name, value, length);
        unlock_shared(&header->write_lock);
        restore_signals(signals);
        if (is_of_packets(stream, level, name) && length > 0) {
            choose_dscp(stream, dscp_of(value, length));
        }
    }
    return result;
}

int get_bridge_option(int domain, int descriptor, int level, int name, void *value, socklen_t *length) {
    if (value == NULL || length == NULL) {
        return fails(EFAULT);
    }
    if (answer_kind(domain, level, name, value, length)) {
        return 0;
    }
    if (level == SOL_SOCKET) {
        return LIBC(getsockopt)(descriptor, level, name, value, length);
    }
    if (level == IPPROTO_TCP && name == TCP_INFO) {
        struct tcp_info info = {.tcpi_state = TCP_ESTABLISHED};
        return store_part(&info, sizeof info, value, length);
    }
    int model = model_of(NULL, domain);
    return model < 0 ? -1 : close_model(model, LIBC(getsockopt)(model, level, name, value, length));
}

int set_bridge_option(int domain, int descriptor, int level, int name, const void *value, socklen_t length) {
    if (level == SOL_SOCKET) {
        return LIBC(setsockopt)(descriptor, level, name, value, length);
    }
    int model = model_of(NULL, domain);
    return model < 0 ? -1 : close_model(model, LIBC(setsockopt)(model, level, name, value, length));
}

/* Those that programs set before they connect or listen, and that a connection has from its listener. */
static const struct {
    int level, name;
} INHERITED[] = {{SOL_SOCKET, SO_RCVTIMEO}, {SOL_SOCKET, SO_SNDTIMEO}, {SOL_SOCKET, SO_LINGER}, {SOL_SOCKET, SO_RCVLOWAT},
    {SOL_SOCKET, SO_KEEPALIVE}, {SOL_SOCKET, SO_OOBINLINE}, {SOL_SOCKET, SO_REUSEADDR}, {SOL_SOCKET, SO_REUSEPORT},
    {SOL_SOCKET, SO_PRIORITY}, {IPPROTO_TCP, TCP_NODELAY}, {IPPROTO_TCP, TCP_CORK}, {IPPROTO_TCP, TCP_KEEPIDLE},
    {IPPROTO_TCP, TCP_KEEPINTVL}, {IPPROTO_TCP, TCP_KEEPCNT}, {IPPROTO_TCP, TCP_USER_TIMEOUT}, {IPPROTO_TCP, TCP_QUICKACK},
    {IPPROTO_IP, IP_TOS}, {IPPROTO_IPV6, IPV6_TCLASS}, {IPPROTO_IPV6, IPV6_V6ONLY}};

/* The kernel's default is cubic, which does not say that a program has chosen it. */
static void inherit_congestion(struct stream *stream, int from) {
    char name[CONGESTION_NAME] = "";
    socklen_t length = sizeof name;
    if (LIBC(getsockopt)(from, IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0) {
        enum congestion chosen = congestion_named(name, length);
        if (chosen != NO_CONGESTION && chosen != CUBIC) {
            choose_congestion(stream, chosen);
        }
    }
}

void inherit_options(struct stream *stream, int descriptor, int from) {
    int error = errno;
    inherit_congestion(stream, from);
    for (size_t i = 0; i < sizeof INHERITED / sizeof INHERITED[0]; i++) {
        uint8_t value[20];
        socklen_t length = sizeof value;
        int level = INHERITED[i].level, name = INHERITED[i].name;
        if (LIBC(getsockopt)(from, level, name, value, &length) != 0) {
            continue;
        }
        if (!is_of_socket(level, name)) {
            keep_option(stream->header, level, name, value, length);
            /* The kernel's default is 0, which does not say that a program has chosen it. */
            if (is_of_packets(stream, level, name) && dscp_of(value, length) != 0) {
                choose_dscp(stream, dscp_of(value, length));
            }
        } else if (LIBC(setsockopt)(descriptor, level, name, value, length) == 0) {
            note_option(stream, level, name, value);
        }
    }
    errno = error;
}
