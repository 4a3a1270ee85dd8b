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
 * <p>Where long frames are asked for, virtio-user and the cards that complete IPv4's header without
 * being asked get them if they say that they cut: the other end of virtio has agreed to take them.
 * vhost's other end may agree later, or another may come: {@link Offloads#TRAINS}.
 *
 * @param receive DPDK's names, for {@link org.rddp.dpdk.PortSettings#receiveOffloads}
 * @param transmit DPDK's names, for {@link org.rddp.dpdk.PortSettings#transmitOffloads}
 * @param offered the device's resulting offloads: bits of {@link Offloads}
 */
public record PortOffloads(Set<String> receive, Set<String> transmit, int offered) {
  /** None. */
  static final PortOffloads NONE = new PortOffloads(Set.of(), Set.of(), Offloads.NONE);

  /** Those of a port whose frames have virtio headers; its driver is not asked. */
  public static final PortOffloads VIRTIO_HEADERS =
      new PortOffloads(
          Set.of(),
          Set.of(),
          Offloads.VERDICT | Offloads.CHECKSUM | Offloads.SEGMENTATION | Offloads.SUM_WITH_LENGTH);

  private static final String IP_CHECKSUM = "IPV4_CKSUM";
  private static final String TCP_CHECKSUM = "TCP_CKSUM";
  private static final String SEGMENTATION = "TCP_TSO";
  private static final String LONG_RECEIVE = "TCP_LRO";
  private static final String VHOST = "net_vhost";
  private static final String VIRTIO_USER = "net_virtio_user";
  private static final String VIRTIO = "net_virtio";
  private static final String VMXNET3 = "net_vmxnet3";

  /**
   * Selects the offloads of a port.
   *
   * @param longFrames whether frames of several segments are asked for
   */
  public static PortOffloads of(PortInfo info, boolean longFrames) {
    if (!EalArguments.isPciAddress(info.name())) {
      return ofVirtual(info, longFrames);
    }
    Set<String> receive = new TreeSet<>();
    Set<String> transmit = new TreeSet<>();
    int offered = Offloads.NONE;
    if (info.receiveOffloads().contains(TCP_CHECKSUM)) {
      receive.add(TCP_CHECKSUM);
      offered |= Offloads.VERDICT;
      offered |= info.driver().equals(VIRTIO) ? Offloads.INTACT : 0;
    }
    if (info.transmitOffloads().contains(TCP_CHECKSUM)) {
      transmit.add(TCP_CHECKSUM);
      offered |= Offloads.CHECKSUM;
      if (info.transmitOffloads().containsAll(Set.of(SEGMENTATION, IP_CHECKSUM))) {
        // The device also writes the IP header of each segment.
        transmit.add(SEGMENTATION);
        transmit.add(IP_CHECKSUM);
        offered |= Offloads.SEGMENTATION | Offloads.IP_CHECKSUM;
      } else if (longFrames && cutsUnasked(info)) {
        transmit.add(SEGMENTATION);
        offered |= Offloads.SEGMENTATION;
        offered |= info.driver().equals(VIRTIO) ? Offloads.SUM_WITH_LENGTH : 0;
      }
    }
    return new PortOffloads(Set.copyOf(receive), Set.copyOf(transmit), offered);
  }

  /** Whether a card completes IPv4's headers of the segments that it cuts, without IPV4_CKSUM. */
  private static boolean cutsUnasked(PortInfo info) {
    return info.transmitOffloads().contains(SEGMENTATION)
        && Set.of(VIRTIO, VMXNET3).contains(info.driver());
  }

  private static PortOffloads ofVirtual(PortInfo info, boolean longFrames) {
    boolean user = info.name().startsWith(VIRTIO_USER);
    // With only one of the two, net_vhost computes in software what the other end omits.
    if ((!user && !info.name().startsWith(VHOST))
        || !info.receiveOffloads().contains(TCP_CHECKSUM)
        || !info.transmitOffloads().contains(TCP_CHECKSUM)) {
      return NONE;
    }
    Set<String> receive = new TreeSet<>(Set.of(TCP_CHECKSUM));
    Set<String> transmit = new TreeSet<>(receive);
    int offered = Offloads.VERDICT | Offloads.INTACT | Offloads.CHECKSUM;
    if (longFrames && !user) {
      offered |= Offloads.TRAINS | Offloads.SUM_WITH_LENGTH;
    } else if (longFrames && info.transmitOffloads().contains(SEGMENTATION)) {
      transmit.add(SEGMENTATION);
      offered |= Offloads.SEGMENTATION | Offloads.SUM_WITH_LENGTH;
      if (info.receiveOffloads().contains(LONG_RECEIVE)) {
        // Without, the other end may send none.
        receive.add(LONG_RECEIVE);
      }
    }
    return new PortOffloads(Set.copyOf(receive), Set.copyOf(transmit), offered);
  }
}
