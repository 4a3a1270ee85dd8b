/*
 * A table that one program writes, and others read without its help, by RDMA Reads.
 *
 * A Read may overlap a change of the slot, and see some octets from before and some from after. So every slot is a
 * sequence lock: its version is odd while it is changed. A reader reads the version, the value, and the version again;
 * these three Reads are carried out in this order (RFC 5040 section 5.5). The value is whole if both versions are the
 * same even number.
 *
 *   key_value_store serve INTERFACE PORT        reads lines: KEY VALUE
 *   key_value_store get INTERFACE ADDRESS PORT KEY...
 */
#include <pthread.h>
#include <stdatomic.h>

#include "example.h"

#define SLOTS 16
#define VALUE 244

/* A slot of the table: 256 octets. */
struct slot {
    _Atomic uint64_t version;
    uint32_t length;
    char value[VALUE];
};

static rddp_region *table;
static rddp_listener *listener;

static void put(unsigned key, const char *value) {
    struct slot *slot = (struct slot *)rddp_region_address(table) + key;
    size_t length = strnlen(value, VALUE);
    uint64_t version = atomic_load_explicit(&slot->version, memory_order_relaxed);
    atomic_store_explicit(&slot->version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);  /* the odd version is visible before the value changes */
    slot->length = (uint32_t)length;
    memcpy(slot->value, value, length);
    atomic_store_explicit(&slot->version, version + 2, memory_order_release);  /* and the value before the even one */
}

static void *accept_readers(void *argument) {
    (void)argument;
    struct remote_buffer where = announce(table);
    struct peers readers = {.count = 0};
    while (true) {
        accept_peers(&readers, listener, &where, sizeof where, 1000);
        close_ended(&readers);
    }
    return NULL;
}

static void serve(rddp_session *session, const char *port) {
    pthread_t acceptor;
    check(rddp_allocate(session, SLOTS * sizeof(struct slot), RDDP_LOCAL_WRITE | RDDP_REMOTE_READ, &table));
    listener = listen_at(session, port, NULL);
    if (pthread_create(&acceptor, NULL, accept_readers, NULL) != 0) {
        fail("no thread");
    }
    unsigned key;
    char value[VALUE + 1];
    while (scanf("%u %244s", &key, value) == 2) {
        if (key < SLOTS) {
            put(key, value);
        }
    }
    pthread_join(acceptor, NULL);  /* the table stays as it is */
}

/* Where the reader puts what it reads. */
struct copy {
    struct slot slot;
    uint64_t before, after;
};

static void read_part(rddp_connection *server, const rddp_region *memory, size_t at, size_t octets, uint32_t stag,
    uint64_t to, unsigned flags) {
    struct rddp_piece piece = piece_of(memory, at, octets);
    struct rddp_request read = {.opcode = RDDP_READ, .flags = flags, .pieces = &piece, .piece_count = 1,
        .remote_stag = stag, .remote_to = to};
    check(rddp_post(server, &read));
}

static void get(rddp_session *session, rddp_connection *server, const struct remote_buffer *remote, rddp_region *memory,
    unsigned key) {
    uint64_t to = remote->to + key * sizeof(struct slot);
    const struct copy *copy = rddp_region_address(memory);
    do {
        /* Not signalled: the completion of the third Read reports the first two. */
        read_part(server, memory, offsetof(struct copy, before), 8, remote->stag, to, 0);
        read_part(server, memory, offsetof(struct copy, slot), sizeof(struct slot), remote->stag, to, 0);
        read_part(server, memory, offsetof(struct copy, after), 8, remote->stag, to, RDDP_SIGNALLED);
        next_success(session);
    } while (copy->before % 2 != 0 || copy->before != copy->after);
    printf("%.*s\n", (int)copy->slot.length, copy->slot.value);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "serve") == 0) {
        serve(open_session(arguments[2]), arguments[3]);
    }
    if (count < 6 || strcmp(arguments[1], "get") != 0) {
        fail("usage: key_value_store serve INTERFACE PORT | get INTERFACE ADDRESS PORT KEY...");
    }
    rddp_session *session = open_session(arguments[2]);
    rddp_region *memory;
    rddp_connection *server;
    struct rddp_connection_info info;
    check(rddp_allocate(session, sizeof(struct copy), RDDP_LOCAL_WRITE, &memory));
    check(rddp_connect(session, parse_address(arguments[3]), (uint16_t)atoi(arguments[4]), NULL, 0, TIMEOUT_MS, NULL,
        &server, &info));
    struct remote_buffer remote = announced(&info);
    for (int i = 5; i < count; i++) {
        get(session, server, &remote, memory, (unsigned)atoi(arguments[i]) % SLOTS);
    }
    close_connection(server);
    rddp_close(session);
    return 0;
}
