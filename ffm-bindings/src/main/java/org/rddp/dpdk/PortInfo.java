package org.rddp.dpdk;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.rddp.dpdk.generated.rddp_port_info;

/**
 * Identity and capabilities of an Ethernet port.
 *
 * @param name of the device, such as {@code net_vhost0} or {@code 0000:03:00.0}
 * @param driver such as {@code net_vhost}
 * @param macAddress in the low 48 bits, the first octet on the wire highest
 * @param minMtu octets of an IP packet
 * @param maxMtu octets of an IP packet; 65535 if the driver does not report it
 * @param minReceiveBuffer least octets of a receive buffer, excluding headroom
 * @param maxReceiveQueues the most receive queues
 * @param maxTransmitQueues the most transmit queues
 * @param defaultReceiveSlots descriptors of a receive queue that the driver, or DPDK, recommends
 * @param defaultTransmitSlots descriptors of a transmit queue that the driver, or DPDK, recommends
 * @param spreadsTcp whether it can distribute TCP over IPv4 over its receive queues (RSS)
 * @param spreadsTcpOverIpv6 whether it can distribute TCP over IPv6
 * @param rssKeyOctets octets of the key of its hash of TCP; 0 if it takes none
 * @param rssTableEntries entries of its table from hashes to queues; 0 if it has none, and queues
 *     cannot be predicted
 * @param socket its NUMA node, or -1
 * @param receiveOffloads DPDK's names, such as {@code SCATTER}
 * @param transmitOffloads DPDK's names, such as {@code MULTI_SEGS}
 */
public record PortInfo(
    String name,
    String driver,
    long macAddress,
    int minMtu,
    int maxMtu,
    int minReceiveBuffer,
    int maxReceiveQueues,
    int maxTransmitQueues,
    int defaultReceiveSlots,
    int defaultTransmitSlots,
    boolean spreadsTcp,
    boolean spreadsTcpOverIpv6,
    int rssKeyOctets,
    int rssTableEntries,
    int socket,
    Set<String> receiveOffloads,
    Set<String> transmitOffloads) {

  static PortInfo of(MemorySegment info) {
    return new PortInfo(
        rddp_port_info.name(info).getString(0),
        rddp_port_info.driver(info).getString(0),
        rddp_port_info.mac(info),
        rddp_port_info.min_mtu(info),
        rddp_port_info.max_mtu(info),
        rddp_port_info.min_rx_buffer(info),
        rddp_port_info.max_rx_queues(info),
        rddp_port_info.max_tx_queues(info),
        rddp_port_info.default_rx_slots(info),
        rddp_port_info.default_tx_slots(info),
        rddp_port_info.rss_tcp(info) != 0,
        rddp_port_info.rss_tcp_ipv6(info) != 0,
        rddp_port_info.rss_key_size(info),
        rddp_port_info.rss_table_size(info),
        rddp_port_info.socket(info),
        OffloadNames.RECEIVE.names(rddp_port_info.rx_offloads(info)),
        OffloadNames.TRANSMIT.names(rddp_port_info.tx_offloads(info)));
  }
}
