/* Functions called once per burst, which are only static inline in DPDK. */
#include "rddp_dpdk.h"

#include <rte_ethdev.h>

uint16_t rddp_rx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count)
{
    return rte_eth_rx_burst(port, queue, (struct rte_mbuf **)mbufs, count);
}

uint16_t rddp_tx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count)
{
    return rte_eth_tx_burst(port, queue, (struct rte_mbuf **)mbufs, count);
}
