package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;

/**
 * Writes IPv6 headers in front of payloads and passes the packets to the link, to Neighbour
 * Discovery to wait, or to ourselves.
 */
final class Ipv6Output {
  private final EthernetLink link;
  private final LocalAddresses addresses;
  private final Loop loop;
  private final PacketPool pool;
  private final IpCounters counters;

  Ipv6Output(EthernetLink link, LocalAddresses addresses, Loop loop, IpCounters counters) {
    this.link = link;
    this.addresses = addresses;
    this.loop = loop;
    this.counters = counters;
    pool = link.pool();
  }

  boolean room() {
    return link.room();
  }

  /**
   * Like {@link Path#send}. Drops the packet while our address is being checked for duplicates, or
   * if there is no router.
   *
   * @param neighbour the next hop; null if there is none
   */
  void send(
      Neighbours neighbours,
      Neighbour neighbour,
      Ipv6Path path,
      int protocol,
      long packet,
      long payload,
      int length,
      int trafficClass,
      long now) {
    if (neighbour == null || !addresses.usable(path.local)) {
      pool.release(packet);
      counters.unresolved++;
      return;
    }
    long header = writeHeader(path, payload, length, protocol, trafficClass);
    int total = length + Ipv6.HEADER;
    if (now >= neighbour.confirmAt) {
      neighbours.refresh(neighbour, now);
    }
    if (neighbour.resolved()) {
      link.send(packet, header, total, neighbour.macAddress, Ethernet.TYPE_IPV6);
    } else if (path.toUs()) {
      loop.send(packet, header, total, Ethernet.TYPE_IPV6);
    } else {
      pool.window(packet, header, total);
      neighbours.hold(neighbour, packet, now);
    }
  }

  /** Writes a header in front of a payload; returns its address. */
  static long writeHeader(Ipv6Path path, long payload, int length, int protocol, int trafficClass) {
    long header = payload - Ipv6.HEADER;
    int label = path.flowLabel(Memory.getInt(payload));
    Ipv6.write(
        header,
        length,
        protocol,
        Ipv6.HOPS,
        trafficClass,
        label,
        path.localHigh,
        path.localLow,
        path.high,
        path.low);
    return header;
  }

  /** See {@link Path#reply}. */
  void reply(
      Ipv6Path path,
      long packet,
      long payload,
      int length,
      int protocol,
      int trafficClass,
      long macAddress) {
    long header = writeHeader(path, payload, length, protocol, trafficClass);
    pool.retain(packet);
    if (path.toUs()) {
      loop.send(packet, header, length + Ipv6.HEADER, Ethernet.TYPE_IPV6);
    } else {
      link.send(packet, header, length + Ipv6.HEADER, macAddress, Ethernet.TYPE_IPV6);
    }
  }

  /**
   * Allocates a packet for a message of Neighbour Discovery or MLD; returns 0, and counts it, if
   * the pool is empty.
   */
  long allocate() {
    long packet = link.room() ? pool.allocate() : 0;
    if (packet == 0) {
      counters.exhausted++;
    }
    return packet;
  }

  /**
   * Completes an ICMPv6 message that is not forwarded, and sends it. Takes over the packet.
   *
   * @param options octets of hop-by-hop options between the IPv6 header and the message
   * @param hops the hop limit
   */
  void send(
      long packet,
      long message,
      int length,
      int options,
      int hops,
      Ipv6Address source,
      Ipv6Address destination,
      long macAddress) {
    long sum =
        Checksum.pseudoHeader(
            source.high(),
            source.low(),
            destination.high(),
            destination.low(),
            Ipv6.ICMPV6,
            length);
    Icmpv6.complete(message, length, sum);
    long header = message - options - Ipv6.HEADER;
    Ipv6.write(
        header,
        options + length,
        options == 0 ? Ipv6.ICMPV6 : Ipv6.HOP_BY_HOP,
        hops,
        Ipv4.NOT_ECT,
        0,
        source.high(),
        source.low(),
        destination.high(),
        destination.low());
    int total = Ipv6.HEADER + options + length;
    link.send(packet, header, total, macAddress, Ethernet.TYPE_IPV6);
  }
}
