package org.rddp.dpdk.device;

import java.util.Set;
import java.util.TreeSet;
import org.rddp.device.Offloads;
import org.rddp.dpdk.EalArguments;
import org.rddp.dpdk.PortInfo;

/**
 * Selects the offloads to use on a port: those for TCP on a network card; on vhost and virtio-user
 * only the omission of TCP checksums, since their frames do not leave the machine's memory. Other
 * virtual devices' offloads are not used, since their frames do not show which were applied.
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
  private static final String VHOST = "net_vhost";
  private static final String VIRTIO_USER = "net_virtio_user";

  /** Selects the offloads of a port. */
  public static PortOffloads of(PortInfo info) {
    if (!EalArguments.isPciAddress(info.name())) {
      return ofVirtual(info);
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

  private static PortOffloads ofVirtual(PortInfo info) {
    Set<String> checksum = Set.of(TCP_CHECKSUM);
    boolean virtio = info.name().startsWith(VHOST) || info.name().startsWith(VIRTIO_USER);
    // With only one of the two, net_vhost computes in software what the other end omits.
    return virtio
            && info.receiveOffloads().containsAll(checksum)
            && info.transmitOffloads().containsAll(checksum)
        ? new PortOffloads(checksum, checksum, Offloads.VERDICT | Offloads.CHECKSUM)
        : NONE;
  }
}
