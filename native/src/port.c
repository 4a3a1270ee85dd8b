/* Ethernet ports: attaching, configuration, start and counters. */
#include "rddp_dpdk.h"

#include <stdbool.h>
#include <string.h>

#include <linux/virtio_net.h>
#include <sys/stat.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_eth_vhost.h>
#include <rte_ethdev.h>
#include <rte_string_fns.h>
#include <rte_vhost.h>

#include "burst.h"
#include "interrupt_thread.h"
#include "removal.h"
#include "result.h"

_Static_assert(RDDP_NAME_SIZE >= RTE_ETH_NAME_MAX_LEN, "names of ports fit");

int rddp_port_next(uint16_t from)
{
    uint16_t port = (uint16_t)rte_eth_find_next(from);
    return port >= RTE_MAX_ETHPORTS ? -ENODEV : port;
}

/*
 * Drivers bind their sockets when a port is attached, configured or started, depending on the driver.
 * Who connects to one can end this process by truncating memory, so between owners_only() and
 * as_before() files are the owner's alone. That holds for all threads; none needs more.
 */
static mode_t owners_only(void)
{
    return umask(S_IRWXG | S_IRWXO);
}

static int as_before(mode_t mask, int result)
{
    umask(mask);
    return result;
}

int rddp_port_attach(const char *device_arguments)
{
    struct rte_dev_iterator iterator;
    uint16_t port;
    mode_t mask = owners_only();
    int error = as_before(mask, rte_dev_probe(device_arguments));
    if (error < 0)
        return error;
    error = rte_eth_iterator_init(&iterator, device_arguments);
    if (error < 0)
        return error;
    port = rte_eth_iterator_next(&iterator);
    if (port == RTE_MAX_ETHPORTS)
        return -ENODEV; /* the iterator is exhausted and has been freed */
    rte_eth_iterator_cleanup(&iterator);
    return port;
}

static int detach(uint16_t port)
{
    struct rte_eth_dev_info info;
    int error = rte_eth_dev_info_get(port, &info);
    if (error < 0)
        return error;
    error = rte_eth_dev_close(port);
    if (error < 0)
        return error;
    return result(rte_dev_remove(info.device));
}

/*
 * Ends a port without a race with its driver's handlers. net_memif's handler for the end of its
 * peer frees, without a lock, what stopping and closing free, so these must run on the handler's
 * thread. net_virtio_user sets an alarm there for a device that may be closed meanwhile. Drivers of
 * cards unregister their handlers first, and some wait for them.
 */
static int end(int (*function)(uint16_t port), uint16_t port)
{
    struct rte_eth_dev_info info;
    int error = rte_eth_dev_info_get(port, &info);
    if (error < 0)
        return error;
    bool virtual = strcmp(rte_bus_name(rte_dev_bus(info.device)), "vdev") == 0;
    return virtual ? rddp_on_interrupt_thread(function, port) : function(port);
}

int rddp_port_detach(uint16_t port)
{
    return end(detach, port);
}

/* DPDK's default if a driver recommends nothing. */
static uint32_t or_else(uint32_t recommended, uint32_t fallback)
{
    return recommended == 0 ? fallback : recommended;
}

static uint64_t in_low_bits(const struct rte_ether_addr *mac)
{
    uint64_t bits = 0;
    for (int i = 0; i < RTE_ETHER_ADDR_LEN; i++)
        bits = bits << 8 | mac->addr_bytes[i];
    return bits;
}

int rddp_port_get_info(uint16_t port, struct rddp_port_info *info)
{
    struct rte_eth_dev_info device;
    struct rte_ether_addr mac;
    int error = rte_eth_dev_info_get(port, &device);
    if (error < 0)
        return error;
    error = rte_eth_macaddr_get(port, &mac);
    if (error < 0)
        return error;
    *info = (struct rddp_port_info) {
        .rx_offloads = device.rx_offload_capa,
        .tx_offloads = device.tx_offload_capa,
        .mac = in_low_bits(&mac),
        .min_mtu = device.min_mtu,
        .max_mtu = device.max_mtu,
        .min_rx_buffer = device.min_rx_bufsize,
        .max_rx_queues = device.max_rx_queues,
        .max_tx_queues = device.max_tx_queues,
        .default_rx_slots = or_else(device.default_rxportconf.ring_size,
                                    RTE_ETH_DEV_FALLBACK_RX_RINGSIZE),
        .default_tx_slots = or_else(device.default_txportconf.ring_size,
                                    RTE_ETH_DEV_FALLBACK_TX_RINGSIZE),
        .rss_tcp = (device.flow_type_rss_offloads & RTE_ETH_RSS_NONFRAG_IPV4_TCP) != 0,
        .rss_tcp_ipv6 = (device.flow_type_rss_offloads & RTE_ETH_RSS_NONFRAG_IPV6_TCP) != 0,
        .rss_key_size = device.hash_key_size,
        .rss_table_size = device.reta_size,
        .socket = rte_eth_dev_socket_id(port),
    };
    strlcpy(info->driver, device.driver_name, sizeof(info->driver));
    return rte_eth_dev_get_name_by_port(port, info->name);
}

const char *rddp_rx_offload_name(uint64_t offload)
{
    return rte_eth_dev_rx_offload_name(offload);
}

const char *rddp_tx_offload_name(uint64_t offload)
{
    return rte_eth_dev_tx_offload_name(offload);
}

/* The keys of all ports: DPDK keeps their addresses, and drivers read them when a port is started. */
static uint8_t rss_keys[RTE_MAX_ETHPORTS][RDDP_RSS_KEY_SIZE];

int rddp_port_configure(uint16_t port, const struct rddp_port_config *config)
{
    struct rte_eth_conf conf = {
        .rxmode.offloads = config->rx_offloads,
        .rxmode.mtu = config->mtu,
        .txmode.offloads = config->tx_offloads,
        .intr_conf.rxq = config->rx_interrupts != 0,
    };
    if (port >= RTE_MAX_ETHPORTS)
        return -ENODEV;
    if (config->rx_queues > UINT16_MAX || config->tx_queues > UINT16_MAX ||
        config->rss_key_size > RDDP_RSS_KEY_SIZE)
        return -EINVAL;
    if (config->rss_tcp) {
        struct rte_eth_dev_info device;
        int error = rte_eth_dev_info_get(port, &device);
        if (error < 0)
            return error;
        memcpy(rss_keys[port], config->rss_key, RDDP_RSS_KEY_SIZE);
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf = (struct rte_eth_rss_conf) {
            .rss_key = config->rss_key_size > 0 ? rss_keys[port] : NULL,
            .rss_key_len = (uint8_t)config->rss_key_size,
            .rss_hf = (RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV6_TCP) &
                      device.flow_type_rss_offloads,
        };
    }
    mode_t mask = owners_only();
    return as_before(mask, rte_eth_dev_configure(port, (uint16_t)config->rx_queues,
                                                 (uint16_t)config->tx_queues, &conf));
}

int rddp_port_adjust_slots(uint16_t port, uint16_t *rx_slots, uint16_t *tx_slots)
{
    return rte_eth_dev_adjust_nb_rx_tx_desc(port, rx_slots, tx_slots);
}

int rddp_port_rx_queue(uint16_t port, uint16_t queue, uint16_t slots, int socket, void *pool)
{
    return rte_eth_rx_queue_setup(port, queue, slots, (unsigned int)socket, NULL, pool);
}

int rddp_port_tx_queue(uint16_t port, uint16_t queue, uint16_t slots, int socket)
{
    return rte_eth_tx_queue_setup(port, queue, slots, (unsigned int)socket, NULL);
}

int rddp_port_start(uint16_t port)
{
    mode_t mask = owners_only();
    return as_before(mask, rte_eth_dev_start(port));
}

int rddp_port_receive_multicast(uint16_t port)
{
    if (rte_eth_allmulticast_enable(port) == 0)
        return 0;
    int error = rte_eth_promiscuous_enable(port);
    /* A driver with neither mode has no filter: virtual devices pass on every frame. */
    return error == -ENOTSUP ? 0 : error;
}

int rddp_port_stop(uint16_t port)
{
    return end(rte_eth_dev_stop, port);
}

int rddp_port_link_up(uint16_t port)
{
    struct rte_eth_link state;
    int error;
    if (rddp_is_wanted_back(port))
        return 0;
    error = rte_eth_link_get_nowait(port, &state);
    return error < 0 ? error : state.link_status == RTE_ETH_LINK_UP;
}

int rddp_port_peer_takes_long(uint16_t port)
{
    const uint64_t wanted = 1ULL << VIRTIO_NET_F_GUEST_CSUM | 1ULL << VIRTIO_NET_F_GUEST_TSO4 |
                            1ULL << VIRTIO_NET_F_GUEST_TSO6;
    uint64_t agreed;
    int device = rte_eth_vhost_get_vid_from_port_id(port);
    return device >= 0 && rte_vhost_get_negotiated_features(device, &agreed) == 0 &&
           (agreed & wanted) == wanted;
}

int rddp_port_get_stats(uint16_t port, struct rddp_port_stats *stats)
{
    struct rte_eth_stats counters;
    int error = rte_eth_stats_get(port, &counters);
    if (error < 0)
        return error;
    *stats = (struct rddp_port_stats) {
        .rx_frames = counters.ipackets,
        .tx_frames = counters.opackets,
        .rx_octets = counters.ibytes,
        .tx_octets = counters.obytes,
        .rx_missed = counters.imissed,
        .rx_errors = counters.ierrors,
        .tx_errors = counters.oerrors + rddp_tx_refused(port),
        .rx_no_buffer = counters.rx_nombuf,
    };
    return 0;
}
