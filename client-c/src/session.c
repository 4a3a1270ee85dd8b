/* Sessions, and their hot path: posting and polling. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

/* Longer than nobody serves programs while another daemon takes the place (docs/handover.md). */
#define DEFAULT_TIMEOUT_MS 20000u

const char *rddp_default_socket(void) {
    const char *configured = getenv("RDDP_SOCKET");
    return configured == NULL ? "/run/rddp/rddpd.sock" : configured;
}

/* ---- Opening ---- */

static int unavailable(const char *path) {
    switch (errno) {
        case ENOENT:
            return fail(RDDP_UNAVAILABLE,
                "there is no daemon socket at %s: start the daemon (rddp daemon), or give the path of its socket", path);
        case ECONNREFUSED:
            return fail(RDDP_UNAVAILABLE, "no daemon answers at %s, although it exists: start the daemon (rddp daemon)",
                path);
        case EACCES:
        case EPERM:
            return fail(RDDP_UNAVAILABLE,
                "you may not use the daemon at %s: writing that socket needs the user or the group that the daemon's"
                " configuration names",
                path);
        case EAGAIN:
            return fail(RDDP_UNAVAILABLE, "the daemon at %s has not accepted the connection in time: try again later",
                path);
        case EPROTOTYPE:
        case ENOTSOCK:
            return fail(RDDP_UNAVAILABLE, "%s is not the socket of an rddp daemon: give another path", path);
        default:
            return fail(RDDP_UNAVAILABLE, "no daemon at %s: %s", path, strerror(errno));
    }
}

static int connect_socket(rddp_session *session, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return fail(RDDP_UNAVAILABLE, "the path of a socket has at most %zu octets: %s", sizeof address.sun_path - 1,
            path);
    }
    strcpy(address.sun_path, path);
    session->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (session->socket < 0) {
        return fail_errno(RDDP_SYSTEM, "no socket");
    }
    uint64_t deadline = deadline_after(session->timeout);
    int connected = connect(session->socket, (struct sockaddr *)&address, sizeof address);
    /* EAGAIN: the daemon's backlog is full, and nothing reports that it has room again. */
    while (connected != 0 && (errno == EINTR || (errno == EAGAIN && now() < deadline))) {
        struct timespec pause = {.tv_nsec = NANOS_PER_MS};
        nanosleep(&pause, NULL);
        connected = connect(session->socket, (struct sockaddr *)&address, sizeof address);
    }
    if (connected != 0) {
        return unavailable(path);
    }
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(session->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0) {
        session->daemon_pid = peer.pid;
    }
    return RDDP_OK;
}

static int watch(rddp_session *session, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(session->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static int create_descriptors(rddp_session *session) {
    session->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (session->stop < 0 || session->wake < 0 || session->epoll < 0 || watch(session, session->wake) != 0) {
        return fail_errno(RDDP_SYSTEM, "no descriptors for a session");
    }
    return RDDP_OK;
}

static int read_welcome(rddp_session *session, struct message *welcome) {
    uint32_t version = get_u32(welcome);
    struct rddp_limits *limits = &session->limits;
    limits->completions = get_u32(welcome);
    limits->send_queue = get_u32(welcome);
    limits->receive_queue = get_u32(welcome);
    limits->inline_octets = get_u32(welcome);
    limits->connections = get_u32(welcome);
    limits->regions = get_u32(welcome);
    limits->memories = get_u32(welcome);
    limits->memory = get_u64(welcome);
    get_text(welcome, session->interface_name, sizeof session->interface_name);
    session->address = get_address(welcome);
    int rings = take_descriptor(welcome);
    session->signal = take_descriptor(welcome);
    if (!is_complete(welcome) || version != PROTOCOL_VERSION || rings < 0 || session->signal < 0) {
        if (rings >= 0) {
            close(rings);
        }
        return fail(RDDP_PROTOCOL, "the daemon's Welcome is not well formed");
    }
    return map_shared(rings, &session->ring_memory);
}

static int say_hello(rddp_session *session, const struct rddp_session_options *options) {
    const char *program = options == NULL ? NULL : options->program_name;
    const char *interface = options == NULL ? NULL : options->interface_name;
    struct message message;
    begin_message(&message, HELLO);
    put_u32(&message, PROTOCOL_VERSION);
    put_text(&message, program == NULL ? program_invocation_short_name : program);
    put_text(&message, interface == NULL ? "" : interface);
    const struct rddp_session_options none = {.interface_name = NULL};
    const struct rddp_session_options *sizes = options == NULL ? &none : options;
    put_u32(&message, sizes->send_queue);
    put_u32(&message, sizes->receive_queue);
    put_u32(&message, sizes->requests);
    put_u32(&message, sizes->completions);
    put_u32(&message, sizes->regions);
    put_u32(&message, sizes->memories);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, WELCOME, 0, &pending);
    if (result == RDDP_VERSION) {
        struct saved_error saved = save_error();
        return fail(RDDP_UNAVAILABLE, "the daemon has another release than librddp (control protocol %d): %.300s",
            PROTOCOL_VERSION, saved.text);
    }
    return result == RDDP_OK ? read_welcome(session, &pending.reply) : result;
}

/* Connects to the daemon; no session yet. */
static int connect_daemon(rddp_session *session, const char *path) {
    int result = create_descriptors(session);
    if (result == RDDP_OK) {
        result = connect_socket(session, path == NULL ? rddp_default_socket() : path);
    }
    return result == RDDP_OK ? start_thread(session) : result;
}

static int open_session(rddp_session *session, const char *path, const struct rddp_session_options *options) {
    int result = connect_daemon(session, path);
    if (result == RDDP_OK) {
        result = say_hello(session, options);
    }
    if (result == RDDP_OK) {
        result = share_memory(session, 0, &session->ring_memory);
    }
    if (result == RDDP_OK && !find_rings(&session->rings, session->ring_memory.address,
        session->ring_memory.length, session->signal)) {
        result = fail(RDDP_PROTOCOL, "the daemon's rings have another layout than librddp's");
    }
    if (result == RDDP_OK && watch(session, session->signal) != 0) {
        result = fail_errno(RDDP_SYSTEM, "no descriptor for completions");
    }
    return result;
}

static void free_session(rddp_session *session) {
    stop_thread(session);
    free_memories(session);
    unmap_shared(&session->ring_memory);
    int descriptors[] = {session->socket, session->stop, session->wake, session->signal, session->epoll};
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        if (descriptors[i] >= 0) {
            close(descriptors[i]);
        }
    }
    free_table(&session->connections);
    free_table(&session->receive_queues);
    free_listeners(session);
    pthread_cond_destroy(&session->changed);
    pthread_mutex_destroy(&session->lock);
    pthread_mutex_destroy(&session->memory_lock);
    pthread_mutex_destroy(&session->send_lock);
    free(session);
}

/* A session without a daemon, or NULL. */
static rddp_session *new_session(const struct rddp_session_options *options) {
    rddp_session *made = calloc(1, sizeof *made);
    if (made == NULL) {
        fail(RDDP_RESOURCES, "no memory for a session");
        return NULL;
    }
    made->event_handler = handle_event;
    made->lost_handler = end_connections;
    made->socket = made->stop = made->wake = made->signal = made->epoll = -1;
    made->ring_memory.descriptor = -1;
    unsigned timeout = options == NULL || options->request_timeout_ms == 0 ? DEFAULT_TIMEOUT_MS
                                                                           : options->request_timeout_ms;
    made->timeout = (uint64_t)timeout * NANOS_PER_MS;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->memory_lock, NULL);
    pthread_mutex_init(&made->send_lock, NULL);
    return made;
}

static void read_interface(struct message *reply, struct rddp_interface *interface) {
    get_text(reply, interface->name, sizeof interface->name);
    interface->address = get_address(reply);
    interface->prefix = (uint8_t)get_u32(reply);
    interface->gateway = get_address(reply);
    interface->mtu = get_u32(reply);
    uint64_t mac = (uint64_t)get_u16(reply) << 32;
    mac |= get_u32(reply);
    for (int i = 0; i < 6; i++) {
        interface->mac[i] = (uint8_t)(mac >> (40 - 8 * i));
    }
    interface->ipv6_count = 0;
    for (unsigned left = get_u8(reply); left > 0; left--) {
        struct in6_addr address = get_ipv6(reply);
        uint8_t prefix = get_u8(reply);
        if (interface->ipv6_count < RDDP_MAX_IPV6) {
            interface->ipv6[interface->ipv6_count] = address;
            interface->ipv6_prefix[interface->ipv6_count++] = prefix;
        }
    }
}

/* Reads some interfaces, from an index on; sets the index of the next one, or 0. */
static int list_some(rddp_session *session, uint32_t *next, struct rddp_interface *interfaces, unsigned max,
    unsigned *count) {
    struct message message;
    begin_message(&message, LIST_INTERFACES);
    put_u32(&message, PROTOCOL_VERSION);
    put_u32(&message, *next);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, INTERFACES_LISTED, 0, &pending);
    if (result != RDDP_OK) {
        return result;
    }
    *next = get_u32(&pending.reply);
    for (unsigned left = get_u16(&pending.reply); left > 0; left--) {
        struct rddp_interface interface;
        read_interface(&pending.reply, &interface);
        if (*count < max) {
            interfaces[*count] = interface;
        }
        (*count)++;
    }
    return is_complete(&pending.reply) ? RDDP_OK
                                       : fail(RDDP_PROTOCOL, "the daemon's list of interfaces is not well formed");
}

int rddp_list_interfaces(const char *path, struct rddp_interface *interfaces, unsigned max, unsigned *count) {
    rddp_session *session = new_session(NULL);
    if (session == NULL) {
        return RDDP_RESOURCES;
    }
    *count = 0;
    uint32_t next = 0;
    int result = connect_daemon(session, path);
    if (result == RDDP_OK) {
        do {
            result = list_some(session, &next, interfaces, max, count);
        } while (result == RDDP_OK && next != 0);
    }
    struct saved_error saved = save_error();
    free_session(session);
    restore_error(&saved);
    return result;
}

int rddp_open(const char *path, const struct rddp_session_options *options, rddp_session **session) {
    rddp_session *made = new_session(options);
    if (made == NULL) {
        return RDDP_RESOURCES;
    }
    int result = open_session(made, path, options);
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        free_session(made);
        restore_error(&saved);
        return result;
    }
    *session = made;
    return RDDP_OK;
}

void rddp_close(rddp_session *session) {
    if (session == NULL) {
        return;
    }
    struct message message;
    begin_message(&message, CLOSE_SESSION);
    /* If there is no answer, closing the socket ends the session, too. */
    request_done(session, &message);
    free_session(session);
}

void rddp_session_limits(const rddp_session *session, struct rddp_limits *limits) {
    *limits = session->limits;
}

const char *rddp_interface_name(const rddp_session *session) {
    return session->interface_name;
}

uint32_t rddp_interface_address(const rddp_session *session) {
    return session->address;
}

int rddp_daemon_pid(const rddp_session *session) {
    return session->daemon_pid;
}

int rddp_session_state(rddp_session *session) {
    if (session->rings.malformed) {
        return fail(RDDP_LOST, "the rings are not well formed: open another session");
    }
    return session->lost ? fail_lost(session) : RDDP_OK;
}

/* ---- Posting ---- */

static int again(rddp_session *session) {
    return session->lost || session->rings.malformed ? rddp_session_state(session)
                                                     : fail(RDDP_AGAIN, "a queue is full: poll, and post again");
}

static bool is_receive(const rddp_connection *connection, unsigned opcode) {
    return connection->plain_ddp ? opcode == RDDP_RECEIVE_UNTAGGED || opcode == RDDP_TAGGED_NOTICE
                                 : opcode == RDDP_RECEIVE;
}

int rddp_post(rddp_connection *connection, const struct rddp_request *request) {
    rddp_session *session = connection->session;
    unsigned slots = request_slots(request);
    if (slots == 0) {
        return RDDP_INVALID;
    }
    bool receive = is_receive(connection, request->opcode);
    /* The daemon limits the receives of each queue of plain DDP. */
    bool full = receive ? outstanding(&connection->receives) >= session->limits.receive_queue && !connection->plain_ddp
                        : outstanding(&connection->sends) >= session->limits.send_queue;
    if (full || !has_room(&session->rings, slots)) {
        return again(session);
    }
    submit(&session->rings, request, slots, connection->number, 0);
    if (receive) {
        connection->receives.posted++;
    } else {
        connection->sends.posted++;
    }
    return RDDP_OK;
}

int rddp_post_shared(rddp_receive_queue *queue, const struct rddp_request *request) {
    rddp_session *session = queue->session;
    if (request->opcode != RDDP_RECEIVE) {
        return fail(RDDP_INVALID, "opcode %d: a shared receive queue takes receives only", request->opcode);
    }
    unsigned slots = request_slots(request);
    if (slots == 0) {
        return RDDP_INVALID;
    }
    if (outstanding(&queue->receives) >= queue->size || !has_room(&session->rings, slots)) {
        return again(session);
    }
    submit(&session->rings, request, slots, 0, queue->number);
    queue->receives.posted++;
    return RDDP_OK;
}

/* ---- Polling ---- */

static void count_retired(struct queue_count *count, uint32_t retired) {
    uint32_t before = atomic_load_explicit(&count->retired, memory_order_relaxed);
    atomic_store_explicit(&count->retired, before + retired, memory_order_release);
}

static void retire(rddp_session *session, const struct rddp_completion *completion, uint32_t retired) {
    rddp_connection *connection = completion->connection;
    if (completion->object != 0 && completion->opcode == RDDP_RECEIVE) {
        rddp_receive_queue *queue = find_receive_queue(session, completion->object);
        if (queue != NULL) {
            count_retired(&queue->receives, retired);
        }
    } else if (connection != NULL) {
        if (is_receive(connection, completion->opcode)) {
            count_retired(&connection->receives, retired);
        } else {
            count_retired(&connection->sends, retired);
        }
    }
}

bool take_completion(rddp_session *session, struct rddp_completion *completion) {
    uint32_t retired = poll_completion(&session->rings, completion);
    if (retired == 0) {
        return false;
    }
    completion->connection = find_connection(session, completion->connection_number);
    retire(session, completion, retired);
    return true;
}

int rddp_poll(rddp_session *session, struct rddp_completion *completions, int max) {
    int count = 0;
    while (count < max && take_completion(session, &completions[count])) {
        count++;
    }
    publish_read(&session->rings);
    return count;
}

void rddp_yield(rddp_session *session) {
    uint32_t processor = atomic_load_explicit(session->rings.processor_word, memory_order_relaxed);
    cpu_set_t engine;
    CPU_ZERO(&engine);
    if (processor != 0 && processor <= CPU_SETSIZE) {
        CPU_SET(processor - 1, &engine);
    }
    yield_processor(&engine, &session->placement);
}

int rddp_descriptor(const rddp_session *session) {
    return session->epoll;
}

void clear_events(rddp_session *session) {
    char octets[1024];
    eventfd_t events;
    eventfd_read(session->wake, &events);
    while (recv(session->signal, octets, sizeof octets, MSG_DONTWAIT) == (ssize_t)sizeof octets) {
    }
}

bool rddp_arm(rddp_session *session) {
    clear_events(session);
    if (!request_signal(&session->rings)) {
        return false;
    }
    /* In a lost session nothing would end a wait. */
    if (session->lost) {
        eventfd_write(session->wake, 1);
    }
    return true;
}

int rddp_await(rddp_session *session, unsigned timeout_ms) {
    if (!request_signal(&session->rings)) {
        return RDDP_OK;
    }
    if (session->lost) {
        return fail_lost(session);
    }
    struct pollfd polled[] = {{.fd = session->wake, .events = POLLIN}, {.fd = session->signal, .events = POLLIN}};
    int ready = poll(polled, 2, timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms);
    if (ready == 0) {
        return fail(RDDP_TIMEOUT, "nothing has happened in %u ms", timeout_ms);
    }
    if (ready < 0 && errno != EINTR) {
        return fail_errno(RDDP_SYSTEM, "poll");
    }
    clear_events(session);
    return RDDP_OK;
}
