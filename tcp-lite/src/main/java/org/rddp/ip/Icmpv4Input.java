package org.rddp.ip;

import org.rddp.device.PacketPool;
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

  Icmpv4Input(IpContext context, Ipv4Layer layer) {
    this.layer = layer;
    pool = context.pool;
    transport = context.transport;
    counters = context.counters;
    mtu = context.mtu;
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

  private void echo(long message, int length, int source, long senderMac, long packet) {
    Ipv4Output output = layer.output();
    if (output.room() && !pool.shared(packet) && length + Ipv4.HEADER <= mtu) {
      Icmpv4.reply(message);
      output.reply(packet, message, length, Ipv4.PROTOCOL_ICMP, source, senderMac);
      counters.echoes++;
    }
  }

  /** Processes an error that quotes the beginning of a TCP packet from us. */
  private void error(long message, int length) {
    long quoted = Icmpv4.quoted(message);
    int octets = length - Icmpv4.HEADER;
    if (octets < Ipv4.HEADER) {
      return;
    }
    int headerLength = Ipv4.headerLength(quoted);
    if (headerLength >= Ipv4.HEADER
        && octets >= headerLength + QUOTED_TRANSPORT
        && Ipv4.protocol(quoted) == Ipv4.PROTOCOL_TCP
        && Ipv4.fragmentOffset(quoted) == 0
        && Ipv4.source(quoted) == layer.address()
        && Ipv4Address.unicast(Ipv4.destination(quoted))) {
      undelivered(message, quoted);
    }
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
