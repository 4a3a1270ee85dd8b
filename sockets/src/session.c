#include "session.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "descriptors.h"
#include "locks.h"
#include "sandbox.h"
#include "settings.h"

#define SOCKETS_VERSION 12u
/* Another daemon may take the place of the one that is asked. */
#define ANSWER_MS 30000

static struct session *current;
static uid_t user = (uid_t)-1;

/* ---- Requests ---- */

static bool await(int control, short events) {
    struct pollfd polled = {.fd = control, .events = events};
    int ready = poll(&polled, 1, ANSWER_MS);
    if (ready == 0) {
        errno = ETIMEDOUT;
    }
    return ready == 1;
}

static bool exchange(int control, struct message *message) {
    uint32_t number = message->request;
    enum transfer done = send_message(control, message);
    while (done == WOULD_BLOCK && await(control, POLLOUT)) {
        done = send_message(control, message);
    }
    if (done != TRANSFERRED) {
        return false;
    }
    for (;;) {
        done = await(control, POLLIN) ? receive_message(control, message) : TRANSFER_FAILED;
        if (done == TRANSFER_FAILED || (done == TRANSFERRED && message->request == number)) {
            return done == TRANSFERRED;
        }
        if (done == TRANSFERRED) {
            close_descriptors(message);  /* of a process that ended while it waited */
        }
    }
}

static int errno_of(uint32_t reason) {
    switch (reason) {
        case 2: return EACCES;
        case 3: return EMFILE;
        case 4: return ENOBUFS;
        case 6: return EBADF;
        case 8: return EADDRINUSE;
        case REFUSED_NO_INTERFACE: return ENETUNREACH;
        case 13: return EHOSTUNREACH;
        default: return EINVAL;
    }
}

static int outcome(struct message *message, unsigned expected) {
    if (message->type == expected) {
        return REQUEST_DONE;
    }
    close_descriptors(message);
    if (message->type != REFUSED) {
        errno = EPROTO;
        return REQUEST_LOST;
    }
    uint32_t reason = get_u32(message), detail = get_u32(message);
    char text[256];
    get_text(message, text, sizeof text);
    sockets_log("the daemon refuses: %s", text);
    errno = detail != 0 ? (int)detail : errno_of(reason);
    return (int)reason;
}

static void lose(struct session *session) {
    lock_library();
    if (current == session) {
        current = NULL;
        unhide(&session->control);
        unhide(&session->wake);
    }
    unlock_library();
}

int request(struct session *session, struct message *message, unsigned expected) {
    uint64_t signals = block_signals();
    lock_shared(&session->page->requests);
    message->request = atomic_fetch_add(&session->page->last_request, 1) % INT32_MAX + 1;
    int result = exchange(session->control, message) ? outcome(message, expected) : errno == EMFILE ? REFUSED_LIMIT : REQUEST_LOST;
    int error = errno;
    unlock_shared(&session->page->requests);
    restore_signals(signals);
    if (result == REQUEST_LOST) {
        sockets_log("the session is lost: %s", strerror(error));
        lose(session);
        error = ENETDOWN;
    }
    errno = error;
    return result;
}

/* ---- Opening ---- */

/* -1 with errno. */
static int dial(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", daemon_socket());
    int control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (control >= 0 && connect(control, &address, sizeof address) != 0) {
        int error = errno;
        close(control);
        errno = error;
        return -1;
    }
    return control;
}

/* In place of the message: its answer. */
static bool say_hello(int control, struct message *message) {
    begin_message(message, SOCKETS_HELLO);
    message->request = 1;
    put_u32(message, SOCKETS_VERSION);
    put_text(message, program_invocation_short_name);
    return exchange(control, message) && outcome(message, SOCKETS_WELCOME) == REQUEST_DONE;
}

/* Those of an interface in the daemon's list. */
static void read_interface(struct message *listed, struct networks *networks, bool encrypted) {
    char interface[64];
    get_text(listed, interface, sizeof interface);
    struct in6_addr ipv4 = get_ipv6(listed);
    uint32_t prefix = get_u32(listed);
    (void)get_ipv6(listed);  /* the gateway */
    (void)get_u32(listed);   /* the MTU, and the address of the link */
    (void)get_u16(listed);
    (void)get_u32(listed);
    if (unmapped(&ipv4) != 0) {
        add_network(networks, interface, &ipv4, 96 + prefix, encrypted);
    }
    for (unsigned left = get_u8(listed); left > 0; left--) {
        struct in6_addr address = get_ipv6(listed);
        add_network(networks, interface, &address, get_u8(listed), encrypted);
    }
}

static bool list_networks(int control, struct networks *networks, uint64_t encrypted) {
    uint32_t next = 0, index = 0;
    struct message message;
    *networks = *known_networks();
    do {
        begin_message(&message, LIST_INTERFACES);
        message.request = 2;
        put_u32(&message, SOCKETS_VERSION);
        put_u32(&message, next);
        if (!exchange(control, &message) || outcome(&message, INTERFACES_LISTED) != REQUEST_DONE) {
            return false;
        }
        next = get_u32(&message);
        for (unsigned left = get_u16(&message); left > 0 && !message.broken; left--, index++) {
            read_interface(&message, networks, index < 64 && (encrypted >> index & 1) != 0);
        }
    } while (next != 0);
    return is_complete(&message);
}

bool forbid_holes(int memory, bool *immutable) {
    long flags = 0;
    /* A filter of system calls lets pass what the library has always called. */
    bool is = !is_sandboxed() && syscall(SYS_ioctl, memory, FS_IOC_GETFLAGS, &flags) == 0 && ((int)flags & FS_IMMUTABLE_FL) != 0;
    if (immutable != NULL) {
        *immutable = is;
    }
    return is || fcntl(memory, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
}

static size_t mapped_octets(const struct session *session) {
    return sizeof(struct doorbells) * session->sections + sizeof(struct session_page);
}

/* Maps the doorbells and lets the daemon use them. */
static bool share_doorbells(struct session *session, int control, int doorbells) {
    void *made = mmap(NULL, mapped_octets(session), PROT_READ | PROT_WRITE, MAP_SHARED, doorbells, 0);
    if (made == MAP_FAILED) {
        return false;
    }
    session->memory = made;
    if (!forbid_holes(doorbells, NULL)) {
        return false;
    }
    session->page = (struct session_page *)(session->memory + mapped_octets(session) - sizeof(struct session_page));
    make_shared_lock(&session->page->requests);
    make_shared_lock(&session->page->accepting);
    atomic_store(&session->page->last_request, 16);
    struct message message;
    begin_message(&message, SHARE_MEMORY);
    message.request = 3;
    put_u32(&message, 0);
    return exchange(control, &message) && outcome(&message, DONE) == REQUEST_DONE;
}

static bool begin_session(struct session *session, int control) {
    struct message message;
    if (!say_hello(control, &message)) {
        return false;
    }
    (void)get_u32(&message);
    session->sections = get_u32(&message);
    for (unsigned i = 0; i < 4; i++) {
        (void)get_u32(&message);  /* limits and sizes, which each stream tells */
    }
    uint64_t encrypted = get_u64(&message);
    int doorbells = take_descriptor(&message), wake = take_descriptor(&message);
    bool good = is_complete(&message) && wake >= 0 && share_doorbells(session, control, doorbells)
        && list_networks(control, &session->networks, encrypted) && hide(control, &session->control) >= 0
        && hide(wake, &session->wake) >= 0;
    if (doorbells >= 0) {
        close(doorbells);
    }
    if (wake >= 0) {
        close(wake);
    }
    return good;
}

static void give_up(struct session *session) {
    int error = errno;
    unhide(&session->control);
    unhide(&session->wake);
    if (session->memory != NULL) {
        munmap(session->memory, mapped_octets(session));
    }
    free(session);
    errno = error;
}

/* What a program hears of a session that cannot be opened: that there is no daemon, unless one refuses, or the process lacks something. */
static int told(int error) {
    switch (error) {
        case EACCES:
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM: return error;
        default: return ENETDOWN;
    }
}

/* NULL with errno. */
static struct session *make_session(void) {
    int control = dial();
    struct session *made = control < 0 ? NULL : calloc(1, sizeof *made);
    if (made != NULL && !begin_session(made, control)) {
        give_up(made);
        made = NULL;
    }
    int error = errno;
    if (control >= 0) {
        close(control);
    }
    if (made == NULL) {
        sockets_log("no session of the daemon at %s: %s", daemon_socket(), strerror(error));
        errno = told(error);
    }
    return made;  /* a stream may still need an old one; there are few */
}

struct session *open_session(void) {
    lock_library();
    if (current != NULL && !is_hidden(current->control)) {
        current = NULL;
    }
    if (current == NULL) {
        current = make_session();
    }
    struct session *session = current;
    unlock_library();
    return session;
}

const struct session *present_session(void) {
    return current;
}

const struct networks *rddp_networks(void) {
    const struct session *session = current;
    return session != NULL ? &session->networks : known_networks();
}

const struct networks *find_networks(void) {
    const struct networks *networks = rddp_networks();
    return networks->count == 0 && open_session() != NULL ? rddp_networks() : networks;
}

int request_bridge(int stream) {
    struct message message;
    struct session *session = current;
    int control = -1, result = REQUEST_LOST;
    if (session == NULL || !is_hidden(session->control)) {
        control = dial();
        session = NULL;
        if (control < 0 || !say_hello(control, &message)) {
            if (control >= 0) {
                close(control);
            }
            return -1;
        }
        close_descriptors(&message);
    }
    begin_message(&message, STREAM_BRIDGE);
    message.descriptors[message.descriptor_count++] = stream;
    if (session != NULL) {
        result = request(session, &message, STREAM_BRIDGED);
    } else {
        message.request = 2;
        result = exchange(control, &message) ? outcome(&message, STREAM_BRIDGED) : REQUEST_LOST;
        close(control);
    }
    return result == REQUEST_DONE ? take_descriptor(&message) : -1;
}

/* ---- Doorbells ---- */

void ring(const struct session *session, unsigned section, unsigned index) {
    struct doorbells *bells = (struct doorbells *)session->memory + section;
    atomic_fetch_or(&bells->bits[index / 64], UINT64_C(1) << index % 64);
    atomic_fetch_or(&bells->summary, UINT64_C(1) << index / 256);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&bells->sleeping, memory_order_relaxed) == 1 && atomic_exchange(&bells->sleeping, 0) == 1
        && is_hidden(session->wake)) {
        static const char octet = 'w';
        (void)!write(session->wake, &octet, 1);
    }
}

bool is_daemons_user(uid_t peer) {
    struct stat socket_file;
    if (user == (uid_t)-1 && stat(daemon_socket(), &socket_file) == 0) {
        user = socket_file.st_uid;
    }
    return peer == user;
}
