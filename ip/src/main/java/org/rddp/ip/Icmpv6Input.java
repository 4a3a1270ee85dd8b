package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Esp;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Tcp;

/**
 * Processes ICMPv6 messages (RFC 4443): answers echoes, passes errors about our packets to the
 * transport, and passes on Neighbour Discovery and MLD.
 */
final class Icmpv6Input {
  /** Octets of the transport header that a quoted packet must have. */
  private static final int QUOTED_TRANSPORT = 8;

  /** The code of {@link TransportHandler#onUnreachable} for errors that may be temporary. */
  private static final int SOFT = 0;

  private final Ipv6Output output;
  private final PacketPool pool;
  private final LocalAddresses addresses;
  private final Ipv6Paths paths;
  private final NeighbourDiscovery discovery;
  private final Ipv6Routes routes;
  private final ListenerReports reports;
  private final TransportHandler transport;
  private final IpCounters counters;

  /** Null if there is no security policy. */
  private final EspInput esp;

  Icmpv6Input(IpContext context, Ipv6Layer layer) {
    output = layer.output();
    addresses = layer.addresses();
    paths = layer.paths();
    discovery = layer.discovery();
    routes = layer.routes();
    reports = layer.reports();
    pool = context.pool;
    transport = context.transport;
    counters = context.counters;
    esp = context.input;
  }

  /**
   * Handles a message of a packet that is not a fragment.
   *
   * @param header IPv6 header
   * @param local which of our addresses it is for; -1 for a group
   * @param ours whether its source is an address of ours, although it came from the link
   */
  void onMessage(
      long header,
      long message,
      int length,
      int local,
      boolean ours,
      long senderMac,
      long packet,
      long now) {
    if (!Icmpv6.wellFormed(message, length, Icmpv6.pseudoHeader(header, length))) {
      counters.checksumErrors++;
      return;
    }
    int type = Icmpv6.type(message);
    if (type >= Icmpv6.ROUTER_SOLICITATION && type <= Icmpv6.REDIRECT) {
      discover(type, header, message, length, senderMac, now);
    } else if (type == Icmpv6.LISTENER_QUERY) {
      query(header);
    } else if (ours || !Ipv6Address.unicast(Ipv6.sourceHigh(header), Ipv6.sourceLow(header))) {
      counters.addressErrors++;
    } else if (type == Icmpv6.ECHO && local >= 0) {
      long high = Ipv6.sourceHigh(header);
      echo(message, length, paths.get(high, Ipv6.sourceLow(header), local), senderMac, packet);
    } else if (Icmpv6.error(message)) {
      counters.icmpErrors++;
      error(message, length);
    } else {
      counters.icmpIgnored++;
    }
  }

  /**
   * Whether a message is of Neighbour Discovery or MLD, which the security policy is not about: it
   * stays on the link, and its hosts need it to find each other.
   */
  static boolean isOfLink(long message, int length) {
    int type = length < Icmpv6.HEADER ? 0 : Icmpv6.type(message);
    return (type >= Icmpv6.LISTENER_QUERY && type <= Icmpv6.REDIRECT)
        || type == Icmpv6.LISTENER_REPORT;
  }

  /**
   * Handles an error that quotes a sealed packet of ours.
   *
   * @return false if the message is none
   */
  boolean quotesSealed(long header, long message, int length, long now) {
    if (!Icmpv6.wellFormed(message, length, Icmpv6.pseudoHeader(header, length))
        || !Icmpv6.error(message)) {
      return false;
    }
    Path path = quotedPath(message, length, Esp.PROTOCOL);
    if (path == null) {
      return false;
    }
    if (Icmpv6.type(message) == Icmpv6.PACKET_TOO_BIG) {
      long quoted = Icmpv6.quoted(message);
      int octets = Ipv6.HEADER + Ipv6.payloadLength(quoted);
      esp.tooBig(path, quoted + Ipv6.HEADER, claimed(Icmpv6.parameter(message)), octets, now);
    }
    return true;
  }

  /**
   * Handles a message that came in fragments or in ESP: of those that hosts of the link exchange
   * none may (RFC 6980), and an error fits into one packet.
   */
  void onReassembled(long message, int length, Ipv6Path path, long senderMac, long packet) {
    if (!Icmpv6.wellFormed(message, length, path.pseudoHeader(Ipv6.ICMPV6, length))) {
      counters.checksumErrors++;
    } else if (Icmpv6.type(message) == Icmpv6.ECHO) {
      echo(message, length, path, senderMac, packet);
    } else if (Icmpv6.error(message) && esp != null && esp.isOpen()) {
      counters.icmpErrors++;
      error(message, length);
    } else {
      counters.icmpIgnored++;
    }
  }

  /**
   * Handles a message of Neighbour Discovery: without hop limit 255 and code 0 it is forged (RFC
   * 4861 sections 6.1 and 7.1).
   */
  private void discover(int type, long header, long message, int length, long senderMac, long now) {
    if (Ipv6.hopLimit(header) != Ipv6.ON_LINK_HOPS || Icmpv6.code(message) != 0) {
      counters.malformed++;
      return;
    }
    switch (type) {
      case Icmpv6.NEIGHBOUR_SOLICITATION ->
          discovery.onSolicitation(header, message, length, senderMac, now);
      case Icmpv6.NEIGHBOUR_ADVERTISEMENT ->
          discovery.onAdvertisement(header, message, length, senderMac, now);
      case Icmpv6.ROUTER_ADVERTISEMENT -> routes.onAdvertisement(header, message, length, now);
      case Icmpv6.REDIRECT -> routes.onRedirect(header, message, length);
      default -> counters.icmpIgnored++;
    }
  }

  /** Handles a query of MLD: only a router of the link may ask (RFC 3810 section 6.2). */
  private void query(long header) {
    if (Ipv6.hopLimit(header) == 1 && Ipv6Address.linkLocal(Ipv6.sourceHigh(header))) {
      reports.onQuery();
    } else {
      counters.malformed++;
    }
  }

  private void echo(long message, int length, Ipv6Path path, long senderMac, long packet) {
    if (output.room()
        && !pool.shared(packet)
        && length + Ipv6.HEADER <= path.linkMtu()
        && addresses.usable(path.local)) {
      Icmpv6.reply(message);
      path.reply(Ipv6.ICMPV6, packet, message, length, Ipv4.NOT_ECT, senderMac);
      counters.echoes++;
    }
  }

  /** Processes an error that quotes the beginning of a TCP packet from us. */
  private void error(long message, int length) {
    Path path = quotedPath(message, length, Ipv4.PROTOCOL_TCP);
    if (path != null) {
      undelivered(message, Icmpv6.quoted(message), path);
    }
  }

  /** The path of the packet from us that an error quotes; null if it quotes another one. */
  private Path quotedPath(long message, int length, int protocol) {
    long quoted = Icmpv6.quoted(message);
    int octets = length - Icmpv6.HEADER;
    if (octets < Ipv6.HEADER + QUOTED_TRANSPORT || Ipv6.nextHeader(quoted) != protocol) {
      return null;
    }
    int local = addresses.find(Ipv6.sourceHigh(quoted), Ipv6.sourceLow(quoted));
    long high = Ipv6.destinationHigh(quoted);
    long low = Ipv6.destinationLow(quoted);
    return local >= 0 && Ipv6Address.unicast(high, low) ? paths.get(high, low, local) : null;
  }

  private void undelivered(long message, long quoted, Path path) {
    long header = quoted + Ipv6.HEADER;
    int localPort = Tcp.sourcePort(header);
    int remotePort = Tcp.destinationPort(header);
    int sequence = Tcp.sequence(header);
    if (esp != null && !esp.admitsError(path.high(), path.low(), localPort, remotePort)) {
      return;
    }
    if (Icmpv6.type(message) == Icmpv6.PACKET_TOO_BIG) {
      int packet = Ipv6.HEADER + Ipv6.payloadLength(quoted);
      int claimed = claimed(Icmpv6.parameter(message));
      if (claimed < packet && claimed < path.mtu()) {
        transport.onTooBig(path, claimed, localPort, remotePort, sequence);
      }
    } else {
      transport.onUnreachable(code(message), path, localPort, remotePort, sequence);
    }
  }

  /** The MTU that a message claims, at least 1280 (RFC 8201 section 4). */
  private static int claimed(int parameter) {
    return parameter < 0 ? Integer.MAX_VALUE : Math.max(parameter, Ipv6.LEAST_MTU);
  }

  /** The IPv4 code of the reason: protocol, port, or {@link #SOFT} (RFC 5461). */
  private static int code(long message) {
    int type = Icmpv6.type(message);
    int code = Icmpv6.code(message);
    if (type == Icmpv6.UNREACHABLE && code == Icmpv6.PORT_UNREACHABLE) {
      return Icmpv4.PORT_UNREACHABLE;
    }
    boolean unknown = type == Icmpv6.PARAMETER_PROBLEM && code == Icmpv6.UNKNOWN_NEXT_HEADER;
    return unknown ? Icmpv4.PROTOCOL_UNREACHABLE : SOFT;
  }
}
