#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "locks.h"
#include "mappings.h"
#include "sandbox.h"

/* Of the ring, that have to be free for it to be writable: the daemon makes the socket writable when half of it is free. */
#define FREE_PART 3u
#define FILLER_OCTETS 1200
#define MOST_FILLERS 8

void (*stream_forgotten)(struct stream *stream, int descriptor);

/* ---- Memory ---- */

static size_t mapped_octets(const struct stream *stream) {
    return HEADER_OCTETS + (size_t)stream->send_octets + stream->receive_octets;
}

static bool map_memory(struct stream *stream, int memory) {
    stream->mapping = take_mapping(memory, mapped_octets(stream));
    if (stream->mapping == NULL) {
        return false;
    }
    uint8_t *at = stream->mapping->at;
    stream->header = (struct stream_header *)at;
    stream->sending = at + HEADER_OCTETS;
    stream->receiving = stream->sending + stream->send_octets;
    return true;
}

static void forget_stream(struct object *object, int descriptor) {
    struct stream *stream = (struct stream *)object;
    if (stream_forgotten != NULL) {
        stream_forgotten(stream, descriptor);
    }
    int error = errno;
    struct stat now;
    /* Nobody else uses it, and the number is still its socket. */
    if (stream->mapping != NULL && atomic_load(&object->references) == 1 && syscall(SYS_fstat, descriptor, &now) == 0
        && now.st_ino == object->number && now.st_dev == object->device && give_mapping_back(stream->mapping, descriptor)) {
        stream->mapping = NULL;
    }
    errno = error;
}

static void end_stream(struct object *object) {
    struct stream *stream = (struct stream *)object;
    if (stream->origin != NULL) {
        put_stream(stream->origin);
    } else if (stream->mapping != NULL) {
        drop_mapping(stream->mapping);
    }
    stream->header = NULL;
    unhide(&stream->fallback);
}

struct stream *map_stream(const struct stream_parts *parts, int domain) {
    lock_library();
    struct stream *made = (struct stream *)new_object(A_STREAM);
    unlock_library();
    if (made == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    made->fallback = -1;
    made->session = parts->session;
    made->section = parts->section;
    made->index = parts->index;
    made->send_octets = parts->send_octets;
    made->receive_octets = parts->receive_octets;
    if (!map_memory(made, parts->memory)) {
        int error = errno;
        put_stream(made);
        errno = error;
        return NULL;
    }
    make_shared_lock(&made->header->write_lock);
    made->header->domain = (uint32_t)domain;
    atomic_store(&made->header->low_mark, 1);
    return made;
}

void begin_stream(struct stream *stream, uint32_t flags) {
    atomic_fetch_or(&stream->header->program_flags, flags);
    ring(stream->session, stream->section, stream->index);
}

struct stream *new_bridge(struct stream *origin) {
    lock_library();
    struct stream *made = (struct stream *)new_object(A_STREAM);
    unlock_library();
    if (made != NULL) {
        hold(&origin->object);
        made->fallback = -1;
        made->origin = origin;
        made->header = origin->header;
        made->session = origin->session;
        made->section = origin->section;
        made->index = origin->index;
        made->send_octets = origin->send_octets;
        made->receive_octets = origin->receive_octets;
    }
    return made;
}

/* ---- State ---- */

/* An accepted one is established before the daemon says so, once it has looked at the memory. */
static uint32_t state_of(const struct stream *stream) {
    uint32_t state = atomic_load_explicit(&stream->header->state, memory_order_acquire);
    return state == CONNECTING_STREAM && (atomic_load(&stream->header->program_flags) & TAKEN) != 0 ? ESTABLISHED_STREAM : state;
}

bool is_connecting(const struct stream *stream) {
    return state_of(stream) == CONNECTING_STREAM && atomic_load(&stream->header->lost) == 0;
}

bool is_dead(const struct stream *stream) {
    const struct stream_header *header = stream->header;
    uint32_t state = state_of(stream);
    return state == FAILED_STREAM || (state == ENDED_STREAM && atomic_load(&header->error) != 0)
        || atomic_load(&header->lost) != 0;
}

bool is_connected(const struct stream *stream) {
    return state_of(stream) == ESTABLISHED_STREAM && !is_dead(stream);
}

bool was_established(const struct stream *stream) {
    uint32_t state = state_of(stream);
    return state == ESTABLISHED_STREAM || state == ENDED_STREAM;
}

/* As TCP says it: what comes after the peer's end is EPIPE. */
static int error_of(const struct stream *stream) {
    const struct stream_header *header = stream->header;
    if (!is_dead(stream) || atomic_load(&header->error_told) != 0) {
        return 0;
    }
    int error = (int)atomic_load(&header->error);
    error = error == 0 ? ECONNRESET : error;
    return error == ECONNRESET && (atomic_load(&header->daemon_flags) & PEER_ENDED) != 0 ? EPIPE : error;
}

int take_error(struct stream *stream) {
    int error = error_of(stream);
    return error != 0 && atomic_exchange(&stream->header->error_told, 1) == 0 ? error : 0;
}

int take_outcome(struct stream *stream) {
    if (!is_dead(stream)) {
        return 0;
    }
    int error = take_error(stream);
    return error == 0 ? ECONNABORTED : error;
}

uint32_t readable_octets(const struct stream *stream) {
    uint64_t consumed = atomic_load(&stream->header->consumed);
    return (consumed & MOVED) != 0 ? 0 : (uint32_t)(atomic_load(&stream->header->received) - consumed);
}

static bool has_ended_receiving(const struct stream *stream) {
    return (atomic_load(&stream->header->daemon_flags) & PEER_ENDED) != 0
        || (atomic_load(&stream->header->program_flags) & RECEIVING_ENDED) != 0;
}

bool has_end(const struct stream *stream) {
    return has_ended_receiving(stream) || is_dead(stream);
}

bool is_readable(const struct stream *stream, uint32_t octets) {
    return has_end(stream) || readable_octets(stream) >= octets || has_moved(stream);
}

static bool has_ended_sending(const struct stream *stream) {
    return (atomic_load(&stream->header->program_flags) & END_SENDING) != 0 || is_dead(stream);
}

static uint32_t room_of(const struct stream *stream) {
    /* In this order: without the write lock, others may write meanwhile, and lengthen the ring for it. */
    uint64_t written = atomic_load(&stream->header->written) & ~MOVED;
    uint64_t sent = atomic_load(&stream->header->sent);
    uint32_t octets = atomic_load(&stream->header->send_ring);
    return written > sent ? octets - (uint32_t)(written - sent) : octets;
}

uint32_t low_mark(const struct stream *stream) {
    uint32_t low = atomic_load(&stream->header->low_mark), most = atomic_load(&stream->header->receive_ring) / 2;
    return low < most ? low : most;
}

bool is_writable(const struct stream *stream) {
    return !is_connecting(stream)
        && (has_ended_sending(stream) || room_of(stream) >= atomic_load(&stream->header->send_ring) / FREE_PART || has_moved(stream));
}

uint32_t stream_events(const struct stream *stream) {
    if (is_connecting(stream)) {
        return 0;
    }
    /* It may die meanwhile: what follows must not say so in part. */
    bool dead = is_dead(stream), end = dead || has_ended_receiving(stream);
    bool ended_sending = (atomic_load(&stream->header->program_flags) & END_SENDING) != 0;
    uint32_t low = low_mark(stream), events = 0;
    events |= end || readable_octets(stream) >= low ? POLLIN | POLLRDNORM : 0;
    events |= is_writable(stream) ? POLLOUT | POLLWRNORM : 0;
    events |= end ? POLLRDHUP : 0;
    events |= dead || (end && ended_sending) ? POLLHUP : 0;
    events |= dead && error_of(stream) != 0 ? POLLERR : 0;
    return events;
}

/* ---- Receiving ---- */

size_t octets_of(const struct iovec *pieces, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += pieces[i].iov_len;
    }
    return total;
}

/* Copies between octets in a row and the pieces, from a place in these on. */
static void copy_in_row(uint8_t *octets, size_t length, const struct iovec *pieces, size_t from, bool into_pieces) {
    while (length > 0 && from >= pieces->iov_len) {
        from -= pieces->iov_len;
        pieces++;
    }
    while (length > 0) {
        size_t part = pieces->iov_len - from < length ? pieces->iov_len - from : length;
        if (into_pieces) {
            memcpy((uint8_t *)pieces->iov_base + from, octets, part);
        } else if (part > 0) {
            memcpy(octets, (const uint8_t *)pieces->iov_base + from, part);
        }
        octets += part;
        length -= part;
        from = 0;
        pieces++;
    }
}

/* Copies between octets of a ring, from a position on, and the pieces. */
static void copy_pieces(uint8_t *start, uint32_t ring_octets, uint64_t position, size_t length, const struct iovec *pieces, size_t from,
    bool into_pieces) {
    size_t offset = position % ring_octets, first = ring_octets - offset;
    first = length < first ? length : first;
    copy_in_row(start + offset, first, pieces, from, into_pieces);
    copy_in_row(start, length - first, pieces, from + first, into_pieces);
}

/* The octets before a position have been read, the rest is there. */
static void after_reading(struct stream *stream, int descriptor, uint64_t before, uint64_t after) {
    struct stream_header *header = stream->header;
    uint32_t quarter = atomic_load(&header->receive_ring) / 4;
    if (before / quarter != after / quarter) {
        ring(stream->session, stream->section, stream->index);
    }
    if (atomic_load(&header->tokens) > atomic_load(&header->armed_in) && atomic_load(&header->received) == after) {
        drain(stream, descriptor);
    }
}

enum step receive_step(struct stream *stream, int descriptor, const struct iovec *pieces, size_t count, size_t from, int flags,
    ssize_t *result) {
    struct stream_header *header = stream->header;
    size_t wanted = octets_of(pieces, count) - from;
    uint64_t consumed = atomic_load(&header->consumed);
    for (;;) {
        if ((consumed & MOVED) != 0) {
            if (has_moved(stream)) {
                return STEP_MOVED;
            }
            errno = ECONNRESET;
            *result = -1;
            return STEP_DONE;
        }
        uint64_t there = atomic_load(&header->received) - consumed;
        size_t octets = there < wanted ? (size_t)there : wanted;
        if (octets == 0) {
            break;
        }
        if ((flags & MSG_TRUNC) == 0) {
            copy_pieces(stream->receiving, atomic_load(&header->receive_ring), consumed, octets, pieces, from, true);
        }
        *result = (ssize_t)octets;
        if ((flags & MSG_PEEK) != 0) {
            /* Another reader may have taken them meanwhile, and the daemon put others in their place. */
            atomic_thread_fence(memory_order_acquire);
            if (atomic_load(&header->consumed) == consumed) {
                return STEP_DONE;
            }
            consumed = atomic_load(&header->consumed);
            continue;
        }
        if (atomic_compare_exchange_strong(&header->consumed, &consumed, consumed + octets)) {
            after_reading(stream, descriptor, consumed, consumed + octets);
            return STEP_DONE;
        }
    }
    *result = 0;
    if (wanted == 0 && atomic_load(&header->received) != consumed) {
        return STEP_DONE;
    }
    if (is_connecting(stream) || !has_end(stream)) {
        return STEP_WAITS;
    }
    /* The end may have come after the look, with octets before it. */
    if (atomic_load(&header->received) != consumed) {
        return receive_step(stream, descriptor, pieces, count, from, flags, result);
    }
    bool tells = from == 0 && (atomic_load(&header->daemon_flags) & PEER_ENDED) == 0;
    int error = tells ? take_error(stream) : 0;
    if (error != 0) {
        errno = error;
        *result = -1;
    }
    return STEP_DONE;
}

/* ---- Sending ---- */

/* Uses a longer ring if the daemon allows it, and the octets that are in the ring lie in the longer one where they do now. */
static void lengthen(struct stream_header *header, uint64_t written) {
    uint32_t used = atomic_load(&header->send_ring), allowed = atomic_load(&header->send_allowed);
    uint64_t sent = atomic_load(&header->sent);
    if (used != allowed && (sent == written || sent % allowed + (written - sent) <= used)) {
        atomic_store(&header->send_ring, allowed);
    }
}

/* Under the write lock. */
static enum step write_locked(struct stream *stream, const struct iovec *pieces, size_t from, size_t total, bool waits, ssize_t *result) {
    struct stream_header *header = stream->header;
    uint64_t written = atomic_load(&header->written);
    if ((written & MOVED) != 0 && has_moved(stream)) {
        return STEP_MOVED;
    }
    *result = 0;
    if (is_connecting(stream)) {
        return STEP_WAITS;
    }
    if (has_ended_sending(stream)) {
        int error = from == 0 ? take_error(stream) : 0;
        errno = error == 0 ? EPIPE : error;
        *result = -1;
        return STEP_DONE;
    }
    lengthen(header, written);
    uint32_t room = room_of(stream);
    size_t octets = total - from < room ? total - from : room;
    if (total - from > room) {
        atomic_fetch_add(&header->fillings, 1);
    }
    /* Several may write records: one that the ring is sure to have room for, once there is some, is not written in parts. */
    bool whole = waits && from == 0 && total <= atomic_load(&header->send_ring) / FREE_PART;
    if (octets == 0 || (whole && octets < total)) {
        return total == from ? STEP_DONE : STEP_WAITS;
    }
    copy_pieces(stream->sending, atomic_load(&header->send_ring), written, octets, pieces, from, false);
    if (!atomic_compare_exchange_strong(&header->written, &written, written + octets)) {
        return STEP_MOVED;
    }
    *result = (ssize_t)octets;
    return STEP_DONE;
}

/*
 * Two calls of rt_sigprocmask(2), some 0.4 us where calls are slow, keep handlers out of the copy. A copy that goes on after a handler
 * writes where others may have written since: the handler itself, which sends at this stream; the child that it has forked, where the
 * copy goes on a second time; or anybody, if it has jumped away and left the lock. So it does not help that a thread may take the lock
 * twice, nor to look at the end who has it. Linux can hold signals off by a call only. The library could put them off in a handler of
 * its own, and would have to stand in for sigaction(2) in each program, for all its handlers, wherever these come from.
 */
enum step send_step(struct stream *stream, const struct iovec *pieces, size_t count, size_t from, bool waits, ssize_t *result) {
    size_t total = octets_of(pieces, count);
    uint64_t signals = block_signals();
    lock_shared(&stream->header->write_lock);
    enum step step = write_locked(stream, pieces, from, total, waits, result);
    int error = errno;
    unlock_shared(&stream->header->write_lock);
    if (step == STEP_DONE && *result > 0) {
        ring(stream->session, stream->section, stream->index);
    }
    restore_signals(signals);
    errno = error;
    return step;
}

/* ---- Ends ---- */

static void change_flags(struct stream *stream, uint32_t removed, uint32_t added) {
    uint64_t signals = block_signals();
    /* No write is in the middle. */
    lock_shared(&stream->header->write_lock);
    atomic_fetch_and(&stream->header->program_flags, ~removed);
    atomic_fetch_or(&stream->header->program_flags, added);
    unlock_shared(&stream->header->write_lock);
    ring(stream->session, stream->section, stream->index);
    restore_signals(signals);
}

static void add_flags(struct stream *stream, uint32_t flags) {
    change_flags(stream, 0, flags);
}

void end_sending(struct stream *stream) {
    add_flags(stream, END_SENDING);
}

void end_receiving(struct stream *stream) {
    add_flags(stream, RECEIVING_ENDED);
}

void abort_at_close(struct stream *stream) {
    add_flags(stream, ABORT_AT_CLOSE);
}

void choose_congestion(struct stream *stream, enum congestion chosen) {
    change_flags(stream, 3U << CONGESTION_SHIFT, (uint32_t)chosen << CONGESTION_SHIFT);
}

void choose_dscp(struct stream *stream, unsigned dscp) {
    change_flags(stream, 127U << DSCP_SHIFT, (dscp + 1) << DSCP_SHIFT);
}

/* Its end at the daemon is open: so somebody has it still. */
static bool is_settled(const struct object *object) {
    const struct stream *stream = (const struct stream *)object;
    return stream->origin == NULL && is_connected(stream) && !has_moved(stream);
}

void lose_stream(struct stream *stream) {
    atomic_store(&stream->header->lost, 1);
}

void note_hangup(struct stream *stream) {
    uint32_t state = state_of(stream);
    if (!has_moved(stream) && (state == CONNECTING_STREAM || state == ESTABLISHED_STREAM)) {
        lose_stream(stream);
    }
}

/* ---- What the kernel says ---- */

void rearm(struct stream *stream, bool again) {
    if (atomic_exchange(&stream->header->armed_in, 1) == 0) {
        atomic_fetch_add(&stream->header->tokens, 1);
    }
    atomic_thread_fence(memory_order_seq_cst);
    if (again && is_readable(stream, 1)) {
        ring(stream->session, stream->section, stream->index);
    }
}

void begin_waiting(struct stream *stream, bool again) {
    atomic_fetch_add(&stream->header->waiters, 1);
    rearm(stream, again);
}

void tell_others(struct stream *stream) {
    if (atomic_load(&stream->header->waiters) > 0) {
        rearm(stream, true);
    }
}

void end_waiting(struct stream *stream) {
    struct stream_header *header = stream->header;
    if (atomic_fetch_sub(&header->waiters, 1) == 1 && atomic_exchange(&header->armed_in, 0) == 1) {
        atomic_fetch_sub(&header->tokens, 1);
        tell_others(stream);  /* who has come meanwhile may have relied on it */
    }
}

/* At its end it is not. */
static bool is_ready(int descriptor, short events) {
    struct pollfd polled = {.fd = descriptor, .events = events};
    return poll(&polled, 1, 0) == 1 && (polled.revents & (events | POLLHUP)) == events;
}

void drain(struct stream *stream, int descriptor) {
    struct stream_header *header = stream->header;
    char octets[8];
    int error = errno;
    bool more = true;
    while (more && (is_sandboxed() ? is_ready(descriptor, POLLIN) && read(descriptor, octets, sizeof octets) > 0
                                   : recv(descriptor, octets, sizeof octets, MSG_DONTWAIT) > 0)) {
        uint32_t left = atomic_load(&header->tokens);
        while (left > 0 && !atomic_compare_exchange_weak(&header->tokens, &left, left - 1)) {
        }
        more = left > 1;
    }
    /* It may have been for somebody who sleeps. */
    tell_others(stream);
    errno = error;
}

void fill(int descriptor, bool full) {
    static const char filler[FILLER_OCTETS];
    int error = errno;
    for (int i = 0; i < (full ? MOST_FILLERS : 1); i++) {
        ssize_t sent = !is_sandboxed()          ? send(descriptor, filler, sizeof filler, MSG_DONTWAIT | MSG_NOSIGNAL)
            : is_ready(descriptor, POLLOUT) ? write(descriptor, filler, sizeof filler)
                                            : -1;
        if (sent < 0) {
            break;
        }
    }
    errno = error;
}

void arm_out(struct stream *stream, int descriptor, bool full) {
    /* In this order: the daemon may answer at once, for what was asked before. */
    fill(descriptor, full);
    atomic_store(&stream->header->armed_out, 1);
    atomic_thread_fence(memory_order_seq_cst);
    ring(stream->session, stream->section, stream->index);
}

__attribute__((constructor(101))) static void prepare(void) {
    static const struct functions functions = {.size = sizeof(struct stream), .is_settled = is_settled, .forget = forget_stream, .end = end_stream};
    set_functions(A_STREAM, &functions);
}
