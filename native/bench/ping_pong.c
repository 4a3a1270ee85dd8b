/*
 * ping_pong.c - a ping-pong of raw frames in C, through the shim: does the same as the benchmark's
 * Java loop over the same ports, to measure the cost of Java.
 *
 * Like the engine over net_ring, each end builds its frame in its own buffer and sends a copy, since
 * the ring would pass on the buffer itself.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "rddp_dpdk.h"

#define HEADER 14  /* octets of an Ethernet header */
#define BURST 32
#define LOOKS 2000000000u /* polls before the other end is considered dead */

int rddp_bench_ping(uint16_t port, void *pool, uint32_t octets, uint32_t warm_up, uint32_t count,
                    uint64_t most, uint64_t *nanoseconds);
int rddp_bench_pong(uint16_t port, void *pool, const int32_t *running);

static struct rddp_mbuf_layout layout;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint8_t *frame(void *mbuf)
{
    uint8_t *buffer;

    memcpy(&buffer, (uint8_t *)mbuf + layout.buf_addr, sizeof buffer);
    return buffer + layout.headroom;
}

static uint32_t length(const void *mbuf)
{
    uint32_t octets;

    memcpy(&octets, (const uint8_t *)mbuf + layout.pkt_len, sizeof octets);
    return octets;
}

static void set_length(void *mbuf, uint32_t octets)
{
    uint16_t here = (uint16_t)octets;

    memcpy((uint8_t *)mbuf + layout.data_len, &here, sizeof here);
    memcpy((uint8_t *)mbuf + layout.pkt_len, &octets, sizeof octets);
}

/* Sends a copy of a frame and frees the frame. */
static int send(uint16_t port, void *pool, void *mbuf)
{
    void *copy = rddp_alloc(pool);

    if (copy == NULL)
        return -ENOMEM;
    memcpy(frame(copy), frame(mbuf), length(mbuf));
    set_length(copy, length(mbuf));
    while (rddp_tx_burst(port, 0, &copy, 1) == 0)
        ;
    rddp_free(mbuf);
    return 0;
}

/* Sends a frame with a number at its beginning and its end, and waits for its return. */
static int round_trip(uint16_t port, void *pool, uint32_t octets)
{
    static uint64_t number;
    uint64_t first, last;
    void *received[BURST], *mbuf = rddp_alloc(pool);
    uint32_t looks;
    int result;

    if (mbuf == NULL)
        return -ENOMEM;
    number++;
    memcpy(frame(mbuf) + HEADER, &number, sizeof number);
    memcpy(frame(mbuf) + HEADER + octets - sizeof number, &number, sizeof number);
    set_length(mbuf, HEADER + octets);
    result = send(port, pool, mbuf);
    if (result < 0)
        return result;
    for (looks = 0; rddp_rx_burst(port, 0, received, BURST) == 0; looks++)
        if (looks == LOOKS)
            return -ETIMEDOUT;
    memcpy(&first, frame(received[0]) + HEADER, sizeof first);
    memcpy(&last, frame(received[0]) + HEADER + octets - sizeof last, sizeof last);
    rddp_free(received[0]);
    return first == number && last == number ? 0 : -EBADMSG;
}

/*
 * Makes up to warm_up round trips that are not counted and up to count that are, for at most most ns
 * each. Returns the number counted.
 */
int rddp_bench_ping(uint16_t port, void *pool, uint32_t octets, uint32_t warm_up, uint32_t count,
                    uint64_t most, uint64_t *nanoseconds)
{
    uint64_t began, end;
    uint32_t i;
    int result;

    rddp_get_mbuf_layout(&layout);
    end = now() + most;
    for (i = 0; i < warm_up && now() < end; i++) {
        result = round_trip(port, pool, octets);
        if (result < 0)
            return result;
    }
    began = now();
    end = began + most;
    for (i = 0; i < count && began < end; i++) {
        began = now();
        result = round_trip(port, pool, octets);
        if (result < 0)
            return result;
        nanoseconds[i] = now() - began;
    }
    return (int)i;
}

/* Answers each frame with a frame of its own until *running is 0. */
int rddp_bench_pong(uint16_t port, void *pool, const int32_t *running)
{
    void *received[BURST];

    rddp_get_mbuf_layout(&layout);
    while (__atomic_load_n(running, __ATOMIC_RELAXED)) {
        uint16_t i, count = rddp_rx_burst(port, 0, received, BURST);

        for (i = 0; i < count; i++) {
            void *mbuf = rddp_alloc(pool);
            int result;

            if (mbuf == NULL)
                return -ENOMEM;
            memcpy(frame(mbuf), frame(received[i]), length(received[i]));
            set_length(mbuf, length(received[i]));
            rddp_free(received[i]);
            result = send(port, pool, mbuf);
            if (result < 0)
                return result;
        }
    }
    return 0;
}
