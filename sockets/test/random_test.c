/*
 * Random calls against a model: random_test [SECONDS [SEED]].
 *
 * Two processes, each with children of its own, do at random what programs do with connections: sends and receives of every kind and
 * size, duplicates, half-closes, fork, exec, SCM_RIGHTS, raw close, siglongjmp, cancelled threads, resets and sudden ends. Round after
 * round, over the kernel and with the same seed over rddp. The model, in memory that all of them share, counts what each direction
 * of each connection has been given: every octet arrives in its place; a stream ends once all has come, and is reset only if
 * the other end has given a reason; what must be there is waited for without a limit, and a process that hangs is ended by its alarm.
 * A failure prints the seed and the last calls.
 */
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <time.h>

#include "ends.h"

#define CONNECTIONS 64   /* of a round */
#define OPEN 6           /* at a time, of a process */
#define CHILDREN 4       /* at a time, of a process */
#define LARGEST 200000u
#define SURE 32768u      /* octets that are taken without somebody who reads */
#define PATTERN 65521u
#define SECONDS_TO_HANG 40u
#define CALLS 48u

/* What one end of a connection has done. */
struct side {
    pthread_mutex_t sending, receiving;
    _Atomic uint64_t intended, sent, received;  /* octets; intended before the call, sent after it */
    _Atomic bool ended;    /* shutdown(SHUT_WR), or about to */
    _Atomic bool closing;  /* its last descriptor may be closed from now on */
    _Atomic bool aborts;   /* by SO_LINGER with no time */
    _Atomic int holders;   /* processes */
};

struct call {
    pid_t process;
    unsigned connection;
    char what[56];
};

struct model {
    uint64_t seed;
    char address[16];
    _Atomic unsigned connected;
    _Atomic unsigned port;
    _Atomic unsigned ports[CONNECTIONS];  /* the client's, once it has connected */
    struct side sides[CONNECTIONS][2];
    _Atomic unsigned calls;
    struct call log[CALLS];
    struct call last[CONNECTIONS][2];  /* of each end */
};

static struct model *model;
static int model_file;
static unsigned me;          /* 0: the client; 1: the server, and the children of each */
static uint64_t random_state;
static bool is_child;

/* ---- Randomness, the pattern, the log ---- */

static uint64_t next_random(void) {
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned below(unsigned limit) {
    return (unsigned)(next_random() % limit);
}

/* Mostly small, sometimes large. */
static unsigned random_size(unsigned most) {
    static const unsigned LIMITS[] = {2, 16, 200, 1500, 9000, 70000};
    unsigned limit = LIMITS[below(6)];
    unsigned size = 1 + below(limit);
    return size > most ? most : size;
}

/* Twice in a row, so that a copy needs no wrap. */
static uint8_t pattern[PATTERN + LARGEST + 1];

static const uint8_t *octets_at(unsigned connection, unsigned side, uint64_t position) {
    return pattern + (position + connection * 7919u + side * 30011u) % PATTERN;
}

__attribute__((format(printf, 2, 3))) static void note(unsigned connection, const char *format, ...) {
    struct call *call = &model->log[atomic_fetch_add(&model->calls, 1) % CALLS];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(call->what, sizeof call->what, format, arguments);
    va_end(arguments);
    call->process = getpid();
    call->connection = connection;
    model->last[connection][me] = *call;
}

static void print_log(void) {
    unsigned count = atomic_load(&model->calls);
    for (unsigned i = count > CALLS ? count - CALLS : 0; i < count; i++) {
        const struct call *call = &model->log[i % CALLS];
        fprintf(stderr, "  %d: connection %u: %s\n", (int)call->process, call->connection, call->what);
    }
    for (unsigned i = 0; i < CONNECTIONS && atomic_load(&model->ports[i]) != 0; i++) {
        for (unsigned j = 0; j < 2; j++) {
            const struct side *side = &model->sides[i][j];
            if (atomic_load(&side->holders) > 0) {
                fprintf(stderr, "  connection %u, %s: sent %lu, received %lu, ended %d, closing %d, aborts %d, holders %d; %d: %s\n", i,
                    j == 0 ? "client" : "server", atomic_load(&side->sent), atomic_load(&side->received),
                    atomic_load(&side->ended), atomic_load(&side->closing), atomic_load(&side->aborts), atomic_load(&side->holders),
                    (int)model->last[i][j].process, model->last[i][j].what);
            }
        }
    }
}

#define MUST(condition, connection)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: seed %lu at %s: process %d (%s): connection %u: not so: %s; errno %d (%s)\n",      \
                __FILE__, __LINE__, (unsigned long)model->seed, model->address, (int)getpid(),                         \
                me == 0 ? "client" : "server", (connection), #condition, errno, strerror(errno));                      \
            print_log();                                                                                               \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void on_alarm(int signal) {
    (void)signal;
    fprintf(stderr, "random_test: a call of %d (%s) hangs\n", (int)getpid(), me == 0 ? "client" : "server");
    print_log();
    _exit(1);
}

static sigjmp_buf out;
static volatile sig_atomic_t jumps;

static void on_timer(int signal) {
    (void)signal;
    if (jumps) {
        siglongjmp(out, 1);
    }
}

/* ---- The model's rules ---- */

struct end {
    int descriptor;
    unsigned connection;
    bool draining;   /* has ended sending, and reads to the end */
    unsigned calls;  /* to make before it ends */
};

static struct side *own(const struct end *end) {
    return &model->sides[end->connection][me];
}

static struct side *other(const struct end *end) {
    return &model->sides[end->connection][1 - me];
}

static bool peer_may_be_gone(const struct end *end) {
    return atomic_load(&other(end)->closing);
}

/* The peer has not read all that was meant for it, and has closed, or has said that it wants a reset. */
static bool reset_is_allowed(const struct end *end) {
    return atomic_load(&other(end)->aborts)
        || (peer_may_be_gone(end) && atomic_load(&own(end)->intended) > atomic_load(&other(end)->received));
}

static bool end_is_allowed(const struct end *end) {
    return (atomic_load(&other(end)->ended) || peer_may_be_gone(end))
        && atomic_load(&own(end)->received) == atomic_load(&other(end)->sent);
}

static unsigned there(const struct end *end) {
    uint64_t sent = atomic_load(&other(end)->sent), received = atomic_load(&own(end)->received);
    /* They may have come before the sender's call has returned. */
    uint64_t octets = sent > received ? sent - received : 0;
    return octets > LARGEST ? LARGEST : (unsigned)octets;
}

/* What a call has received, which is false at the stream's end. Under the lock of receiving. */
static bool check_received(const struct end *end, ssize_t result, const uint8_t *octets, unsigned asked, bool takes, bool nonblocking) {
    struct side *mine = own(end);
    if (result == 0) {
        /* A reset is told once; then the stream has an end. */
        MUST(end_is_allowed(end) || reset_is_allowed(end), end->connection);
        return false;
    }
    if (result < 0) {
        bool waits = errno == EAGAIN || errno == EINTR;
        MUST(waits ? nonblocking : errno == ECONNRESET || errno == EPIPE ? reset_is_allowed(end) : false, end->connection);
        return waits;
    }
    MUST((size_t)result <= asked, end->connection);
    uint64_t from = atomic_load(&mine->received);
    MUST(from + (uint64_t)result <= atomic_load(&other(end)->intended), end->connection);
    const uint8_t *wanted = octets_at(end->connection, 1 - me, from);
    for (size_t i = 0; octets != NULL && i < (size_t)result; i++) {
        if (octets[i] != wanted[i]) {
            fprintf(stderr, "octet %zu of %zd from %lu on is %x, not %x\n", i, result, (unsigned long)from, octets[i], wanted[i]);
            MUST(!"an octet is another", end->connection);
        }
    }
    if (takes) {
        atomic_store(&mine->received, from + (uint64_t)result);
    }
    return true;
}

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

/* ---- Children ---- */

static struct {
    pid_t process;
    unsigned connection;
} children[CHILDREN];

static bool has_children(unsigned connection) {
    for (unsigned i = 0; i < CHILDREN; i++) {
        if (children[i].process != 0 && children[i].connection == connection) {
            return true;
        }
    }
    return false;
}

static void reap(int options) {
    for (unsigned i = 0; i < CHILDREN; i++) {
        int status;
        if (children[i].process != 0 && waitpid(children[i].process, &status, options) == children[i].process) {
            MUST(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL, children[i].connection);
            children[i].process = 0;
        }
    }
}

/* A holder less. */
static void let_go(const struct end *end) {
    atomic_fetch_sub(&own(end)->holders, 1);
}

static bool call_at_random(struct end *end);

/* What a child does, and how it ends. What it has sent counts, however that is. */
__attribute__((noreturn)) static void live_as_child(struct end *end) {
    /* More than is sure to be taken, so only at one end: children that both wait for the other to read would wait for ever. */
    unsigned bulk = me == 1 && below(3) == 0 ? 1 + below(LARGEST) : 0;
    bool goes_on = bulk == 0 || send_octets(end, bulk, true);
    for (unsigned left = below(12); left > 0 && goes_on; left--) {
        goes_on = call_at_random(end);
    }
    let_go(end);
    switch (below(4)) {
        case 0: close(end->descriptor); _exit(0);
        case 1: exit(0);
        case 2: kill(getpid(), SIGKILL); _exit(0);
        default: _exit(0);
    }
}

static void on_start_of_process(uint64_t seed) {
    random_state = seed;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(SECONDS_TO_HANG);
}

static void start_child(const struct end *end, const struct end *all) {
    unsigned place = 0;
    while (place < CHILDREN && children[place].process != 0) {
        place++;
    }
    if (place == CHILDREN) {
        return;
    }
    bool executes = below(3) == 0;
    uint64_t seed = next_random();
    note(end->connection, executes ? "fork and exec" : "fork");
    atomic_fetch_add(&own(end)->holders, 1);
    fflush(NULL);
    pid_t child = fork();
    MUST(child >= 0, end->connection);
    if (child > 0) {
        children[place].process = child;
        children[place].connection = end->connection;
        return;
    }
    is_child = true;
    on_start_of_process(seed);
    for (unsigned i = 0; i < OPEN; i++) {
        if (all[i].descriptor >= 0 && all[i].descriptor != end->descriptor) {
            close_somehow(all[i].descriptor);
        }
    }
    struct end mine = {.descriptor = end->descriptor, .connection = end->connection};
    if (executes) {
        char words[5][24];
        const long numbers[] = {model_file, (long)me, mine.descriptor, (long)mine.connection, (long)(seed & 0xffffffff)};
        for (unsigned i = 0; i < 5; i++) {
            (void)snprintf(words[i], sizeof words[i], "%ld", numbers[i]);
        }
        (void)fcntl(mine.descriptor, F_SETFD, 0);
        (void)fcntl(model_file, F_SETFD, 0);
        execl("/proc/self/exe", "random_test", "child", words[0], words[1], words[2], words[3], words[4], (char *)NULL);
        MUST(!"exec", mine.connection);
    }
    live_as_child(&mine);
}

/* ---- A process ---- */

static struct end ends[OPEN];

/* False if the connection is gone. */
static bool call_at_random(struct end *end) {
    alarm(SECONDS_TO_HANG);
    switch (below(24)) {
        case 0: wait_for_octets(end); return true;
        case 1: move(end); return true;
        case 2: ask(end); return true;
        case 3: wait_for_octets(end); return true;
        case 4:
            if (!is_child && below(2) == 0) {
                start_child(end, ends);
            }
            return true;
        case 5:
            if (below(4) == 0) {
                jump_out(end);
            }
            return true;
        case 6:
            if (below(4) == 0) {
                cancel_thread(end);
            }
            return true;
        default: return next_random() % 2 == 0 ? send_some(end) : receive(end);
    }
}

static void begin(struct end *end, int descriptor, unsigned connection) {
    *end = (struct end){.descriptor = descriptor, .connection = connection, .calls = 4 + below(120)};
    atomic_store(&own(end)->holders, 1);
}

static void close_end(struct end *end) {
    atomic_store(&own(end)->closing, true);
    note(end->connection, "close");
    let_go(end);
    close_somehow(end->descriptor);
    end->descriptor = -1;
}

/* Ends what it sends, or closes at once, whether or not children go on; or resets. */
static void end_connection(struct end *end) {
    unsigned kind = below(8);
    if (kind == 0 && !has_children(end->connection)) {
        struct linger none = {.l_onoff = 1};
        note(end->connection, "linger");
        atomic_store(&own(end)->aborts, true);
        MUST(setsockopt(end->descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0, end->connection);
        close_end(end);
    } else if (kind == 1) {
        close_end(end);
    } else if (!has_children(end->connection)) {
        atomic_store(&own(end)->ended, true);
        note(end->connection, "shutdown");
        MUST(shutdown(end->descriptor, SHUT_WR) == 0 || (errno == ENOTCONN && peer_may_be_gone(end)), end->connection);
        end->draining = true;
    }
}

static void turn(struct end *end) {
    if (end->draining) {
        alarm(SECONDS_TO_HANG);
        if (!receive(end)) {
            close_end(end);
        }
    } else if (!call_at_random(end)) {
        close_end(end);
    } else if (end->calls-- == 0) {
        end->calls = 1;
        end_connection(end);
    }
}

/* Until something may have come: nothing is to be done otherwise. */
static void rest(int listener) {
    struct pollfd polled[OPEN + 1] = {{.fd = listener, .events = POLLIN}};
    bool others = false;
    for (unsigned i = 0; i < OPEN; i++) {
        others |= ends[i].descriptor >= 0 && !ends[i].draining;
        polled[i + 1] = (struct pollfd){.fd = ends[i].descriptor, .events = POLLIN};
    }
    if (!others) {
        (void)poll(polled, OPEN + 1, 5);
    }
}

static int connect_somehow(unsigned *connection) {
    struct sockaddr_in to = address_of(model->address, (uint16_t)atomic_load(&model->port)), from;
    socklen_t length = sizeof from;
    bool nonblocking = below(2) == 0;
    *connection = atomic_fetch_add(&model->connected, 1);
    note(*connection, "connect, %s", nonblocking ? "nonblocking" : "blocking");
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
    MUST(descriptor >= 0, *connection);
    int result = connect(descriptor, (struct sockaddr *)&to, sizeof to);
    if (nonblocking && result != 0) {
        MUST(errno == EINPROGRESS, *connection);
        struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
        int error = 0;
        socklen_t error_length = sizeof error;
        MUST(poll(&polled, 1, -1) == 1, *connection);
        MUST(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &error_length) == 0, *connection);
        errno = error;
        result = error == 0 ? 0 : -1;
    }
    MUST(result == 0, *connection);
    MUST(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0, *connection);
    MUST(getsockname(descriptor, (struct sockaddr *)&from, &length) == 0, *connection);
    atomic_store(&model->ports[*connection], ntohs(from.sin_port));
    return descriptor;
}

/* -1: nobody has come. */
static int accept_somehow(int listener, unsigned *connection) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int descriptor = accept4(listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
    if (descriptor < 0) {
        MUST(errno == EAGAIN, 0u);
        return -1;
    }
    /* It may have been accepted before the client's connect() has returned. */
    for (;;) {
        for (unsigned i = 0; i < CONNECTIONS; i++) {
            if (atomic_load(&model->ports[i]) == ntohs(from.sin_port) && atomic_load(&model->sides[i][1].holders) == 0
                && !atomic_load(&model->sides[i][1].closing)) {
                *connection = i;
                note(i, "accepted");
                return descriptor;
            }
        }
        sched_yield();
    }
}

/* A sudden end of the process: its connections end as if they were closed. */
static void end_suddenly(void) {
    for (unsigned i = 0; i < OPEN; i++) {
        if (ends[i].descriptor >= 0) {
            note(ends[i].connection, "sudden end");
            atomic_store(&own(&ends[i])->closing, true);
            let_go(&ends[i]);
        }
    }
    reap(0);
    unsigned kind = below(3);
    if (kind == 0) {
        exit(0);
    } else if (kind == 1) {
        kill(getpid(), SIGKILL);
    }
    _exit(0);
}

static void live(int listener) {
    bool sudden = below(4) == 0;
    unsigned begun = 0;
    for (;;) {
        bool any = false;
        reap(WNOHANG);
        for (unsigned i = 0; i < OPEN; i++) {
            unsigned connection;
            if (ends[i].descriptor < 0 && begun < CONNECTIONS) {
                int descriptor = me == 0 ? connect_somehow(&connection) : accept_somehow(listener, &connection);
                if (descriptor >= 0) {
                    begun++;
                    begin(&ends[i], descriptor, connection);
                }
            }
            if (ends[i].descriptor >= 0) {
                turn(&ends[i]);
            }
            any |= ends[i].descriptor >= 0;
        }
        if (begun == CONNECTIONS && (sudden || !any)) {
            break;
        }
        rest(listener);
    }
    if (sudden) {
        end_suddenly();
    }
    reap(0);
    exit(0);
}

/* ---- Rounds ---- */

static void catch(int signal, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    CHECK(sigaction(signal, &action, NULL) == 0);
}

static void prepare_process(void) {
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = i < PATTERN ? octet_at(i, 0) : pattern[i - PATTERN];
    }
    catch(SIGALRM, on_alarm);
    catch(SIGUSR1, on_timer);
    catch(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < OPEN; i++) {
        ends[i].descriptor = -1;
    }
}

static void make_model(uint64_t seed, const char *address) {
    model_file = memfd_create("model", MFD_CLOEXEC);
    CHECK(model_file >= 0 && ftruncate(model_file, sizeof *model) == 0);
    model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED, model_file, 0);
    CHECK(model != MAP_FAILED);
    model->seed = seed;
    (void)snprintf(model->address, sizeof model->address, "%s", address);
    pthread_mutexattr_t shared;
    CHECK(pthread_mutexattr_init(&shared) == 0 && pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        for (unsigned j = 0; j < 2; j++) {
            CHECK(pthread_mutex_init(&model->sides[i][j].sending, &shared) == 0);
            CHECK(pthread_mutex_init(&model->sides[i][j].receiving, &shared) == 0);
        }
    }
}

static pid_t start_process(unsigned which, int listener) {
    fflush(NULL);
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        me = which;
        on_start_of_process(model->seed * 2 + which);
        live(listener);
    }
    return process;
}

/* The listener is made by the process that serves, as servers do. */
static pid_t start_server(void) {
    fflush(NULL);
    pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        me = 1;
        on_start_of_process(model->seed * 2 + 1);
        uint16_t port;
        int listener = listen_with_backlog(model->address, &port, 64);
        MUST(fcntl(listener, F_SETFL, O_NONBLOCK) == 0, 0u);
        atomic_store(&model->port, port);
        live(listener);
    }
    return process;
}

/* Whether both processes have ended as they should. */
static bool play(uint64_t seed, const char *address) {
    make_model(seed, address);
    pid_t server = start_server();
    int status;
    while (atomic_load(&model->port) == 0 && waitpid(server, &status, WNOHANG) == 0) {
        sched_yield();
    }
    bool good = atomic_load(&model->port) != 0;
    pid_t client = good ? start_process(0, -1) : 0;
    for (unsigned left = good ? 2 : 0; left > 0 && good; left--) {
        pid_t ended = wait(&status);
        good = WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL;
        if (!good) {
            fprintf(stderr, "seed %lu at %s: the %s ended with status %x\n", (unsigned long)seed, address,
                ended == client ? "client" : "server", (unsigned)status);
            kill(ended == client ? server : client, SIGKILL);
        }
    }
    munmap(model, sizeof *model);
    close(model_file);
    return good;
}

int main(int count, char **arguments) {
    prepare_process();
    if (count == 7 && strcmp(arguments[1], "child") == 0) {
        model_file = atoi(arguments[2]);
        model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED, model_file, 0);
        CHECK(model != MAP_FAILED);
        model_file = fcntl(model_file, F_DUPFD_CLOEXEC, 3);
        me = (unsigned)atoi(arguments[3]);
        is_child = true;
        on_start_of_process(strtoul(arguments[6], NULL, 10));
        struct end mine = {.descriptor = atoi(arguments[4]), .connection = (unsigned)atoi(arguments[5])};
        live_as_child(&mine);
    }
    long seconds = count > 1 ? atol(arguments[1]) : 4;
    uint64_t seed = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    /* "kernel": the kernel alone, as without a daemon. */
    bool kernel_only = count > 3;
    struct timespec start, time;
    clock_gettime(CLOCK_MONOTONIC, &start);
    unsigned rounds = 0;
    do {
        if (!play(seed, "127.0.0.1") || (!kernel_only && !play(seed, FAR_ADDRESS))) {
            return 1;
        }
        seed++;
        rounds++;
        clock_gettime(CLOCK_MONOTONIC, &time);
    } while (time.tv_sec - start.tv_sec < seconds);
    printf("%u rounds\ndone\n", rounds);
    return 0;
}
