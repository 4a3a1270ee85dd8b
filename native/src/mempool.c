/* Pools of packet buffers, and the buffers' references. */
#include "rddp_dpdk.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>

#include "result.h"

/*
 * Like rte_pktmbuf_pool_create, but without huge pages buffers may cross pages: no card needs
 * physical addresses then, and a buffer of 2 KiB would otherwise take a page of 4 KiB.
 */
static struct rte_mempool *new_pool(const char *name, uint32_t count, uint32_t cache,
                                    uint16_t priv_size, uint16_t data_room, int socket)
{
    struct rte_pktmbuf_pool_private sizes = {
        .mbuf_data_room_size = data_room,
        .mbuf_priv_size = priv_size,
    };
    unsigned int flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
    struct rte_mempool *pool =
        rte_mempool_create_empty(name, count, sizeof(struct rte_mbuf) + priv_size + data_room,
                                 cache, sizeof(sizes), socket, flags);
    if (pool == NULL)
        return NULL;
    int error = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
    if (error == 0) {
        rte_pktmbuf_pool_init(pool, &sizes);
        error = rte_mempool_populate_default(pool);
    }
    if (error < 0) {
        rte_mempool_free(pool);
        rte_errno = -error;
        return NULL;
    }
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
    return pool;
}

int rddp_mempool_create(const char *name, uint32_t count, uint32_t cache, uint32_t priv_size,
                        uint32_t data_room, int socket, void **pool)
{
    if (priv_size > UINT16_MAX || data_room > UINT16_MAX || priv_size % RTE_MBUF_PRIV_ALIGN != 0)
        return -EINVAL;
    *pool = new_pool(name, count, cache, (uint16_t)priv_size, (uint16_t)data_room, socket);
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
