package org.rddp.device;

import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Tcp;
import org.rddp.wire.Toeplitz;
import org.rddp.wire.Vlan;

/**
 * Predicts the receive queue that a device chooses for a frame: by a hash of addresses and ports,
 * and a table from hashes to queues. Frames without ports, such as ARP and fragments, come to queue
 * 0.
 */
public final class FlowSteering {
  private final Toeplitz hash;
  private final int[] queues;

  /**
   * Steers by a table.
   *
   * @param queues the queue for each hash modulo the length, which is a power of two
   */
  public FlowSteering(Toeplitz hash, int[] queues) {
    if (Integer.bitCount(queues.length) != 1) {
      throw new IllegalArgumentException(queues.length + " entries are no power of two");
    }
    this.hash = hash;
    this.queues = queues.clone();
  }

  /** A table of 128 entries that gives each queue the same share. */
  public static int[] evenTable(int queues) {
    int[] table = new int[128];
    for (int i = 0; i < table.length; i++) {
      table[i] = i % queues;
    }
    return table;
  }

  /** Whether the queues of a family can be predicted: for IPv6 only if the key is long enough. */
  public boolean foretells(boolean ipv6) {
    return !ipv6 || hash.hashesIpv6();
  }

  /** The queue of a TCP segment, by the addresses and ports as its header has them. */
  public int queue(int source, int destination, int sourcePort, int destinationPort) {
    return queues[hash.hash(source, destination, sourcePort, destinationPort) & queues.length - 1];
  }

  /** The queue of a TCP segment over IPv6; 0 if the key is too short for it. */
  public int queue(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort) {
    if (!hash.hashesIpv6()) {
      return 0;
    }
    int value =
        hash.hash(
            sourceHigh, sourceLow, destinationHigh, destinationLow, sourcePort, destinationPort);
    return queues[value & (queues.length - 1)];
  }

  /**
   * The queue of a frame.
   *
   * @param frame address of the frame
   * @param length its octets
   */
  public int queue(long frame, int length) {
    int link = Ethernet.HEADER;
    if (length < link) {
      return 0;
    }
    int type = Ethernet.type(frame);
    if (type == Vlan.TYPE_TAGGED && Vlan.wellFormed(length)) {
      link = Vlan.HEADER;
      type = Vlan.type(frame);
    }
    long packet = frame + link;
    if (type == Ethernet.TYPE_IPV6) {
      return ipv6(packet, length - link);
    }
    if (type != Ethernet.TYPE_IPV4
        || !Ipv4.wellFormed(packet, length - link)
        || Ipv4.protocol(packet) != Ipv4.PROTOCOL_TCP
        || Ipv4.fragment(packet)
        || Ipv4.totalLength(packet) < Ipv4.headerLength(packet) + Tcp.HEADER) {
      return 0;
    }
    long segment = packet + Ipv4.headerLength(packet);
    return queue(
        Ipv4.source(packet),
        Ipv4.destination(packet),
        Tcp.sourcePort(segment),
        Tcp.destinationPort(segment));
  }

  private int ipv6(long packet, int available) {
    if (!Ipv6.wellFormed(packet, available)
        || Ipv6.nextHeader(packet) != Ipv4.PROTOCOL_TCP
        || Ipv6.payloadLength(packet) < Tcp.HEADER) {
      return 0;
    }
    long segment = packet + Ipv6.HEADER;
    return queue(
        Ipv6.sourceHigh(packet),
        Ipv6.sourceLow(packet),
        Ipv6.destinationHigh(packet),
        Ipv6.destinationLow(packet),
        Tcp.sourcePort(segment),
        Tcp.destinationPort(segment));
  }
}
