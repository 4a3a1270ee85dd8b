package org.rddp.dpdk;

import java.lang.foreign.MemorySegment;
import org.rddp.dpdk.generated.rddp_port_stats;

/**
 * What went through an Ethernet port since it started, as the driver counts it.
 *
 * @param framesIn received
 * @param framesOut sent
 * @param octetsIn received
 * @param octetsOut sent
 * @param missed frames that the device dropped because its receive queue was full
 * @param errorsIn frames received damaged
 * @param errorsOut frames that could not be sent
 * @param noBuffer times that there was no packet buffer to receive into
 */
public record PortStatistics(
    long framesIn,
    long framesOut,
    long octetsIn,
    long octetsOut,
    long missed,
    long errorsIn,
    long errorsOut,
    long noBuffer) {

  static PortStatistics of(MemorySegment stats) {
    return new PortStatistics(
        rddp_port_stats.rx_frames(stats),
        rddp_port_stats.tx_frames(stats),
        rddp_port_stats.rx_octets(stats),
        rddp_port_stats.tx_octets(stats),
        rddp_port_stats.rx_missed(stats),
        rddp_port_stats.rx_errors(stats),
        rddp_port_stats.tx_errors(stats),
        rddp_port_stats.rx_no_buffer(stats));
  }
}
