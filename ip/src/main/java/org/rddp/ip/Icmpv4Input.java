package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Esp;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/**
 * Processes ICMP messages (RFC 792, RFC 1122 section 3.2.2): answers echoes, and passes errors
 * about our packets to the transport.
 *
 * <p>Source quench (RFC 6633), redirects (the gateway is configured) and other requests are
 * ignored.
 */
final class Icmpv4Input {
  /** The least octets of a transport header that an error quotes. */
  private static final int QUOTED_TRANSPORT = 8;

  private final PacketPool pool;
  private final Ipv4Layer layer;
  private final TransportHandler transport;
  private final IpCounters counters;
  private final int mtu;

  /** Null if there is no security policy. */
  private final EspInput esp;

  Icmpv4Input(IpContext context, Ipv4Layer layer) {
    this.layer = layer;
    pool = context.pool;
    transport = context.transport;
    counters = context.counters;
    mtu = context.mtu;
    esp = context.input;
  }

  void onMessage(long message, int length, int source, long senderMac, long packet) {
    if (!Icmpv4.wellFormed(message, length)) {
      counters.checksumErrors++;
      return;
    }
    switch (Icmpv4.type(message)) {
      case Icmpv4.ECHO -> echo(message, length, source, senderMac, packet);
      case Icmpv4.UNREACHABLE, Icmpv4.TIME_EXCEEDED, Icmpv4.PARAMETER_PROBLEM -> {
        counters.icmpErrors++;
        error(message, length);
      }
      default -> counters.icmpIgnored++;
    }
  }

  /**
   * Handles an error that quotes a sealed packet of ours.
   *
   * @return false if the message is none
   */
  boolean quotesSealed(long message, int length, long now) {
    if (!Icmpv4.wellFormed(message, length)
        || Icmpv4.type(message) != Icmpv4.UNREACHABLE
        || !quotesOurs(message, length, Esp.PROTOCOL)) {
      return false;
    }
    long quoted = Icmpv4.quoted(message);
    if (Icmpv4.code(message) == Icmpv4.FRAGMENTATION_NEEDED) {
      int octets = Ipv4.totalLength(quoted);
      int claimed = PathMtus.claimed(Icmpv4.nextHopMtu(message), octets);
      Path path = layer.path(Ipv4.destination(quoted));
      esp.tooBig(path, quoted + Ipv4.headerLength(quoted), claimed, octets, now);
    }
    return true;
  }

  private void echo(long message, int length, int source, long senderMac, long packet) {
    Ipv4Output output = layer.output();
    if (output.room() && !pool.shared(packet) && length + Ipv4.HEADER <= mtu) {
      Icmpv4.reply(message);
      layer
          .path(source)
          .reply(Ipv4.PROTOCOL_ICMP, packet, message, length, Ipv4.NOT_ECT, senderMac);
      counters.echoes++;
    }
  }

  /** Processes an error that quotes the beginning of a TCP packet from us. */
  private void error(long message, int length) {
    if (quotesOurs(message, length, Ipv4.PROTOCOL_TCP)) {
      undelivered(message, Icmpv4.quoted(message));
    }
  }

  /** Whether an error quotes the beginning of a packet from us. */
  private boolean quotesOurs(long message, int length, int protocol) {
    long quoted = Icmpv4.quoted(message);
    int octets = length - Icmpv4.HEADER;
    if (octets < Ipv4.HEADER) {
      return false;
    }
    int headerLength = Ipv4.headerLength(quoted);
    return headerLength >= Ipv4.HEADER
        && octets >= headerLength + QUOTED_TRANSPORT
        && Ipv4.protocol(quoted) == protocol
        && Ipv4.fragmentOffset(quoted) == 0
        && Ipv4.source(quoted) == layer.address()
        && Ipv4Address.unicast(Ipv4.destination(quoted));
  }

  /**
   * Reports to the transport that a packet of ours was not delivered. Time exceeded and parameter
   * problems are soft errors, which TCP detects itself (RFC 5461 section 2.1), and not reported.
   */
  private void undelivered(long message, long quoted) {
    if (Icmpv4.type(message) != Icmpv4.UNREACHABLE) {
      return;
    }
    int code = Icmpv4.code(message);
    Path path = layer.path(Ipv4.destination(quoted));
    long header = quoted + Ipv4.headerLength(quoted);
    int localPort = Tcp.sourcePort(header);
    int remotePort = Tcp.destinationPort(header);
    int sequence = Tcp.sequence(header);
    if (esp != null && !esp.admitsError(path.high(), path.low(), localPort, remotePort)) {
      return;
    }
    if (code != Icmpv4.FRAGMENTATION_NEEDED) {
      transport.onUnreachable(code, path, localPort, remotePort, sequence);
      return;
    }
    int packet = Ipv4.totalLength(quoted);
    int claimed = PathMtus.claimed(Icmpv4.nextHopMtu(message), packet);
    if (claimed < packet && claimed < path.mtu()) {
      transport.onTooBig(path, claimed, localPort, remotePort, sequence);
    }
  }
}
