/* Two sessions and a connection between them; the first one, which connects and so may send at once,
 * reads and writes what the second one has registered. */
#ifndef MEMORY_PAIR_H
#define MEMORY_PAIR_H

#include <string.h>

#include "memory/memory.h"
#include "pair.h"

#define PAGE_OCTETS ((size_t)4096)

#define CHECK_ERRNO(expected, call)                                                                                    \
    do {                                                                                                               \
        int error_ = (call);                                                                                           \
        if (error_ != (expected)) {                                                                                    \
            fprintf(stderr, "%s:%d: %s: %s instead of %s: %s\n", __FILE__, __LINE__, #call, strerror(error_),          \
                strerror(expected), rddp_error());                                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline int try_register(struct pair *pair, void *address, size_t length, unsigned access,
    struct memory_registration **registration) {
    struct memory_request request = {.session = pair->two.session, .address = address, .length = length,
        .base = (uintptr_t)address, .access = access};
    return register_memory(&request, registration);
}

static inline struct memory_registration *register_range(struct pair *pair, void *address, size_t length) {
    struct memory_registration *registration;
    CHECK_ERRNO(0, try_register(pair, address, length, ALL_RIGHTS, &registration));
    return registration;
}

static inline void transfer(struct pair *pair, enum rddp_opcode opcode, const struct memory_registration *registration,
    uint64_t offset, uint64_t length) {
    struct rddp_request request = {.flags = RDDP_SIGNALLED, .remote_stag = registration->stag,
        .remote_to = registration->base + offset};
    post(&pair->one, 1, opcode, 0, length, request);
    next_success(&pair->one, opcode, 1);
}

/* The peer reads octets of a registration, at most MEMORY at a time. */
static inline const uint8_t *remote_read(
    struct pair *pair, const struct memory_registration *registration, uint64_t offset, uint64_t length) {
    memset(pair->one.memory, 0xee, length);
    transfer(pair, RDDP_READ, registration, offset, length);
    return pair->one.memory;
}

/* The peer writes an octet again and again, and then knows that it has been placed. */
static inline void remote_fill(
    struct pair *pair, const struct memory_registration *registration, uint64_t offset, uint64_t length, int octet) {
    memset(pair->one.memory, octet, length);
    transfer(pair, RDDP_WRITE, registration, offset, length);
    transfer(pair, RDDP_READ, registration, offset, 1);
}

static inline bool is_filled(const uint8_t *octets, size_t length, int octet) {
    for (size_t i = 0; i < length; i++) {
        if (octets[i] != (uint8_t)octet) {
            return false;
        }
    }
    return true;
}

#endif
