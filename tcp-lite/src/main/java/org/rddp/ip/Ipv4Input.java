package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Checksum;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;

/** Checks received packets of IPv4 and passes their payload on. */
final class Ipv4Input {
  private final PacketPool pool;
  private final Icmpv4Errors errors;
  private final Icmpv4Input icmp;
  private final Reassembly reassembly;
  private final HandOver handOver;
  private final IpCounters counters;
  private final TransportHandler transport;
  private final Fragment fragment;
  private final int address;
  private final int mask;

  /**
   * Creates the input for packets to one address.
   *
   * @param mask of its network
   */
  Ipv4Input(IpContext context, Icmpv4Errors errors, Icmpv4Input icmp, int address, int mask) {
    this.errors = errors;
    this.icmp = icmp;
    this.address = address;
    this.mask = mask;
    pool = context.pool;
    reassembly = context.reassembly;
    handOver = context.handOver;
    counters = context.counters;
    transport = context.transport;
    fragment = new Fragment(errors);
  }

  /**
   * Processes a packet.
   *
   * @param available octets of the frame from the header on
   * @param looped whether the packet is from ourselves
   */
  void packet(long header, int available, long senderMac, long packet, boolean looped, long now) {
    if (!Ipv4.wellFormed(header, available)) {
      counters.malformed++;
      return;
    }
    if (!Ipv4.intact(header)) {
      counters.checksumErrors++;
      return;
    }
    int source = Ipv4.source(header);
    if (Ipv4.destination(header) != address || !hostAddress(source, looped)) {
      counters.addressErrors++;
      return;
    }
    int protocol = Ipv4.protocol(header);
    if (protocol != Ipv4.PROTOCOL_TCP && protocol != Ipv4.PROTOCOL_ICMP) {
      counters.unknownProtocols++;
      if (Ipv4.fragmentOffset(header) == 0) {
        errors.send(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 0, header, senderMac, now);
      }
    } else if (Ipv4.fragment(header)) {
      fragment(header, senderMac, packet, now);
    } else {
      int headerLength = Ipv4.headerLength(header);
      long payload = header + headerLength;
      int length = Ipv4.totalLength(header) - headerLength;
      payload(protocol, source, senderMac, Ipv4.ecn(header), payload, length, packet);
    }
  }

  private void payload(
      int protocol, int source, long senderMac, int ecn, long payload, int length, long packet) {
    if (protocol == Ipv4.PROTOCOL_TCP) {
      long sum = Checksum.pseudoHeader(address, source, Ipv4.PROTOCOL_TCP, length);
      transport.onDatagram(source, sum, senderMac, ecn, payload, length, packet);
    } else {
      icmp.onMessage(payload, length, source, senderMac, packet);
    }
  }

  private void fragment(long header, long senderMac, long packet, long now) {
    int source = Ipv4.source(header);
    fragment.ipv4(header, senderMac);
    FragmentedDatagram datagram = reassembly.add(fragment, packet, now);
    if (datagram == null) {
      return;
    }
    int protocol = datagram.protocol();
    int ecn = datagram.ecn();
    long whole = reassembly.finish(datagram);
    if (whole == 0) {
      return;
    }
    if (ecn < 0) {
      counters.fragmentsDropped++;
    } else {
      payload(protocol, source, senderMac, ecn, pool.address(whole), pool.length(whole), whole);
    }
    handOver.done(whole);
  }

  /**
   * Whether an address is valid as a source (RFC 1122 section 3.2.1.3): of one host, neither the
   * network nor the broadcast address of the link, and ours only in a packet from ourselves.
   */
  private boolean hostAddress(int source, boolean looped) {
    return Ipv4Address.unicast(source)
        && (source != address || looped)
        && !(onLink(source) && mask < -2 && ((source | mask) == -1 || (source & ~mask) == 0));
  }

  private boolean onLink(int other) {
    return ((other ^ address) & mask) == 0;
  }
}
