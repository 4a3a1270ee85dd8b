package org.rddp.dpdk;

import java.lang.foreign.MemorySegment;
import org.rddp.dpdk.generated.rddp_port_link;

/**
 * The state of an Ethernet port's link.
 *
 * @param up whether frames can pass
 * @param megabitsPerSecond its speed; 4294967295 if unknown
 * @param fullDuplex whether both ends can send at the same time
 */
public record LinkState(boolean up, long megabitsPerSecond, boolean fullDuplex) {

  static LinkState of(MemorySegment link) {
    return new LinkState(
        rddp_port_link.up(link) != 0,
        Integer.toUnsignedLong(rddp_port_link.mbps(link)),
        rddp_port_link.full_duplex(link) != 0);
  }
}
