package org.rddp.dpdk;

import java.lang.foreign.MemorySegment;
import org.rddp.dpdk.generated.rddp_port_stats;

/**
 * The driver's counters of an Ethernet port since its start.
 *
 * @param framesIn frames received
 * @param framesOut frames transmitted
 * @param octetsIn octets received
 * @param octetsOut octets transmitted
 * @param missed frames that the device dropped because its receive queue was full
 * @param errorsIn frames received damaged
 * @param errorsOut frames that could not be transmitted
 * @param noBuffer failed allocations of a packet buffer for a received frame
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
  /** Nothing has been counted. */
  public static final PortStatistics NONE = new PortStatistics(0, 0, 0, 0, 0, 0, 0, 0);

  /** The sum of this and other counts. */
  public PortStatistics plus(PortStatistics other) {
    return new PortStatistics(
        framesIn + other.framesIn,
        framesOut + other.framesOut,
        octetsIn + other.octetsIn,
        octetsOut + other.octetsOut,
        missed + other.missed,
        errorsIn + other.errorsIn,
        errorsOut + other.errorsOut,
        noBuffer + other.noBuffer);
  }

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
