package org.rddp.tcp;

import org.rddp.ip.IpLayer;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.TcpOptions;

/**
 * Sets the EMSS of connections: by the MSS of both ends, the MTU of the path, and the claims of
 * ICMP messages about it (RFC 1191, RFC 5927 section 7).
 */
final class SegmentSizes {
  /** The least MSS that is accepted: 68 octets for IP, less its header and TCP's. */
  private static final int SMALLEST_MSS = 28;

  private final StackContext context;

  SegmentSizes(StackContext context) {
    this.context = context;
  }

  /** The peer's SYN has told its MSS and the scale of its windows. */
  void negotiated(TcpConnection connection, int theirMss, int windowShift) {
    int mss =
        Math.min(
            IpLayer.mss(connection.remote(), context.ip.linkMtu(connection.remote())), theirMss);
    connection.negotiatedEmss = Math.max(mss, SMALLEST_MSS) - options(connection);
    int emss = emss(connection, context.ip.pathMtu(connection.remote()));
    connection.sender.negotiated(emss, windowShift);
  }

  /** EMSS on a path that carries packets of so many octets. */
  private static int emss(TcpConnection connection, int mtu) {
    int mss = IpLayer.mss(connection.remote(), mtu);
    return Math.min(connection.negotiatedEmss, mss - options(connection));
  }

  /** Octets of TCP options in every segment. */
  static int options(TcpConnection connection) {
    return connection.timestamps ? TcpOptions.TIMESTAMPS_LENGTH : 0;
  }

  /** The path now carries, or may carry, packets of so many octets (RFC 1191 section 6.4). */
  void pathMtu(TcpConnection connection, int mtu) {
    if (connection.negotiatedEmss > 0 && connection.state() != TcpState.TIME_WAIT) {
      int emss = emss(connection, mtu);
      if (emss != connection.sender.emss()) {
        connection.sender.pathEmss(emss);
      }
    }
  }

  /**
   * An ICMP message claims that a segment was too large for its path. It must quote octets in
   * flight. It counts at once if no segment of that size was ever acknowledged; otherwise only when
   * the retransmission timer shows that the segment was lost (RFC 5927 section 7.2).
   */
  void tooBig(TcpConnection connection, int sequence, int mtu) {
    Sender sender = connection.sender;
    long una = sender.una();
    long position = una + SequenceNumber.distance(sender.sequence(una), sequence);
    boolean synchronised = connection.state().synchronised();
    boolean inFlight = synchronised && position >= una && position < sender.max();
    int emss = emss(connection, mtu);
    if (!inFlight || emss >= sender.emss()) {
      context.counters.icmpIgnored++;
    } else if (sender.largestAcknowledged() <= emss) {
      lowerPathMtu(connection.remote(), mtu);
    } else {
      connection.pathMtuClaim = new PathMtuClaim(position, mtu);
    }
  }

  /**
   * The retransmission timer has expired, which confirms a claim about octets still in flight.
   *
   * @return whether EMSS was lowered for it, and the segments that are too long are being sent
   *     again
   */
  boolean applyClaim(TcpConnection connection) {
    PathMtuClaim claim = connection.pathMtuClaim;
    connection.pathMtuClaim = null;
    if (claim == null || claim.position() < connection.sender.una()) {
      return false;
    }
    int before = connection.sender.emss();
    lowerPathMtu(connection.remote(), claim.mtu());
    return connection.sender.emss() < before;
  }

  private void lowerPathMtu(int remote, int mtu) {
    if (mtu < context.ip.pathMtu(remote)) {
      context.ip.lowerPathMtu(remote, mtu, context.now);
      context.counters.pathMtuLowered++;
      pathMtuChanged(remote, context.ip.pathMtu(remote));
    }
  }

  /** The path to a peer carries packets of so many octets (RFC 1191 section 6.1). */
  void pathMtuChanged(int remote, int mtu) {
    for (TcpConnection connection : context.connections.snapshot()) {
      if (connection.remote() == remote) {
        pathMtu(connection, mtu);
      }
    }
  }

  /** A router has told another MTU of the link, for all connections over IPv6. */
  void ipv6LinkMtuChanged() {
    for (TcpConnection connection : context.connections.snapshot()) {
      if (IpLayer.isIpv6(connection.remote())) {
        pathMtu(connection, context.ip.pathMtu(connection.remote()));
      }
    }
  }
}
