/* Functions called once per burst, which are only static inline in DPDK. */
#include "burst.h"
#include "rddp_dpdk.h"

#include <rte_ethdev.h>

/* Frames that each port's driver has refused, counted by the threads of all its queues. */
static _Atomic uint64_t refused[RTE_MAX_ETHPORTS];

uint64_t rddp_tx_refused(uint16_t port)
{
    return refused[port];
}

uint16_t rddp_rx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count)
{
    return rte_eth_rx_burst(port, queue, (struct rte_mbuf **)mbufs, count);
}

uint16_t rddp_tx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count)
{
    struct rte_mbuf **frames = (struct rte_mbuf **)mbufs;
    uint16_t done = 0;
    while (done < count) {
        /* Drivers that need no preparation have no function for it. */
        uint16_t prepared = rte_eth_tx_prepare(port, queue, frames + done, count - done);
        uint16_t sent = rte_eth_tx_burst(port, queue, frames + done, prepared);
        done += sent;
        if (sent < prepared || done == count)
            break;
        rte_pktmbuf_free(frames[done++]);
        refused[port]++;
    }
    return done;
}
