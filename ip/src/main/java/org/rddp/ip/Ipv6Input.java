package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Esp;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Extensions;
import org.rddp.wire.Tcp;
import org.rddp.wire.Udp;

/** Checks received packets of IPv6 and passes their payload on. */
final class Ipv6Input {
  private final PacketPool pool;
  private final LocalAddresses addresses;
  private final Ipv6Paths paths;
  private final Icmpv6Errors errors;
  private final Icmpv6Input icmp;
  private final Reassembly reassembly;
  private final HandOver handOver;
  private final IpCounters counters;
  private final TransportHandler transport;
  private final Ipv6Extensions headers;
  private final Fragment fragment;

  /** Checks packets by the security policy; null if there is none. */
  private final EspInput esp;

  /** Gets what has come in tunnels. */
  private IpLayer ip;

  Ipv6Input(IpContext context, Ipv6Layer layer, Icmpv6Input icmp) {
    this.icmp = icmp;
    pool = context.pool;
    addresses = layer.addresses();
    paths = layer.paths();
    errors = new Icmpv6Errors(context, layer);
    reassembly = context.reassembly;
    handOver = context.handOver;
    counters = context.counters;
    transport = context.transport;
    fragment = new Fragment(errors);
    esp = context.input;
    headers = new Ipv6Extensions(esp != null);
  }

  /** Sets what gets the packets that come in tunnels. */
  void connect(IpLayer layer) {
    ip = layer;
  }

  /**
   * Processes a packet.
   *
   * @param available octets of the frame from the header on
   * @param alone whether its frame was sent to us alone
   * @param looped whether the packet is from ourselves
   */
  void packet(
      long header,
      int available,
      long senderMac,
      boolean alone,
      long packet,
      boolean looped,
      long now) {
    if (!Ipv6.wellFormed(header, available)) {
      counters.malformed++;
      return;
    }
    long high = Ipv6.sourceHigh(header);
    long low = Ipv6.sourceLow(header);
    int local = addresses.find(Ipv6.destinationHigh(header), Ipv6.destinationLow(header));
    boolean group =
        local < 0 && addresses.listens(Ipv6.destinationHigh(header), Ipv6.destinationLow(header));
    boolean ours = !looped && addresses.find(high, low) >= 0;
    boolean nobody = high == 0 && low == 0;
    if (!(group || (local >= 0 && alone)) || !(nobody || Ipv6Address.unicast(high, low))) {
      counters.addressErrors++;
      return;
    }
    // Only ICMPv6 may come from no address or from us, or go to a group or an address being
    // checked.
    boolean forTransport = !(ours || nobody || group) && addresses.usable(local);
    switch (headers.walk(header)) {
      case PAYLOAD -> {
        if (headers.protocol == Ipv6.ICMPV6) {
          if (esp == null || looped || admitsMessage(header, now)) {
            icmp.onMessage(
                header, headers.payload, headers.length, local, ours, senderMac, packet, now);
          }
        } else if (forTransport) {
          Ipv6Path path = paths.get(high, low, local);
          if (esp == null || looped) {
            segment(path, senderMac, Ipv6.ecn(header), packet);
          } else {
            checked(path, senderMac, Ipv6.ecn(header), packet, now);
          }
        } else {
          counters.addressErrors++;
        }
      }
      case FRAGMENT -> {
        if (forTransport) {
          fragment(header, local, senderMac, packet, now);
        } else {
          counters.addressErrors++;
        }
      }
      case PROBLEM -> problem(header, senderMac, now);
      case PROBLEM_UNLESS_MULTICAST -> {
        if (!group) {
          problem(header, senderMac, now);
        }
      }
      default -> counters.malformed++;
    }
  }

  private void segment(Ipv6Path path, long senderMac, int ecn, long packet) {
    int length = headers.length;
    transport.onDatagram(
        path.number(), path.pseudoHeader(length), senderMac, ecn, headers.payload, length, packet);
  }

  /** Whether the security policy admits a message of ICMPv6 that has come in clear. */
  private boolean admitsMessage(long header, long now) {
    long message = headers.payload;
    int length = headers.length;
    if (Icmpv6Input.isOfLink(message, length)) {
      return true;
    }
    if (icmp.quotesSealed(header, message, length, now)) {
      counters.icmpErrors++;
      return false;
    }
    return esp.admits(
        Ipv6.sourceHigh(header), Ipv6.sourceLow(header), Ipv6.ICMPV6, message, length);
  }

  /** Passes TCP or the payload of ESP on if the security policy admits it. */
  private void checked(Ipv6Path path, long senderMac, int ecn, long packet, long now) {
    if (headers.protocol == Esp.PROTOCOL) {
      if (esp.isForAnother(headers.payload, headers.length)) {
        esp.handOver(path, senderMac, ecn, headers.payload, headers.length, packet);
      } else {
        sealed(path, senderMac, ecn, headers.payload, headers.length, packet, now);
      }
    } else if (headers.protocol == Udp.PROTOCOL) {
      esp.exchange(path.ours(), path.remote(), headers.payload, headers.length);
    } else if (esp.admits(path.high, path.low, headers.protocol, headers.payload, headers.length)) {
      segment(path, senderMac, ecn, packet);
    }
  }

  /** Processes a packet in ESP whose association is this stack's. */
  void sealed(
      Ipv6Path path, long senderMac, int ecn, long payload, int length, long packet, long now) {
    if (esp.open(payload, length, path.localHigh, path.localLow, packet, now)) {
      try {
        opened(path, senderMac, ecn);
      } finally {
        esp.close(packet);
      }
    }
  }

  /** Passes on what was in a sealed packet. */
  private void opened(Ipv6Path path, long senderMac, int ecn) {
    switch (esp.next) {
      case Esp.NEXT_IPV4 -> ip.tunnelledIpv4(esp.payload, esp.length, senderMac, ecn, esp.packet);
      case Esp.NEXT_IPV6 -> ip.tunnelledIpv6(esp.payload, esp.length, senderMac, ecn, esp.packet);
      // Extension headers may be in it, as destination options (RFC 4303 section 3.1.1).
      default -> {
        if (headers.walkFragmentable(esp.next, esp.payload, esp.length)
            == Ipv6Extensions.Outcome.PAYLOAD) {
          inner(path, senderMac, ecn, esp.packet);
        } else {
          esp.malformed();
        }
      }
    }
  }

  /** Passes what the walk through opened headers has found on if that may have come in ESP. */
  private void inner(Ipv6Path path, long senderMac, int ecn, long packet) {
    if (headers.protocol != Ipv4.PROTOCOL_TCP && headers.protocol != Ipv6.ICMPV6) {
      counters.unknownProtocols++;
    } else if (esp.admits(path.high, path.low, headers.protocol, headers.payload, headers.length)) {
      if (headers.protocol == Ipv6.ICMPV6) {
        icmp.onReassembled(headers.payload, headers.length, path, senderMac, packet);
      } else {
        segment(path, senderMac, ecn, packet);
      }
    }
  }

  /**
   * Processes a packet that has come in a tunnel, like {@link #packet}, without answers. It cannot
   * be a fragment.
   */
  void tunnelled(long header, int available, long senderMac, int outerEcn, long packet) {
    if (!Ipv6.wellFormed(header, available)) {
      esp.malformed();
      return;
    }
    long high = Ipv6.sourceHigh(header);
    long low = Ipv6.sourceLow(header);
    int local = addresses.find(Ipv6.destinationHigh(header), Ipv6.destinationLow(header));
    int ecn = EspInput.ecn(Ipv6.ecn(header), outerEcn);
    if (local < 0
        || !addresses.usable(local)
        || !Ipv6Address.unicast(high, low)
        || addresses.find(high, low) >= 0
        || ecn < 0
        || headers.walk(header) != Ipv6Extensions.Outcome.PAYLOAD) {
      esp.malformed();
      return;
    }
    inner(paths.get(high, low, local), senderMac, ecn, packet);
  }

  private void problem(long header, long senderMac, long now) {
    counters.unknownProtocols++;
    int pointer = (int) (headers.pointer - header);
    errors.send(Icmpv6.PARAMETER_PROBLEM, headers.code, pointer, header, senderMac, now);
  }

  private void fragment(long header, int local, long senderMac, long packet, long now) {
    fragment.ipv6(header, headers, local, senderMac);
    if (fragment.more && (fragment.length & 7) != 0) {
      // RFC 8200 section 4.5: the payload length is the problem.
      counters.fragments++;
      counters.fragmentsDropped++;
      errors.send(Icmpv6.PARAMETER_PROBLEM, Icmpv6.WRONG_FIELD, 4, header, senderMac, now);
      return;
    }
    if (fragment.offset == 0 && !holdsAllHeaders()) {
      counters.fragments++;
      counters.fragmentsDropped++;
      return;
    }
    FragmentedDatagram datagram = reassembly.add(fragment, packet, now);
    if (datagram == null) {
      return;
    }
    int next = datagram.protocol();
    int ecn = datagram.ecn();
    Ipv6Path path = paths.get(fragment.sourceHigh, fragment.source, local);
    long whole = reassembly.finish(datagram);
    if (whole == 0) {
      return;
    }
    if (ecn < 0) {
      counters.fragmentsDropped++;
    } else {
      reassembled(next, path, senderMac, ecn, whole, now);
    }
    handOver.done(whole);
  }

  /** Whether a first fragment holds every header, that of the transport included (RFC 7112). */
  private boolean holdsAllHeaders() {
    if (headers.walkFragmentable(fragment.next, fragment.payload, fragment.length)
        != Ipv6Extensions.Outcome.PAYLOAD) {
      return false;
    }
    int least = headers.protocol == Ipv4.PROTOCOL_TCP ? Tcp.HEADER : Icmpv6.HEADER;
    return headers.length >= least;
  }

  private void reassembled(int next, Ipv6Path path, long senderMac, int ecn, long whole, long now) {
    Ipv6Extensions.Outcome outcome =
        headers.walkFragmentable(next, pool.address(whole), pool.length(whole));
    if (outcome != Ipv6Extensions.Outcome.PAYLOAD) {
      counters.malformed++;
    } else if (headers.protocol == Ipv6.ICMPV6) {
      if (esp == null
          || esp.admits(path.high, path.low, Ipv6.ICMPV6, headers.payload, headers.length)) {
        icmp.onReassembled(headers.payload, headers.length, path, senderMac, whole);
      }
    } else if (esp == null) {
      segment(path, senderMac, ecn, whole);
    } else {
      checked(path, senderMac, ecn, whole, now);
    }
  }
}
