package org.rddp.dpdk.device;

import java.util.Set;
import java.util.TreeSet;
import org.rddp.device.Offloads;
import org.rddp.dpdk.EalArguments;
import org.rddp.dpdk.PortInfo;

/**
 * Which of a port's offloads are used: those for TCP, of a network card.
 *
 * <p>Not those of virtual devices. What they call an offload is mostly that a checksum is left out
 * altogether, on the word of a peer in another process, and DPDK's drivers do not agree on how the
 * receiver learns of it.
 *
 * @param receive DPDK's names, as {@link org.rddp.dpdk.PortSettings#receiveOffloads} takes them
 * @param transmit DPDK's names, as {@link org.rddp.dpdk.PortSettings#transmitOffloads} takes them
 * @param offered what the device then does by itself: bits of {@link Offloads}
 */
public record PortOffloads(Set<String> receive, Set<String> transmit, int offered) {
  /** None. */
  static final PortOffloads NONE = new PortOffloads(Set.of(), Set.of(), Offloads.NONE);

  private static final String IP_CHECKSUM = "IPV4_CKSUM";
  private static final String TCP_CHECKSUM = "TCP_CKSUM";
  private static final String SEGMENTATION = "TCP_TSO";

  /** Those of a port. */
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
        // The device writes the IP header of each segment too.
        transmit.add(SEGMENTATION);
        transmit.add(IP_CHECKSUM);
        offered |= Offloads.SEGMENTATION;
      }
    }
    return new PortOffloads(Set.copyOf(receive), Set.copyOf(transmit), offered);
  }
}
