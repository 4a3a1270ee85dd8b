/* Pools of packet buffers, and the buffers' references. */
#include "rddp_dpdk.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "result.h"

int rddp_mempool_create(const char *name, uint32_t count, uint32_t cache, uint32_t priv_size,
                        uint32_t data_room, int socket, void **pool)
{
    if (priv_size > UINT16_MAX || data_room > UINT16_MAX)
        return -EINVAL;
    *pool = rte_pktmbuf_pool_create(name, count, cache, (uint16_t)priv_size, (uint16_t)data_room,
                                    socket);
    return *pool == NULL ? failure() : 0;
}

void rddp_mempool_free(void *pool)
{
    rte_mempool_free(pool);
}

uint32_t rddp_mempool_available(const void *pool)
{
    return rte_mempool_avail_count(pool);
}

int rddp_alloc_bulk(void *pool, void **mbufs, uint32_t count)
{
    return rte_pktmbuf_alloc_bulk(pool, (struct rte_mbuf **)mbufs, count);
}

void rddp_free_bulk(void **mbufs, uint32_t count)
{
    rte_pktmbuf_free_bulk((struct rte_mbuf **)mbufs, count);
}

void *rddp_alloc(void *pool)
{
    return rte_pktmbuf_alloc(pool);
}

void rddp_free(void *mbuf)
{
    rte_pktmbuf_free(mbuf);
}

uint32_t rddp_refcnt(const void *mbuf)
{
    return rte_mbuf_refcnt_read(mbuf);
}

uint32_t rddp_refcnt_update(void *mbuf, int32_t change)
{
    return rte_mbuf_refcnt_update(mbuf, (int16_t)change);
}
