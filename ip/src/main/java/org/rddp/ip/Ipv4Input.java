package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Checksum;
import org.rddp.wire.Esp;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Udp;

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

  /** Checks packets by the security policy; null if there is none. */
  private final EspInput esp;

  /** Gets what has come in tunnels. */
  private IpLayer ip;

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
    esp = context.input;
  }

  /** Sets what gets the packets that come in tunnels. */
  void connect(IpLayer layer) {
    ip = layer;
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
    if (protocol != Ipv4.PROTOCOL_TCP && protocol != Ipv4.PROTOCOL_ICMP && !opens(protocol)) {
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
      int ecn = Ipv4.ecn(header);
      if (esp == null || looped) {
        payload(protocol, source, senderMac, ecn, payload, length, packet);
      } else {
        checked(protocol, source, senderMac, ecn, payload, length, packet, now);
      }
    }
  }

  private boolean opens(int protocol) {
    return (protocol == Esp.PROTOCOL || protocol == Udp.PROTOCOL) && esp != null;
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

  /** Passes a payload on if the security policy admits it. */
  private void checked(
      int protocol,
      int source,
      long senderMac,
      int ecn,
      long payload,
      int length,
      long packet,
      long now) {
    long low = AddressPrefix.mapped(source);
    if (protocol == Esp.PROTOCOL) {
      if (esp.isForAnother(payload, length)) {
        esp.handOver(ip.path(source), senderMac, ecn, payload, length, packet);
      } else {
        sealed(source, senderMac, ecn, payload, length, packet, now);
      }
    } else if (protocol == Udp.PROTOCOL) {
      esp.exchange(new Ipv4Address(address), new Ipv4Address(source), payload, length);
    } else if (protocol == Ipv4.PROTOCOL_ICMP && icmp.quotesSealed(payload, length, now)) {
      counters.icmpErrors++;
    } else if (esp.admits(0, low, protocol, payload, length)) {
      payload(protocol, source, senderMac, ecn, payload, length, packet);
    }
  }

  /** Processes a packet in ESP whose association is this stack's. */
  void sealed(
      int source, long senderMac, int ecn, long payload, int length, long packet, long now) {
    if (esp.open(payload, length, 0, AddressPrefix.mapped(address), packet, now)) {
      try {
        opened(source, senderMac, ecn);
      } finally {
        esp.close(packet);
      }
    }
  }

  /** Passes on what was in a sealed packet. */
  private void opened(int source, long senderMac, int ecn) {
    switch (esp.next) {
      case Esp.NEXT_IPV4 -> ip.tunnelledIpv4(esp.payload, esp.length, senderMac, ecn, esp.packet);
      case Esp.NEXT_IPV6 -> ip.tunnelledIpv6(esp.payload, esp.length, senderMac, ecn, esp.packet);
      case Ipv4.PROTOCOL_TCP, Ipv4.PROTOCOL_ICMP -> {
        if (esp.admits(0, AddressPrefix.mapped(source), esp.next, esp.payload, esp.length)) {
          payload(esp.next, source, senderMac, ecn, esp.payload, esp.length, esp.packet);
        }
      }
      default -> counters.unknownProtocols++;
    }
  }

  /** Processes a packet that has come in a tunnel, like {@link #packet}, without answers. */
  void tunnelled(long header, int available, long senderMac, int outerEcn, long packet) {
    if (!Ipv4.wellFormed(header, available)
        || !Ipv4.intact(header)
        || Ipv4.fragment(header)
        || Ipv4.destination(header) != address
        || !hostAddress(Ipv4.source(header), false)) {
      esp.malformed();
      return;
    }
    int protocol = Ipv4.protocol(header);
    int source = Ipv4.source(header);
    long payload = header + Ipv4.headerLength(header);
    int length = Ipv4.totalLength(header) - Ipv4.headerLength(header);
    int ecn = EspInput.ecn(Ipv4.ecn(header), outerEcn);
    if ((protocol != Ipv4.PROTOCOL_TCP && protocol != Ipv4.PROTOCOL_ICMP) || ecn < 0) {
      counters.unknownProtocols++;
    } else if (esp.admits(0, AddressPrefix.mapped(source), protocol, payload, length)) {
      payload(protocol, source, senderMac, ecn, payload, length, packet);
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
    } else if (esp == null) {
      payload(protocol, source, senderMac, ecn, pool.address(whole), pool.length(whole), whole);
    } else {
      checked(
          protocol, source, senderMac, ecn, pool.address(whole), pool.length(whole), whole, now);
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
