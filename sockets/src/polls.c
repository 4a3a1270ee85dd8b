#include "polls.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "epoll_waits.h"
#include "io.h"
#include "libc.h"
#include "listening.h"
#include "waiting.h"

#define FEW 64u
#define KERNEL_EVERY 4u

/* What the kernel is asked: first the program's entries, then channels of listeners. */
struct poll {
    struct pollfd *entries;
    nfds_t count;
    struct pollfd *kernel;
    nfds_t kernel_count;
    unsigned *channels;       /* of an entry, the index of its channel in `kernel`; 0: none */
    struct stream **watched;  /* of an entry, while the kernel watches it: a stream whose waiters are one more */
    bool others;              /* some are no streams */
};

static void *memory_of(struct poll *poll) {
    size_t count = poll->count;
    char *memory = calloc(count, sizeof *poll->watched + 2 * sizeof *poll->kernel + sizeof *poll->channels);
    poll->watched = (struct stream **)(void *)memory;
    poll->kernel = (struct pollfd *)(void *)(poll->watched + count);
    poll->channels = (unsigned *)(void *)(poll->kernel + 2 * count);
    return memory;
}

static short events_of(const struct stream *stream, const struct pollfd *entry) {
    return (short)(stream_events(stream) & ((uint16_t)entry->events | POLLERR | POLLHUP));
}

/* Stores the events of streams, of which the kernel is not asked now. Returns how many have some. */
static int look_at_streams(struct poll *poll) {
    int ready = 0;
    poll->others = false;
    poll->kernel_count = poll->count;
    for (nfds_t i = 0; i < poll->count; i++) {
        struct pollfd *entry = &poll->entries[i];
        poll->kernel[i] = (struct pollfd){.fd = entry->fd, .events = entry->events};
        poll->channels[i] = 0;
        entry->revents = 0;
        if (!is_named(entry->fd)) {
            poll->others |= entry->fd >= 0;
            continue;
        }
        struct stream *stream = current_stream(entry->fd);
        if (stream != NULL && stream->origin == NULL) {
            entry->revents = events_of(stream, entry);
            poll->kernel[i].fd = -1;
        } else {
            struct listener *listener = stream == NULL ? take_listener(entry->fd) : NULL;
            poll->others = true;
            if (listener != NULL) {
                poll->channels[i] = (unsigned)poll->kernel_count;
                poll->kernel[poll->kernel_count++] = (struct pollfd){.fd = listener->channel, .events = entry->events};
                put_listener(listener);
            } else if (stream == NULL) {
                tell_kernel(entry->fd);
            }
        }
        if (stream != NULL) {
            put_stream(stream);
        }
        ready += entry->revents != 0;
    }
    return ready;
}

/* Adds what the kernel has found of what is no stream. Returns how many entries have events. */
static int add_kernels(struct poll *poll) {
    int ready = 0;
    for (nfds_t i = 0; i < poll->count; i++) {
        struct pollfd *entry = &poll->entries[i];
        if (poll->kernel[i].fd >= 0 && poll->watched[i] == NULL) {
            entry->revents = poll->kernel[i].revents;
            if (poll->channels[i] != 0 && (poll->kernel[poll->channels[i]].revents & (POLLIN | POLLHUP)) != 0
                && has_offer(entry->fd)) {
                entry->revents |= (short)(entry->events & (POLLIN | POLLRDNORM));
            }
        }
        ready += entry->revents != 0;
    }
    return ready;
}

static int look(struct poll *poll, bool kernel) {
    static const struct timespec none = {0};
    int ready = look_at_streams(poll);
    if (poll->others && (kernel || ready > 0)) {
        int error = errno;
        if (LIBC(ppoll)(poll->kernel, poll->kernel_count, &none, NULL) > 0) {
            ready = add_kernels(poll);
        }
        errno = error;
    }
    return ready;
}

/* Without a wait, too, signals that the mask lets through are handled if nothing is ready. */
static int look_once(struct poll *poll, const sigset_t *mask) {
    static const struct timespec none = {0};
    int ready = look(poll, true);
    return ready == 0 && mask != NULL ? LIBC(ppoll)(NULL, 0, &none, mask) : ready;
}

/* Lets the kernel watch streams. Whether one is ready. */
static bool watch_streams(struct poll *poll) {
    bool ready = false;
    for (nfds_t i = 0; i < poll->count && !ready; i++) {
        struct pollfd *entry = &poll->entries[i];
        struct stream *stream = poll->kernel[i].fd < 0 && is_named(entry->fd) ? take_stream(entry->fd) : NULL;
        if (stream == NULL) {
            continue;
        }
        /* Who asks for neither waits for the end. */
        bool out = (entry->events & (POLLOUT | POLLWRNORM)) != 0;
        bool in = !out || (entry->events & (POLLIN | POLLRDNORM | POLLRDHUP)) != 0;
        poll->watched[i] = stream;
        poll->kernel[i] = (struct pollfd){.fd = entry->fd, .events = (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0))};
        begin_waiting(stream, false);
        if (out && !is_writable(stream) && !is_connecting(stream)) {
            arm_out(stream, entry->fd, false);
        }
        ready = has_moved(stream) || events_of(stream, entry) != 0;
        put_stream(stream);
    }
    return ready;
}

static void unwatch(struct poll *poll, nfds_t i) {
    struct stream *stream = take_stream(poll->entries[i].fd);
    if (stream != NULL && stream == poll->watched[i]) {
        short seen = poll->kernel[i].revents;
        end_waiting(stream);
        if ((seen & POLLHUP) != 0) {
            note_hangup(stream);
        }
        /* What it is for has been read by somebody else, or is not what this thread waits for. */
        if ((seen & POLLIN) != 0 && !has_moved(stream) && events_of(stream, &poll->entries[i]) == 0) {
            drain(stream, poll->entries[i].fd);
        }
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    poll->watched[i] = NULL;
}

/* -1 with errno. */
static int sleep_in_kernel(struct poll *poll, uint64_t deadline, const sigset_t *mask) {
    bool ready = watch_streams(poll);
    int found = 0;
    if (!ready) {
        struct timespec time = time_until(deadline);
        found = LIBC(ppoll)(poll->kernel, poll->kernel_count, deadline == FOREVER ? NULL : &time, mask);
    }
    int error = errno;
    for (nfds_t i = 0; i < poll->count; i++) {
        if (poll->watched[i] != NULL) {
            unwatch(poll, i);
        }
    }
    errno = error;
    return found;
}

static int poll_streams(struct poll *poll, uint64_t deadline, const sigset_t *mask) {
    int ready = deadline == 0 ? look_once(poll, mask) : look(poll, false);
    if (ready > 0) {
        note_work();
    }
    for (;;) {
        if (ready != 0 || deadline == 0) {
            return ready;
        }
        struct spin spin = begin_spin(deadline);
        while (ready == 0 && look_again(&spin)) {
            ready = look(poll, spin.turn % KERNEL_EVERY == 1);
        }
        if (ready == 0) {
            if (sleep_in_kernel(poll, deadline, mask) < 0) {
                return -1;
            }
            ready = look(poll, true);
        }
        if (ready != 0) {
            note_activity(&spin);
        } else if (deadline != FOREVER && now() >= deadline) {
            return 0;
        }
    }
}

static bool any_named(const struct pollfd *entries, nfds_t count) {
    for (nfds_t i = 0; i < count; i++) {
        if (is_named(entries[i].fd)) {
            return true;
        }
    }
    return false;
}

static int poll_many(struct poll *poll, uint64_t deadline, const sigset_t *mask) {
    void *memory = memory_of(poll);
    if (memory == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int ready;
    pthread_cleanup_push(free, memory);
    ready = poll_streams(poll, deadline, mask);
    pthread_cleanup_pop(1);
    return ready;
}

int poll_until(struct pollfd *entries, nfds_t count, uint64_t deadline, const sigset_t *mask) {
    struct poll poll = {.entries = entries, .count = count};
    if (!any_named(entries, count)) {
        struct timespec time = time_until(deadline);
        return LIBC(ppoll)(entries, count, deadline == FOREVER ? NULL : &time, mask);
    }
    if (count > FEW) {
        return poll_many(&poll, deadline, mask);
    }
    struct pollfd kernel[2 * FEW];
    unsigned channels[FEW];
    struct stream *watched[FEW] = {NULL};
    poll.kernel = kernel;
    poll.channels = channels;
    poll.watched = watched;
    return poll_streams(&poll, deadline, mask);
}
