package org.rddp.dpdk;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Set;

/**
 * Settings of an Ethernet port.
 *
 * @param receiveQueues number of receive queues, at least 1
 * @param transmitQueues number of transmit queues, at least 1
 * @param receiveSlots descriptors of a receive queue, or 0 for the default of driver or DPDK;
 *     adjusted to the range that the driver allows
 * @param transmitSlots descriptors of a transmit queue, likewise
 * @param mtu octets of an IP packet, at least 68; a buffer of the pool must have room for headroom
 *     and 18 octets more, unless {@code SCATTER} is among the receive offloads
 * @param spreadTcp whether to distribute TCP over the receive queues by its four-tuple (RSS)
 * @param interrupts whether received frames must be able to wake a sleeping thread
 * @param receiveOffloads DPDK's names of receive offloads, such as {@code SCATTER}
 * @param transmitOffloads DPDK's names of transmit offloads, such as {@code MULTI_SEGS}
 */
@RecordBuilder
public record PortSettings(
    int receiveQueues,
    int transmitQueues,
    int receiveSlots,
    int transmitSlots,
    int mtu,
    boolean spreadTcp,
    boolean interrupts,
    Set<String> receiveOffloads,
    Set<String> transmitOffloads)
    implements PortSettingsBuilder.With {
  /** One queue each way, MTU 1500, no offloads. */
  public static final PortSettings DEFAULTS =
      new PortSettings(1, 1, 0, 0, 1500, false, false, Set.of(), Set.of());

  /** Checks ranges. */
  public PortSettings {
    if (receiveQueues < 1
        || transmitQueues < 1
        || receiveSlots < 0
        || transmitSlots < 0
        || mtu < 68
        || mtu > 65535) {
      throw new IllegalArgumentException(
          "Out of range: queues "
              + receiveQueues
              + " and "
              + transmitQueues
              + ", receive slots "
              + receiveSlots
              + ", transmit slots "
              + transmitSlots
              + ", MTU "
              + mtu);
    }
    receiveOffloads = Set.copyOf(receiveOffloads);
    transmitOffloads = Set.copyOf(transmitOffloads);
  }

  /** Returns a copy with another number of queues each way. */
  public PortSettings withQueues(int number) {
    return withQueues(number, number);
  }

  /** Returns a copy with other numbers of queues. */
  public PortSettings withQueues(int receive, int transmit) {
    return with().receiveQueues(receive).transmitQueues(transmit).build();
  }

  /** Returns a copy with other numbers of descriptors. */
  public PortSettings withSlots(int receive, int transmit) {
    return with().receiveSlots(receive).transmitSlots(transmit).build();
  }

  /** Returns a copy with other offloads. */
  public PortSettings withOffloads(Set<String> receive, Set<String> transmit) {
    return with().receiveOffloads(receive).transmitOffloads(transmit).build();
  }
}
