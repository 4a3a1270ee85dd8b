#include "rings.h"

#include <string.h>
#include <sys/socket.h>

#include "error.h"

#define MAGIC "RDDPRING"
#define LAYOUT_VERSION 6
#define HEADER_VERSION 8
#define HEADER_SUBMISSION_SLOTS 12
#define HEADER_COMPLETION_SLOTS 24
#define TAKEN 128
#define READ 256
#define WAITING 384
#define SLEEPING 448
#define SLEEPS 452
#define PROCESSOR 456
#define SLOTS 512
#define SLOT 64
#define MAX_SLOTS (1u << 20)

#define DATA 8
#define DATA_OCTETS (SLOT - DATA)
#define PIECE_OCTETS 24
#define FLAG_LIST 16

/* The first slot of a request. */
struct submission {
    _Atomic uint32_t state;
    uint8_t opcode, flags, slots, pieces;
    uint64_t id;
    uint32_t connection;
    uint32_t local_stag;
    uint64_t local_offset;
    uint64_t length;
    uint32_t remote_stag;
    uint32_t queue;
    uint64_t remote_to;
    uint64_t immediate;
};

/* A further slot: its state word is zero. */
struct further {
    uint64_t state;
    uint8_t data[DATA_OCTETS];
};

struct piece_entry {
    uint32_t stag;
    uint32_t zero;
    uint64_t offset;
    uint64_t length;
};

struct completion_slot {
    _Atomic uint32_t state;
    uint8_t opcode, status, flags, zero;
    uint64_t id;
    uint64_t octets;
    uint32_t connection;
    uint32_t retired;
    uint32_t detail;
    uint32_t stag;
    uint64_t immediate;
    union {
        uint32_t object;
        uint64_t rsvd_ulp;
    };
    uint32_t queue;
    uint32_t msn;
};

_Static_assert(sizeof(struct submission) == SLOT, "a slot");
_Static_assert(sizeof(struct further) == SLOT, "a slot");
_Static_assert(sizeof(struct completion_slot) == SLOT, "a slot");
_Static_assert(sizeof(struct piece_entry) == PIECE_OCTETS, "a piece");

static bool is_ring_size(uint32_t slots) {
    return slots >= 4 && slots <= MAX_SLOTS && (slots & (slots - 1)) == 0;
}

bool find_rings(struct rings *rings, uint8_t *memory, uint64_t length, int signal) {
    uint32_t version, submissions, completions;
    if (length < SLOTS || memcmp(memory, MAGIC, 8) != 0) {
        return false;
    }
    memcpy(&version, memory + HEADER_VERSION, sizeof version);
    memcpy(&submissions, memory + HEADER_SUBMISSION_SLOTS, sizeof submissions);
    memcpy(&completions, memory + HEADER_COMPLETION_SLOTS, sizeof completions);
    if (version != LAYOUT_VERSION || !is_ring_size(submissions) || !is_ring_size(completions)
        || SLOTS + (uint64_t)SLOT * submissions + (uint64_t)SLOT * completions > length) {
        return false;
    }
    memset(rings, 0, sizeof *rings);
    rings->submissions = memory + SLOTS;
    rings->completions = rings->submissions + (uint64_t)SLOT * submissions;
    rings->taken_word = (_Atomic uint64_t *)(memory + TAKEN);
    rings->read_word = (_Atomic uint64_t *)(memory + READ);
    rings->waiting_word = (_Atomic uint32_t *)(memory + WAITING);
    rings->sleeping_word = (_Atomic uint32_t *)(memory + SLEEPING);
    rings->processor_word = (_Atomic uint32_t *)(memory + PROCESSOR);
    rings->daemon_sleeps = *(uint32_t *)(memory + SLEEPS) != 0;
    rings->signal = signal;
    rings->submission_slots = submissions;
    rings->completion_slots = completions;
    rings->submission_shift = (unsigned)__builtin_ctz(submissions);
    rings->completion_shift = (unsigned)__builtin_ctz(completions);
    return true;
}

/* The state word of the entry at a position of a ring of 1 << shift slots. */
static uint32_t lap(uint64_t position, unsigned shift) {
    return (uint32_t)(position >> shift) | 0x80000000u;
}

static uint8_t *submission_slot(const struct rings *rings, uint64_t position) {
    return rings->submissions + (position & (rings->submission_slots - 1)) * SLOT;
}

static bool is_atomic(enum rddp_opcode opcode) {
    return opcode >= RDDP_FETCH_ADD && opcode <= RDDP_COMPARE_SWAP;
}

/* What a request of each opcode may have; other opcodes do not exist. */
static const struct rule {
    uint8_t flags;
    uint8_t pieces;
    uint64_t immediate;  /* its bits */
} RULES[] = {
    [RDDP_RECEIVE] = {RDDP_SIGNALLED, RDDP_MAX_PIECES, 0},
    [RDDP_SEND] = {RDDP_SIGNALLED | RDDP_INLINE | RDDP_FENCED | RDDP_SOLICITED, RDDP_MAX_PIECES, 0},
    [RDDP_WRITE] = {RDDP_SIGNALLED | RDDP_INLINE | RDDP_FENCED, RDDP_MAX_PIECES, 0},
    [RDDP_READ] = {RDDP_SIGNALLED | RDDP_FENCED, 1, 0},
    [RDDP_WRITE_IMMEDIATE] = {RDDP_SIGNALLED | RDDP_INLINE | RDDP_FENCED | RDDP_SOLICITED, RDDP_MAX_PIECES, UINT64_MAX},
    [RDDP_IMMEDIATE] = {RDDP_SIGNALLED | RDDP_FENCED | RDDP_SOLICITED, 0, UINT64_MAX},
    [RDDP_FETCH_ADD] = {RDDP_SIGNALLED | RDDP_FENCED, 1, 0},
    [RDDP_SWAP] = {RDDP_SIGNALLED | RDDP_FENCED, 1, 0},
    [RDDP_COMPARE_SWAP] = {RDDP_SIGNALLED | RDDP_FENCED, 1, 0},
    [RDDP_INVALIDATE] = {RDDP_SIGNALLED | RDDP_FENCED, 0, 0},
    [RDDP_BIND] = {RDDP_SIGNALLED | RDDP_FENCED, 1, UINT64_MAX},
    [RDDP_SEND_WITH_IMMEDIATE] = {RDDP_SIGNALLED | RDDP_INLINE | RDDP_FENCED | RDDP_SOLICITED, RDDP_MAX_PIECES,
        UINT32_MAX},
    [RDDP_SEND_UNTAGGED] = {RDDP_SIGNALLED | RDDP_INLINE, RDDP_MAX_PIECES, 0xffffffffff},
    [RDDP_SEND_TAGGED] = {RDDP_SIGNALLED | RDDP_INLINE, RDDP_MAX_PIECES, 0xff},
    [RDDP_RECEIVE_UNTAGGED] = {RDDP_SIGNALLED, RDDP_MAX_PIECES, 0},
    [RDDP_TAGGED_NOTICE] = {RDDP_SIGNALLED, 0, 0},
};

static const struct rule *rule_of(unsigned opcode) {
    bool known = opcode < sizeof RULES / sizeof RULES[0] && RULES[opcode].flags != 0;
    return known ? &RULES[opcode] : NULL;
}

/* Octets of all pieces, or UINT64_MAX if no message can have them. */
static uint64_t pieces_length(const struct rddp_request *request) {
    uint64_t total = 0;
    uint64_t longest = request->opcode == RDDP_BIND ? INT64_MAX : UINT32_MAX;
    for (unsigned i = 0; i < request->piece_count; i++) {
        const struct rddp_piece *piece = &request->pieces[i];
        if (piece->length > longest || piece->offset > INT64_MAX || total + piece->length > longest) {
            return UINT64_MAX;
        }
        total += piece->length;
    }
    return total;
}

/*
 * Makes the checks that the daemon makes before it looks up connection and memory: a malformed entry would end the
 * session.
 */
static int check(const struct rddp_request *request) {
    const struct rule *rule = rule_of(request->opcode);
    if (rule == NULL) {
        return fail(RDDP_INVALID, "opcode %d: there is no such request", request->opcode);
    }
    if ((request->flags & ~(unsigned)rule->flags) != 0) {
        return fail(RDDP_INVALID, "a request of opcode %d may have the flags 0x%x, not 0x%x", request->opcode,
            rule->flags, request->flags);
    }
    if (rule->immediate != 0 && (request->immediate & ~rule->immediate) != 0) {
        return fail(RDDP_INVALID, "RsvdULP or immediate data 0x%llx has bits beyond 0x%llx", (unsigned long long)request->immediate,
            (unsigned long long)rule->immediate);
    }
    if ((request->flags & RDDP_INLINE) != 0) {
        return request->inline_length <= RDDP_MAX_INLINE
            ? RDDP_OK
            : fail(RDDP_INVALID, "inline message of %u octets, at most %u", request->inline_length, RDDP_MAX_INLINE);
    }
    if (request->piece_count > rule->pieces) {
        return fail(RDDP_INVALID, "%u pieces; a request of opcode %d has at most %u", request->piece_count,
            request->opcode, rule->pieces);
    }
    uint64_t length = pieces_length(request);
    if (length == UINT64_MAX) {
        return fail(RDDP_INVALID, "pieces of more than 2^32 - 1 octets, or with a negative offset");
    }
    if (is_atomic(request->opcode) && length != 8) {
        return fail(RDDP_INVALID, "an atomic needs one piece of 8 octets");
    }
    unsigned rights = RDDP_REMOTE_READ | RDDP_REMOTE_WRITE | RDDP_REMOTE_ATOMIC | RDDP_REMOTE_INVALIDATE;
    if (request->opcode == RDDP_BIND && (request->remote_to & ~(uint64_t)rights) != 0) {
        return fail(RDDP_INVALID, "a window gives rights to the peer only, not 0x%llx",
            (unsigned long long)request->remote_to);
    }
    if (request->opcode == RDDP_BIND && request->queue > UINT8_MAX) {
        return fail(RDDP_INVALID, "the key 0x%x of a window has more than one octet", request->queue);
    }
    return RDDP_OK;
}

#define INLINE_SLOTS(octets) (1 + ((octets) + DATA_OCTETS - 1) / DATA_OCTETS)
_Static_assert(INLINE_SLOTS(RDDP_MAX_INLINE) == MOST_INLINE_SLOTS, "the longest inline message");

unsigned request_slots(const struct rddp_request *request) {
    if (check(request) != RDDP_OK) {
        return 0;
    }
    if ((request->flags & RDDP_INLINE) != 0) {
        return INLINE_SLOTS(request->inline_length);
    }
    if (is_atomic(request->opcode)) {
        return 2;
    }
    return request->piece_count <= 1 ? 1 : 1 + (request->piece_count + 1) / 2;
}

bool has_room(struct rings *rings, unsigned slots) {
    uint64_t retired = atomic_load_explicit(&rings->retired, memory_order_acquire);
    if (atomic_load_explicit(&rings->requests, memory_order_relaxed) - retired >= rings->completion_slots) {
        return false;
    }
    if (rings->posted + slots - rings->taken > rings->submission_slots) {
        uint64_t taken = atomic_load_explicit(rings->taken_word, memory_order_acquire);
        if (taken < rings->taken || taken > rings->posted) {
            atomic_store(&rings->malformed, true);
            return false;
        }
        rings->taken = taken;
    }
    return rings->posted + slots - rings->taken <= rings->submission_slots;
}

static struct further *further_slot(const struct rings *rings, unsigned number) {
    struct further *slot = (struct further *)submission_slot(rings, rings->posted + number);
    /* Data of the previous lap must not look like the state word of a later entry. */
    slot->state = 0;
    return slot;
}

static void write_inline(struct rings *rings, const struct rddp_request *request, unsigned slots) {
    const uint8_t *from = request->inline_data;
    uint32_t left = request->inline_length;
    for (unsigned i = 1; i < slots; i++) {
        uint32_t octets = left < DATA_OCTETS ? left : DATA_OCTETS;
        memcpy(further_slot(rings, i)->data, from, octets);
        from += octets;
        left -= octets;
    }
}

/* Returns the octets of all pieces. */
static uint64_t write_pieces(struct rings *rings, const struct rddp_request *request) {
    uint64_t total = 0;
    struct further *slot = NULL;
    for (unsigned i = 0; i < request->piece_count; i++) {
        const struct rddp_piece *piece = &request->pieces[i];
        if (i % 2 == 0) {
            slot = further_slot(rings, 1 + i / 2);
        }
        struct piece_entry entry = {.stag = piece->stag, .offset = piece->offset, .length = piece->length};
        memcpy(slot->data + i % 2 * PIECE_OCTETS, &entry, sizeof entry);
        total += piece->length;
    }
    return total;
}

/* Call after a request is stored. Sequentially consistent, as request_signal() is: see there. */
static void wake_sleeping_daemon(struct rings *rings) {
    if (atomic_load(rings->sleeping_word) != 0) {
        atomic_store_explicit(rings->sleeping_word, 0, memory_order_relaxed);
        char octet = 0;
        /* It fails if signals are pending or the daemon has ended: neither needs another signal. */
        (void)!send(rings->signal, &octet, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

void submit(struct rings *rings, const struct rddp_request *request, unsigned slots, uint32_t connection,
    uint32_t shared_queue) {
    struct submission *first = (struct submission *)submission_slot(rings, rings->posted);
    uint8_t flags = (uint8_t)request->flags;
    uint8_t pieces = 0;
    uint32_t stag = 0;
    uint64_t offset = 0;
    uint64_t length = 0;
    if ((flags & RDDP_INLINE) != 0) {
        write_inline(rings, request, slots);
        length = request->inline_length;
    } else if (request->piece_count == 1) {
        stag = request->pieces[0].stag;
        offset = request->pieces[0].offset;
        length = request->pieces[0].length;
    } else if (request->piece_count > 1) {
        length = write_pieces(rings, request);
        flags |= FLAG_LIST;
        pieces = (uint8_t)request->piece_count;
    }
    if (is_atomic(request->opcode)) {
        uint64_t operands[] = {request->operand, request->mask, request->compare, request->compare_mask};
        memcpy(further_slot(rings, 1)->data, operands, sizeof operands);
    }
    bool has_queue = request->opcode == RDDP_SEND_UNTAGGED || request->opcode == RDDP_RECEIVE_UNTAGGED
        || request->opcode == RDDP_BIND;
    bool receives = request->opcode == RDDP_RECEIVE || request->opcode == RDDP_RECEIVE_UNTAGGED;
    first->opcode = (uint8_t)request->opcode;
    first->flags = flags;
    first->slots = (uint8_t)slots;
    first->pieces = pieces;
    first->id = request->id;
    first->connection = connection;
    first->local_stag = stag;
    first->local_offset = offset;
    first->length = length;
    first->remote_stag = receives ? shared_queue : request->remote_stag;
    first->queue = has_queue ? request->queue : 0;
    first->remote_to = receives || request->opcode == RDDP_SEND_WITH_IMMEDIATE ? 0 : request->remote_to;
    first->immediate = RULES[request->opcode].immediate != 0 ? request->immediate : 0;
    /*
     * Before the daemon can complete the request: the polling thread compares, and then sees what this thread wrote
     * about the request.
     */
    uint64_t requests = atomic_load_explicit(&rings->requests, memory_order_relaxed);
    atomic_store_explicit(&rings->requests, requests + 1, memory_order_release);
    uint32_t state = lap(rings->posted, rings->submission_shift);
    rings->posted += slots;
    if (rings->daemon_sleeps) {
        atomic_store(&first->state, state);
        wake_sleeping_daemon(rings);
    } else {
        atomic_store_explicit(&first->state, state, memory_order_release);
    }
}

static struct completion_slot *next_completion(const struct rings *rings) {
    return (struct completion_slot *)(rings->completions + (rings->read & (rings->completion_slots - 1)) * SLOT);
}

uint32_t poll_completion(struct rings *rings, struct rddp_completion *completion) {
    struct completion_slot *slot = next_completion(rings);
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != lap(rings->read, rings->completion_shift)) {
        return 0;
    }
    uint32_t retired = slot->retired;
    uint64_t before = atomic_load_explicit(&rings->retired, memory_order_relaxed);
    uint64_t requests = atomic_load_explicit(&rings->requests, memory_order_acquire);
    if (retired < 1 || retired > requests - before) {
        atomic_store(&rings->malformed, true);
        return 0;
    }
    bool plain = slot->opcode >= RDDP_SEND_UNTAGGED;
    completion->id = slot->id;
    completion->octets = slot->octets;
    completion->immediate = slot->immediate;
    completion->connection_number = slot->connection;
    completion->detail = slot->detail;
    completion->stag = slot->stag;
    completion->object = plain ? 0 : slot->object;
    completion->rsvd_ulp = plain ? slot->rsvd_ulp : 0;
    completion->queue = plain ? slot->queue : 0;
    completion->msn = plain ? slot->msn : 0;
    completion->opcode = slot->opcode;
    completion->status = slot->status;
    completion->flags = slot->flags;
    atomic_store_explicit(&rings->retired, before + retired, memory_order_release);
    rings->read++;
    return retired;
}

void publish_read(struct rings *rings) {
    if (rings->published != rings->read) {
        rings->published = rings->read;
        atomic_store_explicit(rings->read_word, rings->read, memory_order_release);
    }
}

bool request_signal(struct rings *rings) {
    /* Sequentially consistent, as at the daemon's end: at least one end sees the other's store. */
    atomic_store(rings->waiting_word, 1);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load(&next_completion(rings)->state) != lap(rings->read, rings->completion_shift);
}
