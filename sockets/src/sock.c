#include "sock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;
void (*last_closed)(struct sock *sock);

/* Written under the lock. Pages that are never used take no memory. */
static struct sock *_Atomic table[MAX_DESCRIPTORS];
static int largest = -1;
static pid_t own_process;

/* Of the thread that has the lock. */
static int cancel_state;

void lock_engine(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&engine);
    cancel_state = before;
}

bool try_lock_engine(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    bool locked = pthread_mutex_timedlock(&engine, &until) == 0;
    if (locked) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    }
    return locked;
}

void unlock_engine(void) {
    int before = cancel_state;
    pthread_mutex_unlock(&engine);
    pthread_setcancelstate(before, &before);
}

__attribute__((constructor)) void become_own_process(void) {
    own_process = getpid();
}

bool is_own_process(void) {
    return getpid() == own_process;
}

struct sock *new_sock(int family) {
    struct sock *made = calloc(1, sizeof *made);
    if (made != NULL) {
        made->family = family;
        made->descriptor = -1;
        made->references = 1;
    }
    return made;
}

void release(struct sock *sock) {
    if (--sock->references == 0) {
        free(sock->listening);
        free(sock);
    }
}

bool is_plain(int descriptor) {
    return descriptor < 0 || descriptor >= MAX_DESCRIPTORS
        || atomic_load_explicit(&table[descriptor], memory_order_acquire) == NULL;
}

struct sock *sock_at(int descriptor) {
    return is_plain(descriptor) ? NULL : table[descriptor];
}

struct sock *take(int descriptor) {
    if (is_plain(descriptor)) {
        return NULL;
    }
    lock_engine();
    struct sock *sock = table[descriptor];
    if (sock == NULL) {
        unlock_engine();
        return NULL;
    }
    sock->references++;
    return sock;
}

ssize_t leave(struct sock *sock, ssize_t result) {
    int error = errno;
    release(sock);
    unlock_engine();
    errno = error;
    return result;
}

struct sock *take_stream(int descriptor) {
    struct sock *sock = take(descriptor);
    if (sock != NULL && !is_stream(sock)) {
        leave(sock, 0);
        return NULL;
    }
    return sock;
}

bool name(struct sock *sock, int descriptor) {
    if (descriptor < 0 || descriptor >= MAX_DESCRIPTORS) {
        return false;
    }
    if (table[descriptor] != NULL) {
        unname(descriptor);  /* closed behind our back, by libc's own fclose() for one */
    }
    table[descriptor] = sock;
    sock->references++;
    sock->descriptors++;
    sock->descriptor = descriptor;
    if (descriptor > largest) {
        largest = descriptor;
    }
    return true;
}

static int find_descriptor(const struct sock *sock) {
    int at = largest;
    while (at >= 0 && table[at] != sock) {
        at--;
    }
    return at;
}

void unname(int descriptor) {
    struct sock *sock = sock_at(descriptor);
    if (sock == NULL) {
        return;
    }
    table[descriptor] = NULL;
    sock->descriptors--;
    if (sock->descriptors == 0) {
        sock->descriptor = -1;
        last_closed(sock);
        sock_changed(sock);  /* other threads may wait at it */
    } else if (sock->descriptor == descriptor) {
        sock->descriptor = find_descriptor(sock);
    }
    release(sock);
}

void leave_to_kernel(struct sock *sock) {
    sock->references++;
    sock->stage = STAGE_LEFT;
    for (int at = find_descriptor(sock); at >= 0; at = find_descriptor(sock)) {
        table[at] = NULL;
        sock->descriptors--;
        release(sock);
    }
    sock_moved(sock, true);
    sock_changed(sock);
    release(sock);
}

void add_watch(struct sock *sock, struct watch *watch) {
    sock->references++;
    watch->sock = sock;
    watch->next = sock->watches;
    watch->at = &sock->watches;
    if (watch->next != NULL) {
        watch->next->at = &watch->next;
    }
    sock->watches = watch;
}

void remove_watch(struct watch *watch) {
    *watch->at = watch->next;
    if (watch->next != NULL) {
        watch->next->at = watch->at;
    }
    release(watch->sock);
}

void sock_changed(struct sock *sock) {
    for (struct watch *watch = sock->watches; watch != NULL; watch = watch->next) {
        watch->changed(watch);
    }
}

void sock_moved(struct sock *sock, bool to_kernel) {
    struct watch *next;
    for (struct watch *watch = sock->watches; watch != NULL; watch = next) {
        next = watch->next;  /* a watch may go with that */
        if (watch->moved != NULL) {
            watch->moved(watch, to_kernel);
        }
    }
}

void for_each_sock(void (*call)(struct sock *sock, int descriptor)) {
    for (int at = 0; at <= largest; at++) {
        struct sock *sock = table[at];
        if (sock != NULL) {
            call(sock, at);
        }
    }
}
