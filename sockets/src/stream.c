#include "stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "settings.h"
#include "wait.h"

#define MAGIC "RDDPSK01"
#define END 0x10000u        /* of the immediate data: nothing more comes */
#define OCTETS 0x20000u     /* the message has used up a credit */
#define MASK_OF_CREDITS 0xffffu
#define SIGNAL_EVERY 8u
/* Receives are posted again in such groups: each is a request. */
#define POST_EVERY 4u
#define RETRY_NANOS 1000000u
#define ID_OF_SEND UINT64_MAX
#define ID_OF_END (UINT64_MAX - 1)

struct greeting own_greeting(void) {
    struct greeting greeting = {.credits = htonl(CREDITS), .octets = htonl(SLOT_OCTETS)};
    memcpy(greeting.magic, MAGIC, sizeof greeting.magic);
    return greeting;
}

bool read_greeting(struct sock *sock, const struct rddp_connection_info *info) {
    struct greeting greeting;
    if (info->private_length != sizeof greeting || !info->startup.send_immediate) {
        return false;
    }
    memcpy(&greeting, info->private_data, sizeof greeting);
    uint32_t credits = ntohl(greeting.credits), octets = ntohl(greeting.octets);
    if (memcmp(greeting.magic, MAGIC, sizeof greeting.magic) != 0 || credits == 0 || octets == 0) {
        return false;
    }
    /* Each message that is under way has a slot here, too. */
    sock->credits = credits < CREDITS ? credits : CREDITS;
    sock->peer_octets = octets < SLOT_OCTETS ? octets : SLOT_OCTETS;
    sock->local = info->local_ipv6;
    sock->remote = info->remote_ipv6;
    sock->local_port = info->local_port;
    sock->remote_port = info->remote_port;
    return true;
}

/* ---- Receiving ---- */

static bool post_receive(struct sock *sock, uint32_t slot) {
    struct rddp_piece piece = {.stag = sock->buffer->stag, .offset = (uint64_t)slot * SLOT_OCTETS, .length = SLOT_OCTETS};
    struct rddp_request request = {.id = slot, .opcode = RDDP_RECEIVE, .pieces = &piece, .piece_count = 1};
    return rddp_post(sock->connection, &request) == RDDP_OK;
}

static bool post_receives(struct sock *sock) {
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!post_receive(sock, slot)) {
            return false;
        }
    }
    return true;
}

bool attach_stream(struct sock *sock, struct link *link, rddp_connection *connection) {
    if (link->streams >= link->most_streams) {
        sockets_log("%u connections are as many as the session has requests for", link->streams);
        return false;
    }
    sock->buffer = get_buffer(link);
    if (sock->buffer == NULL) {
        return false;
    }
    sock->connection = connection;
    sock->link = link;
    rddp_attach(connection, sock);
    if (!post_receives(sock)) {
        sockets_log("no receives for a connection: %s", rddp_error());
        /* Those that are posted name its memory until the connection has ended: it is not used again. */
        sock->buffer = NULL;
        sock->connection = NULL;
        sock->link = NULL;
        return false;
    }
    sock->next = link->socks;
    link->socks = sock;
    link->streams++;
    sock->references++;
    return true;
}

/* The connection has ended, and nothing is left in the buffer. */
static void leave_link(struct sock *sock) {
    struct sock **at = &sock->link->socks;
    while (*at != sock) {
        at = &(*at)->next;
    }
    *at = sock->next;
    put_buffer(sock->link, sock->buffer);
    sock->buffer = NULL;
    release(sock);
}

void detach_stream(struct sock *sock) {
    sock->link->streams--;
    rddp_forget(sock->connection);
    sock->connection = NULL;
    if (sock->octets == 0) {
        leave_link(sock);
    }
}

void discard_octets(struct sock *sock) {
    sock->octets = sock->count = 0;
    sock->receiving_ended = true;
    if (sock->connection == NULL && sock->buffer != NULL) {
        leave_link(sock);
    }
}

static bool post(struct sock *sock, uint32_t flags, const void *octets, uint32_t length);

static uint64_t retries_at = FOREVER;

static void starve(struct sock *sock) {
    sock->full = true;
    if (retries_at == FOREVER) {
        retries_at = deadline_after(RETRY_NANOS);
    }
}

uint64_t next_retry(void) {
    return retries_at;
}

bool take_retries(void) {
    /* The clock is read only if something waits. */
    if (retries_at == FOREVER || now() < retries_at) {
        return false;
    }
    retries_at = FOREVER;
    return true;
}

/* Posts slots again that are empty, once they are enough or all are wanted, and tells the peer if that is worth a message. */
static void refill(struct sock *sock, bool all) {
    if ((sock->emptied_count < POST_EVERY && !all) || sock->connection == NULL) {
        return;
    }
    while (sock->emptied_count > 0) {
        if (!post_receive(sock, sock->emptied[sock->emptied_count - 1])) {
            starve(sock);
            return;
        }
        sock->emptied_count--;
    }
    sock->owed += sock->emptied_credits;
    sock->emptied_credits = 0;
    if (sock->owed >= RETURN && !sock->failed) {
        post(sock, 0, NULL, 0);
    }
}

static void empty_slot(struct sock *sock, uint32_t slot, bool had_credit) {
    sock->emptied[sock->emptied_count++] = (uint8_t)slot;
    sock->emptied_credits += had_credit;
}

size_t octets_of(const struct iovec *pieces, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += pieces[i].iov_len;
    }
    return total;
}

size_t read_stream(struct sock *sock, const struct iovec *pieces, size_t count, bool keep) {
    size_t taken = 0, piece = 0, at = 0;
    uint32_t index = 0, from = sock->arrived[sock->first].from;
    while (index < sock->count && piece < count) {
        struct arrival *arrival = &sock->arrived[(sock->first + index) % SLOTS];
        size_t left = arrival->end - from, room = pieces[piece].iov_len - at;
        size_t part = left < room ? left : room;
        if (part > 0) {
            memcpy((uint8_t *)pieces[piece].iov_base + at,
                sock->buffer->address + (size_t)arrival->slot * SLOT_OCTETS + from, part);
        }
        taken += part;
        at += part;
        from += (uint32_t)part;
        if (at == pieces[piece].iov_len) {
            piece++;
            at = 0;
        }
        if (!keep) {
            arrival->from = from;
        }
        if (from == arrival->end) {
            from = 0;
            if (keep) {
                index++;
            } else {
                empty_slot(sock, arrival->slot, true);
                sock->first = (sock->first + 1) % SLOTS;
                sock->count--;
            }
            if (index < sock->count) {
                from = sock->arrived[(sock->first + index) % SLOTS].from;
            }
        }
    }
    if (!keep) {
        sock->octets -= taken;
        refill(sock, false);
        if (sock->octets == 0 && sock->connection == NULL && sock->buffer != NULL) {
            leave_link(sock);
        }
    }
    return taken;
}

static void on_message(struct sock *sock, const struct rddp_completion *completion) {
    uint32_t told = (uint32_t)completion->immediate;
    uint32_t credits = told & MASK_OF_CREDITS;
    if (completion->id >= SLOTS || completion->octets > SLOT_OCTETS || (completion->flags & RDDP_OF_SEND) == 0
        || (completion->octets > 0) != ((told & OCTETS) != 0) || sock->credits + credits > CREDITS) {
        sockets_log("the peer of port %u breaks the rules", sock->remote_port);
        end_stream(sock, false);
        return;
    }
    bool could_write = writable(sock);
    sock->credits += credits;
    bool wanted = completion->octets > 0 && !sock->receiving_ended;
    if (wanted) {
        sock->arrived[(sock->first + sock->count) % SLOTS] =
            (struct arrival){.slot = (uint32_t)completion->id, .end = (uint32_t)completion->octets};
        sock->count++;
        sock->octets += completion->octets;
    } else if ((told & OCTETS) == 0) {
        /* At once: the peer has no credit for it that would ever come back. */
        empty_slot(sock, (uint32_t)completion->id, false);
        refill(sock, true);
    } else {
        empty_slot(sock, (uint32_t)completion->id, true);
        refill(sock, false);
    }
    if ((told & END) != 0) {
        sock->peer_ended = true;
    }
    if ((told & (OCTETS | END)) != 0 || (!could_write && writable(sock))) {
        sock_changed(sock);
    }
}

void on_completion(struct sock *sock, const struct rddp_completion *completion) {
    if (completion->opcode == RDDP_RECEIVE) {
        if (completion->status == RDDP_SUCCESS) {
            on_message(sock, completion);
        }
        return;
    }
    if (completion->status == RDDP_SUCCESS && completion->id == ID_OF_END) {
        sock->end_acknowledged = true;
    }
}

static void retry(struct sock *sock) {
    sock->full = false;
    refill(sock, true);
    if (sock->end_owed && !sock->full && !sock->failed) {
        sock->end_owed = !post(sock, END, NULL, 0);
    }
    sock_changed(sock);
}

bool has_room_for_message(struct sock *sock) {
    /* Its own queues have room: SEND_QUEUE is more than CREDITS, and it posts at most SLOTS receives. */
    bool room = has_room(&sock->link->session->rings, MOST_INLINE_SLOTS);
    if (!room) {
        starve(sock);
    }
    return room;
}

void retry_streams(struct link *link) {
    for (struct sock *sock = link->socks; sock != NULL; sock = sock->next) {
        if (sock->full && has_room_for_message(sock)) {
            retry(sock);
        }
    }
}

/* ---- Sending ---- */

static bool post(struct sock *sock, uint32_t flags, const void *octets, uint32_t length) {
    struct rddp_request request = {.id = (flags & END) != 0 ? ID_OF_END : ID_OF_SEND, .opcode = RDDP_SEND_WITH_IMMEDIATE,
        .flags = RDDP_SOLICITED, .immediate = flags | sock->owed};
    struct rddp_piece piece;
    if (length <= RDDP_MAX_INLINE) {
        request.flags |= RDDP_INLINE;
        request.inline_data = octets;
        request.inline_length = length;
    } else {
        piece = (struct rddp_piece){.stag = sock->buffer->stag,
            .offset = (uint64_t)((const uint8_t *)octets - sock->buffer->address), .length = length};
        request.pieces = &piece;
        request.piece_count = 1;
    }
    if ((flags & END) != 0 || sock->unsent_signal + 1 >= SIGNAL_EVERY) {
        request.flags |= RDDP_SIGNALLED;
    }
    if (sock->connection == NULL || rddp_post(sock->connection, &request) != RDDP_OK) {
        starve(sock);
        return false;
    }
    sock->unsent_signal = (request.flags & RDDP_SIGNALLED) != 0 ? 0 : sock->unsent_signal + 1;
    sock->owed = 0;
    return true;
}

bool writable(const struct sock *sock) {
    return sock->stage == STAGE_CONNECTED && (sock->failed || sock->sending_ended || (sock->credits > 0 && !sock->full));
}

bool readable(const struct sock *sock) {
    return sock->octets > 0 || sock->peer_ended || sock->receiving_ended || sock->dead;
}

short stream_events(const struct sock *sock) {
    if (sock->stage == STAGE_CONNECTING) {
        return 0;
    }
    bool ended = sock->peer_ended || sock->receiving_ended;
    int events = readable(sock) ? POLLIN | POLLRDNORM : 0;
    events |= writable(sock) ? POLLOUT | POLLWRNORM : 0;
    events |= ended ? POLLRDHUP : 0;
    events |= (ended && sock->sending_ended) || sock->dead ? POLLHUP : 0;
    events |= sock->error != 0 ? POLLERR : 0;
    return (short)events;
}

/* Copies octets of the pieces, from an offset. */
static void gather(uint8_t *to, const struct iovec *pieces, size_t from, size_t octets) {
    while (from >= pieces->iov_len && octets > 0) {
        from -= pieces->iov_len;
        pieces++;
    }
    while (octets > 0) {
        size_t part = pieces->iov_len - from < octets ? pieces->iov_len - from : octets;
        memcpy(to, (const uint8_t *)pieces->iov_base + from, part);
        to += part;
        octets -= part;
        from = 0;
        pieces++;
    }
}

size_t write_stream(struct sock *sock, const struct iovec *pieces, size_t count, size_t from) {
    size_t total = octets_of(pieces, count), at = from;
    while (at < total && sock->credits > 0 && !sock->full && sock->connection != NULL) {
        size_t part = total - at < sock->peer_octets ? total - at : sock->peer_octets;
        /* The peer has taken the message that was in this slot before, or it would have no room for this one. */
        uint8_t *slot = sock->buffer->address + (size_t)(SLOTS + sock->sent % CREDITS) * SLOT_OCTETS;
        gather(slot, pieces, at, part);
        if (!post(sock, OCTETS, slot, (uint32_t)part)) {
            break;
        }
        sock->sent++;
        sock->credits--;
        at += part;
    }
    return at - from;
}

void end_sending(struct sock *sock) {
    if (sock->sending_ended) {
        return;
    }
    sock->sending_ended = true;
    sock->end_owed = !sock->failed && !post(sock, END, NULL, 0);
}

void end_stream(struct sock *sock, bool graceful) {
    if (sock->connection != NULL && rddp_disconnect(sock->connection, graceful) != RDDP_OK) {
        sockets_log("disconnect: %s", rddp_error());
    }
    sock->failed = true;
}

void abandon_stream(struct sock *sock) {
    discard_octets(sock);
    end_stream(sock, false);
}

void on_end(struct sock *sock, int reason) {
    bool orderly = reason == RDDP_LOCAL_CLOSE || reason == RDDP_PEER_CLOSE || sock->failed || sock->peer_ended;
    if (!orderly && (sock->descriptors > 0 || sock->listens != NULL)) {
        sock->error = reason == RDDP_TIMEOUT ? ETIMEDOUT : ECONNRESET;
        sock->dead = true;
        sockets_log("port %u: the connection has ended: %s", sock->local_port, rddp_reason_name(reason));
    }
    sock->failed = sock->peer_ended = true;
    detach_stream(sock);
    sock_changed(sock);
}
