/* How a port distributes received TCP over its queues. */
#include "rddp_dpdk.h"

#include <string.h>

#include <rte_ethdev.h>

int rddp_port_rss_key(uint16_t port, uint8_t *key, uint32_t capacity)
{
    struct rte_eth_dev_info info;
    uint8_t whole[UINT8_MAX];
    struct rte_eth_rss_conf conf = { .rss_key = whole, .rss_key_len = sizeof(whole) };
    int error = rte_eth_dev_info_get(port, &info);
    if (error < 0)
        return error;
    if (info.hash_key_size == 0)
        return -ENOTSUP;
    conf.rss_key_len = info.hash_key_size;
    error = rte_eth_dev_rss_hash_conf_get(port, &conf);
    if (error < 0)
        return error;
    if (capacity > 0)
        memcpy(key, whole, RTE_MIN(capacity, (uint32_t)info.hash_key_size));
    return info.hash_key_size;
}

int rddp_port_rss_table(uint16_t port, uint16_t *queues, uint32_t capacity)
{
    struct rte_eth_dev_info info;
    struct rte_eth_rss_reta_entry64 groups[RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE];
    int error = rte_eth_dev_info_get(port, &info);
    if (error < 0)
        return error;
    if (info.reta_size == 0 || info.reta_size > RTE_ETH_RSS_RETA_SIZE_512)
        return -ENOTSUP;
    memset(groups, 0, sizeof(groups));
    for (uint32_t i = 0; i < RTE_DIM(groups); i++)
        groups[i].mask = UINT64_MAX;
    error = rte_eth_dev_rss_reta_query(port, groups, info.reta_size);
    if (error < 0)
        return error;
    for (uint32_t i = 0; i < RTE_MIN(capacity, (uint32_t)info.reta_size); i++)
        queues[i] = groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
    return info.reta_size;
}
