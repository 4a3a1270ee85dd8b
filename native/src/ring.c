/* Rings of pointers, and ports on rings. */
#include "rddp_dpdk.h"

#include <rte_eth_ring.h>
#include <rte_ring.h>

#include "result.h"

int rddp_ring_create(const char *name, uint32_t slots, int socket, int single, void **ring)
{
    *ring = rte_ring_create(name, slots, socket, single ? RING_F_SP_ENQ | RING_F_SC_DEQ : 0);
    return *ring == NULL ? failure() : 0;
}

void rddp_ring_free(void *ring)
{
    rte_ring_free(ring);
}

uint32_t rddp_ring_dequeue(void *ring, void **objects, uint32_t count)
{
    return rte_ring_dequeue_burst(ring, objects, count, NULL);
}

int rddp_port_from_rings(const char *name, void *const *rx_rings, uint32_t rx_count,
                         void *const *tx_rings, uint32_t tx_count, int socket)
{
    return result(rte_eth_from_rings(name, (struct rte_ring *const *)rx_rings, rx_count,
                                     (struct rte_ring *const *)tx_rings, tx_count,
                                     (unsigned int)socket));
}
