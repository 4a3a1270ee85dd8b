/* io_uring with one fixed buffer, one read at a time, by its system calls. */
#ifndef FIXED_BUFFER_H
#define FIXED_BUFFER_H

#include <errno.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"
#include "rddp.h"

#define RING_ENTRIES 2u

struct ring {
    int descriptor;
    struct io_uring_params params;
    uint8_t *queues;  /* both */
    size_t queues_length;
    struct io_uring_sqe *entries;
};

/* False, and says so, where the kernel has no io_uring for this process. */
static inline bool open_ring(struct ring *ring) {
    *ring = (struct ring){.queues = NULL};
    ring->descriptor = (int)syscall(SYS_io_uring_setup, RING_ENTRIES, &ring->params);
    if (ring->descriptor < 0 && (errno == ENOSYS || errno == EPERM)) {
        printf("no io_uring here (%s): its fixed buffers are left out\n", strerror(errno));
        return false;
    }
    CHECK(ring->descriptor >= 0 && (ring->params.features & IORING_FEAT_SINGLE_MMAP) != 0);
    size_t submissions = ring->params.sq_off.array + ring->params.sq_entries * sizeof(uint32_t);
    size_t completions = ring->params.cq_off.cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe);
    ring->queues_length = submissions > completions ? submissions : completions;
    ring->queues = mmap(NULL, ring->queues_length, PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptor,
        IORING_OFF_SQ_RING);
    CHECK(ring->queues != MAP_FAILED);
    ring->entries = mmap(NULL, ring->params.sq_entries * sizeof *ring->entries, PROT_READ | PROT_WRITE, MAP_SHARED,
        ring->descriptor, IORING_OFF_SQES);
    CHECK(ring->entries != MAP_FAILED);
    return true;
}

static inline void close_ring(struct ring *ring) {
    munmap(ring->entries, ring->params.sq_entries * sizeof *ring->entries);
    munmap(ring->queues, ring->queues_length);
    close(ring->descriptor);
}

static inline void fix_buffer(const struct ring *ring, void *address, size_t length) {
    struct iovec buffer = {.iov_base = address, .iov_len = length};
    CHECK(syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_BUFFERS, &buffer, 1) == 0);
}

static inline void unfix_buffer(const struct ring *ring) {
    CHECK(syscall(SYS_io_uring_register, ring->descriptor, IORING_UNREGISTER_BUFFERS, NULL, 0) == 0);
}

static inline uint32_t *ring_word(const struct ring *ring, uint32_t offset) {
    return (uint32_t *)(void *)(ring->queues + offset);
}

static inline int32_t read_once(struct ring *ring, int from, void *to, size_t length, bool by_worker) {
    uint32_t *tail = ring_word(ring, ring->params.sq_off.tail);
    uint32_t at = *tail & (ring->params.sq_entries - 1);
    memset(&ring->entries[at], 0, sizeof ring->entries[at]);
    ring->entries[at].opcode = IORING_OP_READ_FIXED;
    ring->entries[at].flags = by_worker ? IOSQE_ASYNC : 0;
    ring->entries[at].fd = from;
    ring->entries[at].addr = (uintptr_t)to;
    ring->entries[at].len = (uint32_t)length;
    ring_word(ring, ring->params.sq_off.array)[at] = at;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    uint32_t *head = ring_word(ring, ring->params.cq_off.head);
    const uint32_t *end = ring_word(ring, ring->params.cq_off.tail);
    unsigned submitted = 1;
    while (__atomic_load_n(end, __ATOMIC_ACQUIRE) == *head) {
        long result = syscall(SYS_io_uring_enter, ring->descriptor, submitted, 1, IORING_ENTER_GETEVENTS, NULL, 0);
        CHECK(result >= 0 || errno == EINTR);
        submitted -= result > 0 ? (unsigned)result : 0;
    }
    const struct io_uring_cqe *completions = (const void *)(ring->queues + ring->params.cq_off.cqes);
    int32_t result = completions[*head & (ring->params.cq_entries - 1)].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return result;
}

/*
 * Reads octets that are there into the buffer, and waits for it; by a worker of the kernel if wanted. The kernel cancels the read if
 * it cannot make a worker, as when the thread is stopped meanwhile.
 */
static inline void read_fixed(struct ring *ring, int from, void *to, size_t length, bool by_worker) {
    int32_t result = read_once(ring, from, to, length, by_worker);
    while (result == -ECANCELED) {
        result = read_once(ring, from, to, length, by_worker);
    }
    if (result != (int32_t)length) {
        fprintf(stderr, "a read of %zu octets into a fixed buffer came to %d\n", length, result);
    }
    CHECK(result == (int32_t)length);
}

#endif
