/* Layouts of the types as compiled, with which the bindings compare theirs. */
#include "rddp_dpdk.h"

#include <stddef.h>

#include <rte_mbuf.h>

#define MEMBER_SIZE(type, member) ((uint32_t)sizeof(((struct type *)0)->member))

/* A struct as a whole. */
#define WHOLE(type) { #type, 0, (uint32_t)sizeof(struct type) }

/* A member of a struct. */
#define MEMBER(type, member) \
    { #type "." #member, (uint32_t)offsetof(struct type, member), MEMBER_SIZE(type, member) }

static const struct rddp_field fields[] = {
    WHOLE(rddp_field),
    MEMBER(rddp_field, name),
    MEMBER(rddp_field, offset),
    MEMBER(rddp_field, size),

    WHOLE(rddp_mbuf_layout),
    MEMBER(rddp_mbuf_layout, size),
    MEMBER(rddp_mbuf_layout, headroom),
    MEMBER(rddp_mbuf_layout, buf_addr),
    MEMBER(rddp_mbuf_layout, data_off),
    MEMBER(rddp_mbuf_layout, refcnt),
    MEMBER(rddp_mbuf_layout, nb_segs),
    MEMBER(rddp_mbuf_layout, ol_flags),
    MEMBER(rddp_mbuf_layout, pkt_len),
    MEMBER(rddp_mbuf_layout, data_len),
    MEMBER(rddp_mbuf_layout, buf_len),
    MEMBER(rddp_mbuf_layout, pool),
    MEMBER(rddp_mbuf_layout, next),
    MEMBER(rddp_mbuf_layout, tx_offload),

    WHOLE(rddp_offload_flags),
    MEMBER(rddp_offload_flags, rx_l4_mask),
    MEMBER(rddp_offload_flags, rx_l4_good),
    MEMBER(rddp_offload_flags, rx_l4_none),
    MEMBER(rddp_offload_flags, rx_l4_bad),
    MEMBER(rddp_offload_flags, tx_ipv4),
    MEMBER(rddp_offload_flags, tx_ipv6),
    MEMBER(rddp_offload_flags, tx_ip_checksum),
    MEMBER(rddp_offload_flags, tx_tcp_checksum),
    MEMBER(rddp_offload_flags, tx_tcp_segment),
    MEMBER(rddp_offload_flags, l2_shift),
    MEMBER(rddp_offload_flags, l3_shift),
    MEMBER(rddp_offload_flags, l4_shift),
    MEMBER(rddp_offload_flags, segment_shift),

    WHOLE(rddp_port_info),
    MEMBER(rddp_port_info, name),
    MEMBER(rddp_port_info, driver),
    MEMBER(rddp_port_info, rx_offloads),
    MEMBER(rddp_port_info, tx_offloads),
    MEMBER(rddp_port_info, mac),
    MEMBER(rddp_port_info, min_mtu),
    MEMBER(rddp_port_info, max_mtu),
    MEMBER(rddp_port_info, min_rx_buffer),
    MEMBER(rddp_port_info, max_rx_queues),
    MEMBER(rddp_port_info, max_tx_queues),
    MEMBER(rddp_port_info, default_rx_slots),
    MEMBER(rddp_port_info, default_tx_slots),
    MEMBER(rddp_port_info, rss_tcp),
    MEMBER(rddp_port_info, rss_tcp_ipv6),
    MEMBER(rddp_port_info, rss_key_size),
    MEMBER(rddp_port_info, rss_table_size),
    MEMBER(rddp_port_info, socket),

    WHOLE(rddp_port_config),
    MEMBER(rddp_port_config, rx_offloads),
    MEMBER(rddp_port_config, tx_offloads),
    MEMBER(rddp_port_config, rx_queues),
    MEMBER(rddp_port_config, tx_queues),
    MEMBER(rddp_port_config, mtu),
    MEMBER(rddp_port_config, rx_interrupts),
    MEMBER(rddp_port_config, rss_tcp),
    MEMBER(rddp_port_config, rss_key_size),
    MEMBER(rddp_port_config, rss_key),

    WHOLE(rddp_port_stats),
    MEMBER(rddp_port_stats, rx_frames),
    MEMBER(rddp_port_stats, tx_frames),
    MEMBER(rddp_port_stats, rx_octets),
    MEMBER(rddp_port_stats, tx_octets),
    MEMBER(rddp_port_stats, rx_missed),
    MEMBER(rddp_port_stats, rx_errors),
    MEMBER(rddp_port_stats, tx_errors),
    MEMBER(rddp_port_stats, rx_no_buffer),

    { NULL, 0, 0 },
};

uint32_t rddp_abi(void)
{
    return RDDP_ABI;
}

const struct rddp_field *rddp_fields(void)
{
    return fields;
}

void rddp_get_mbuf_layout(struct rddp_mbuf_layout *layout)
{
    /* The bindings access members with these widths. */
    _Static_assert(MEMBER_SIZE(rte_mbuf, buf_addr) == 8, "buf_addr");
    _Static_assert(MEMBER_SIZE(rte_mbuf, data_off) == 2, "data_off");
    _Static_assert(MEMBER_SIZE(rte_mbuf, refcnt) == 2, "refcnt");
    _Static_assert(MEMBER_SIZE(rte_mbuf, nb_segs) == 2, "nb_segs");
    _Static_assert(MEMBER_SIZE(rte_mbuf, ol_flags) == 8, "ol_flags");
    _Static_assert(MEMBER_SIZE(rte_mbuf, pkt_len) == 4, "pkt_len");
    _Static_assert(MEMBER_SIZE(rte_mbuf, data_len) == 2, "data_len");
    _Static_assert(MEMBER_SIZE(rte_mbuf, buf_len) == 2, "buf_len");
    _Static_assert(MEMBER_SIZE(rte_mbuf, pool) == 8, "pool");
    _Static_assert(MEMBER_SIZE(rte_mbuf, next) == 8, "next");
    _Static_assert(MEMBER_SIZE(rte_mbuf, tx_offload) == 8, "tx_offload");

    *layout = (struct rddp_mbuf_layout) {
        .size = sizeof(struct rte_mbuf),
        .headroom = RTE_PKTMBUF_HEADROOM,
        .buf_addr = offsetof(struct rte_mbuf, buf_addr),
        .data_off = offsetof(struct rte_mbuf, data_off),
        .refcnt = offsetof(struct rte_mbuf, refcnt),
        .nb_segs = offsetof(struct rte_mbuf, nb_segs),
        .ol_flags = offsetof(struct rte_mbuf, ol_flags),
        .pkt_len = offsetof(struct rte_mbuf, pkt_len),
        .data_len = offsetof(struct rte_mbuf, data_len),
        .buf_len = offsetof(struct rte_mbuf, buf_len),
        .pool = offsetof(struct rte_mbuf, pool),
        .next = offsetof(struct rte_mbuf, next),
        .tx_offload = offsetof(struct rte_mbuf, tx_offload),
    };
}

void rddp_get_offload_flags(struct rddp_offload_flags *flags)
{
    *flags = (struct rddp_offload_flags) {
        .rx_l4_mask = RTE_MBUF_F_RX_L4_CKSUM_MASK,
        .rx_l4_good = RTE_MBUF_F_RX_L4_CKSUM_GOOD,
        .rx_l4_none = RTE_MBUF_F_RX_L4_CKSUM_NONE,
        .rx_l4_bad = RTE_MBUF_F_RX_L4_CKSUM_BAD,
        .tx_ipv4 = RTE_MBUF_F_TX_IPV4,
        .tx_ipv6 = RTE_MBUF_F_TX_IPV6,
        .tx_ip_checksum = RTE_MBUF_F_TX_IP_CKSUM,
        .tx_tcp_checksum = RTE_MBUF_F_TX_TCP_CKSUM,
        .tx_tcp_segment = RTE_MBUF_F_TX_TCP_SEG,
        .l2_shift = RTE_MBUF_L2_LEN_OFS,
        .l3_shift = RTE_MBUF_L3_LEN_OFS,
        .l4_shift = RTE_MBUF_L4_LEN_OFS,
        .segment_shift = RTE_MBUF_TSO_SEGSZ_OFS,
    };
}
