/*
 * Messages that go round between all ranks of Open MPI, and sums of what all have, of every length that is sent in another
 * way: at once, in several pieces, and fetched by RDMA Reads. They arrive in memory that is mapped twice (MAP_SHARED), and
 * each octet is checked where it is mapped second. Prints a line "good" at rank 0.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGEST (4 << 20)
#define ROUNDS 3
#define NUMBERS 100000

static int rank, ranks;

/* What rank `from` sends in a round, at a place of the message. */
static uint8_t octet(int from, int round, int place) {
    return (uint8_t)(place * 31 + place / 251 + from * 7 + round);
}

static void fail(const char *what, int length, int place) {
    fprintf(stderr, "rank %d: wrong %s: length %d, place %d\n", rank, what, length, place);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void pass_round(uint8_t *sent, uint8_t *received, const uint8_t *seen, int length) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < length; i++) {
            sent[i] = octet(rank, round, i);
            received[i] = (uint8_t)~octet(before, round, i);
        }
        MPI_Sendrecv(sent, length, MPI_BYTE, next, round, received, length, MPI_BYTE, before, round, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
        for (int i = 0; i < length; i++) {
            if (seen[i] != octet(before, round, i)) {
                fail("message", length, i);
            }
        }
    }
}

static void add_up(int count) {
    int64_t *own = calloc((size_t)count, sizeof *own), *sums = calloc((size_t)count, sizeof *sums);
    if (own == NULL || sums == NULL) {
        fail("allocation", count, 0);
    }
    for (int i = 0; i < count; i++) {
        own[i] = (int64_t)(rank + 1) * (i + 1);
    }
    MPI_Allreduce(own, sums, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        if (sums[i] != (int64_t)ranks * (ranks + 1) / 2 * (i + 1)) {
            fail("sum", count, i);
        }
    }
    free(own);
    free(sums);
}

int main(int count, char **arguments) {
    /* Before MPI starts: later, libfabric may have replaced the code of mmap(). */
    uint8_t *received = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const uint8_t *seen = mremap(received, 0, LARGEST, MREMAP_MAYMOVE);
    uint8_t *sent = malloc(LARGEST);
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2 || sent == NULL || received == MAP_FAILED || seen == MAP_FAILED) {
        fail("start", ranks, 0);
    }
    for (int length = 1; length <= LARGEST; length *= 4) {
        pass_round(sent, received, seen, length);
    }
    add_up(1);
    add_up(NUMBERS);
    MPI_Barrier(MPI_COMM_WORLD);
    free(sent);
    if (rank == 0) {
        printf("good: %d ranks\n", ranks);
    }
    MPI_Finalize();
    return 0;
}
