#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "epolls.h"
#include "listening.h"
#include "progress.h"
#include "settings.h"
#include "stream.h"
#include "wait.h"

#define THREAD_STACK (256 << 10)
#define PART (64u << 10)

/* A child's end of something, and the parent's. */
struct ward {
    struct watch watch;  /* first; of a forwarded connection */
    int end, child_end;  /* child_end: -1 but while the process forks */
    bool child_ended;    /* the child sends nothing more */
    bool peer_ended;     /* the child has been told that the peer sends nothing more */
    struct ward *next;
};

static struct ward *wards;
static bool has_thread;
static bool woken;
static struct sleeper *sleeper;

static void on_change(struct watch *watch) {
    (void)watch;
    woken = true;
    if (sleeper != NULL) {
        wake(sleeper);
    }
}

static void free_ward(struct ward *ward) {
    struct ward **at = &wards;
    while (*at != ward) {
        at = &(*at)->next;
    }
    *at = ward->next;
    close(ward->end);
    if (ward->child_end >= 0) {
        close(ward->child_end);
    }
    free(ward);
}

/* NULL if there can be none. */
static struct ward *add_ward(int type) {
    int ends[2];
    struct ward *made = calloc(1, sizeof *made);
    if (made == NULL || socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) {
        sockets_log("a child cannot have what it inherits: no descriptors");
        free(made);
        return NULL;
    }
    made->end = ends[0];
    made->child_end = ends[1];
    made->next = wards;
    wards = made;
    return made;
}

/* ---- fork ---- */

static bool listens;

static void prepare(struct sock *sock, int descriptor) {
    listens = listens || sock->stage == STAGE_LISTENING;
    if (sock->stage == STAGE_LISTENING) {
        sock->used = false;
    }
    if (sock->stage == STAGE_CONNECTED && !sock->dead && sock->descriptor == descriptor) {
        struct ward *ward = add_ward(SOCK_STREAM);
        if (ward != NULL) {
            ward->watch.changed = on_change;
            add_watch(sock, &ward->watch);
        }
    }
}

void prepare_child(void) {
    listens = false;
    for_each_sock(prepare);
    if (listens) {
        add_ward(SOCK_SEQPACKET);
    }
}

static struct ward *new_ward_of(const struct sock *sock) {
    struct ward *ward = wards;
    while (ward != NULL && (ward->child_end < 0 || ward->watch.sock != sock)) {
        ward = ward->next;
    }
    return ward;
}

/* In the child: a kernel socket to the parent stands in the place of the connection. */
static void replace(struct sock *sock, int descriptor) {
    if (!is_stream(sock) && sock->stage != STAGE_FORWARDED) {
        return;
    }
    const struct ward *ward = new_ward_of(sock);
    if (ward == NULL) {
        return;
    }
    int flags = LIBC(fcntl)(descriptor, F_GETFD);
    (void)!fcntl(ward->child_end, F_SETFL, sock->nonblocking ? O_NONBLOCK : 0);
    LIBC(dup3)(ward->child_end, descriptor, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    sock->stage = STAGE_FORWARDED;
    sock->connection = NULL;
}

static void drop_stream(struct sock *sock, int descriptor) {
    (void)descriptor;
    sock->watches = NULL;  /* of threads and instances of the parent's */
    if (is_stream(sock)) {
        sock->stage = STAGE_FORWARDED;  /* an unconnected socket of the kernel's */
        sock->connection = NULL;
    }
}

void become_child(void) {
    become_own_process();
    forget_sleepers();
    forget_epolls();
    for_each_sock(replace);
    for_each_sock(drop_stream);
    struct ward *line = new_ward_of(NULL);
    int to_parent = line == NULL ? -1 : line->child_end;
    if (line != NULL) {
        line->child_end = -1;
    }
    inherit_listeners(to_parent);
    while (wards != NULL) {
        free_ward(wards);
    }
    forget_links();
    has_thread = false;
    sleeper = NULL;
}

/* ---- The thread ---- */

/* What is taken from the child cannot be given back: no more than certainly goes on. */
static ssize_t send_from(struct sock *sock, struct ward *ward) {
    static uint8_t part[SLOT_OCTETS];
    ssize_t got = has_room_for_message(sock) ? recv(ward->end, part, sock->peer_octets, MSG_DONTWAIT) : -1;
    if (got > 0) {
        struct iovec piece = {.iov_base = part, .iov_len = (size_t)got};
        if (write_stream(sock, &piece, 1, 0) != (size_t)got) {
            end_stream(sock, false);  /* the session is lost: a child's octets must not be lost in silence */
        }
    }
    return got;
}

static void to_peer(struct sock *sock, struct ward *ward) {
    while (!ward->child_ended && writable(sock)) {
        ssize_t got = sock->failed || sock->sending_ended ? recv(ward->end, &(char){0}, 1, MSG_DONTWAIT) : send_from(sock, ward);
        if (got < 0) {
            return;
        }
        ward->child_ended = got == 0;
    }
}

static void to_child(struct sock *sock, struct ward *ward) {
    if (sock->descriptors > 0) {
        return;  /* the parent reads itself */
    }
    while (sock->octets > 0) {
        static uint8_t part[PART];
        struct iovec piece = {.iov_base = part, .iov_len = PART};
        size_t got = read_stream(sock, &piece, 1, true);
        ssize_t sent = send(ward->end, part, got, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        piece.iov_len = (size_t)sent;
        read_stream(sock, &piece, 1, false);
    }
    if ((sock->peer_ended || sock->dead) && !ward->peer_ended) {
        ward->peer_ended = true;
        LIBC(shutdown)(ward->end, SHUT_WR);
    }
}

/* Whether no process has the child's end any more. */
static bool is_left(const struct ward *ward) {
    struct pollfd polled = {.fd = ward->end, .events = 0};
    return poll(&polled, 1, 0) == 1 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

static bool is_last_of(const struct ward *ward) {
    for (const struct ward *other = wards; other != NULL; other = other->next) {
        if (other != ward && other->watch.sock == ward->watch.sock) {
            return false;
        }
    }
    return true;
}

static void forward(struct ward *ward) {
    struct sock *sock = ward->watch.sock;
    to_peer(sock, ward);
    to_child(sock, ward);
    if (ward->child_ended && is_left(ward)) {
        bool ends = is_last_of(ward);
        sock->references++;
        remove_watch(&ward->watch);
        free_ward(ward);
        sock->forwarders--;
        if (ends && sock->descriptors == 0) {
            close_sock(sock);
        }
        release(sock);
    } else if (ward->child_ended) {
        end_sending(sock);
    }
}

static void answer(struct ward *line) {
    struct port_request request;
    ssize_t got;
    while ((got = recv(line->end, &request, sizeof request, MSG_DONTWAIT)) == (ssize_t)sizeof request) {
        char octet = 1;
        give_port(&request);
        (void)!send(line->end, &octet, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (got == 0) {
        free_ward(line);
    }
}

static bool is_woken(void *unused) {
    (void)unused;
    return woken;
}

static short wanted(const struct ward *ward) {
    const struct sock *sock = ward->watch.sock;
    if (sock == NULL) {
        return POLLIN;
    }
    return (short)((!ward->child_ended && writable(sock) ? POLLIN : 0)
        | (sock->descriptors == 0 && sock->octets > 0 ? POLLOUT : 0));
}

static void *keep(void *unused) {
    (void)unused;
    struct pollfd *polled = NULL;
    nfds_t room = 0;
    lock_engine();
    sleeper = own_sleeper();
    for (;;) {
        struct ward *next;
        for (struct ward *ward = wards; ward != NULL; ward = next) {
            next = ward->next;
            if (ward->watch.sock == NULL) {
                answer(ward);
            } else {
                forward(ward);
            }
        }
        nfds_t count = 0;
        for (struct ward *ward = wards; ward != NULL; ward = ward->next) {
            count++;
        }
        if (count + WAIT_EXTRA > room) {
            free(polled);
            room = 2 * (count + WAIT_EXTRA);
            polled = calloc(room, sizeof *polled);
        }
        if (count == 0 || polled == NULL || sleeper == NULL) {
            break;
        }
        count = 0;
        for (struct ward *ward = wards; ward != NULL; ward = ward->next) {
            /* POLLHUP would not end where the child's last octets cannot be read yet. */
            short events = wanted(ward);
            bool waits = events != 0 || ward->child_ended;
            polled[count++] = (struct pollfd){.fd = waits ? ward->end : -1, .events = events};
        }
        woken = false;
        struct wait wait = {.ready = is_woken, .kernel = polled, .kernel_count = count, .deadline = FOREVER};
        wait_for(&wait);
    }
    has_thread = false;
    sleeper = NULL;
    unlock_engine();
    free(polled);
    return NULL;
}

void keep_child(void) {
    for (struct ward *ward = wards; ward != NULL; ward = ward->next) {
        if (ward->child_end >= 0) {
            close(ward->child_end);
            ward->child_end = -1;
            if (ward->watch.sock != NULL) {
                ward->watch.sock->forwarders++;
            }
        }
    }
    if (wards == NULL) {
        return;
    }
    if (has_thread) {
        on_change(NULL);
        return;
    }
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread = pthread_create(&thread, &attributes, keep, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!has_thread) {
        sockets_log("no thread for the children of this process");
    }
}
