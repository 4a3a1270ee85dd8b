package org.rddp.dpdk.device;

import java.util.Set;
import java.util.TreeSet;
import org.rddp.device.Offloads;
import org.rddp.dpdk.EalArguments;
import org.rddp.dpdk.PortInfo;

/**
 * Selects the offloads to use of a port: a network card's offloads for TCP.
 *
 * <p>Virtual devices' offloads are not used: most just omit the checksum and trust a peer in
 * another process, and DPDK's drivers report that to the receiver in different ways.
 *
 * @param receive DPDK's names, for {@link org.rddp.dpdk.PortSettings#receiveOffloads}
 * @param transmit DPDK's names, for {@link org.rddp.dpdk.PortSettings#transmitOffloads}
 * @param offered the device's resulting offloads: bits of {@link Offloads}
 */
public record PortOffloads(Set<String> receive, Set<String> transmit, int offered) {
  /** None. */
  static final PortOffloads NONE = new PortOffloads(Set.of(), Set.of(), Offloads.NONE);

  private static final String IP_CHECKSUM = "IPV4_CKSUM";
  private static final String TCP_CHECKSUM = "TCP_CKSUM";
  private static final String SEGMENTATION = "TCP_TSO";

  /** Selects the offloads of a port. */
  public static PortOffloads of(PortInfo info) {
    if (!EalArguments.isPciAddress(info.name())) {
      return NONE;
    }
    Set<String> receive = new TreeSet<>();
    Set<String> transmit = new TreeSet<>();
    int offered = Offloads.NONE;
    if (info.receiveOffloads().contains(TCP_CHECKSUM)) {
      receive.add(TCP_CHECKSUM);
      offered |= Offloads.VERDICT;
    }
    if (info.transmitOffloads().contains(TCP_CHECKSUM)) {
      transmit.add(TCP_CHECKSUM);
      offered |= Offloads.CHECKSUM;
      if (info.transmitOffloads().containsAll(Set.of(SEGMENTATION, IP_CHECKSUM))) {
        // The device also writes the IP header of each segment.
        transmit.add(SEGMENTATION);
        transmit.add(IP_CHECKSUM);
        offered |= Offloads.SEGMENTATION;
      }
    }
    return new PortOffloads(Set.copyOf(receive), Set.copyOf(transmit), offered);
  }
}
