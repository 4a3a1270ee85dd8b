package org.rddp.tcp;

import org.rddp.ip.IpLayer;
import org.rddp.wire.SequenceNumber;

/**
 * How large a connection's segments may be: what both ends agree on, what the path is known to
 * carry, and what ICMP messages claim that it carries (RFC 1191, RFC 5927 section 7).
 */
final class SegmentSizes {
  private final TcpStack stack;

  SegmentSizes(TcpStack stack) {
    this.stack = stack;
  }

  /** The peer's SYN has told the MSS that it takes and how it scales its window. */
  void negotiated(TcpConnection connection, int theirMss, int windowShift) {
    int mss = Math.min(stack.mss(), theirMss);
    connection.negotiatedEmss = Math.max(mss, TcpStack.SMALLEST_MSS) - options(connection);
    int emss = emss(connection, stack.pathMtu(connection.remote()));
    connection.sender.negotiated(emss, windowShift);
  }

  /** EMSS on a path that carries packets of so many octets. */
  private static int emss(TcpConnection connection, int mtu) {
    return Math.min(connection.negotiatedEmss, IpLayer.mss(mtu) - options(connection));
  }

  private static int options(TcpConnection connection) {
    return connection.timestamps ? TcpStack.TIMESTAMP_OCTETS : 0;
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
   * An ICMP message claims that a segment was too large for its path. It must be about octets in
   * flight. If nothing has ever arrived that would contradict it, it is believed at once; otherwise
   * only when the retransmission timer shows that the segment was lost (RFC 5927 section 7.2).
   */
  void tooBig(TcpConnection connection, int sequence, int mtu) {
    Sender sender = connection.sender;
    long una = sender.una();
    long position = una + SequenceNumber.distance(sender.sequence(una), sequence);
    boolean synchronised = connection.state().synchronised();
    boolean inFlight = synchronised && position >= una && position < sender.max();
    int emss = emss(connection, mtu);
    if (!inFlight || emss >= sender.emss()) {
      stack.counters().icmpIgnored++;
    } else if (sender.largestAcknowledged() <= emss) {
      stack.lowerPathMtu(connection.remote(), mtu);
    } else {
      connection.pathMtuClaim = new PathMtuClaim(position, mtu);
    }
  }

  /**
   * The retransmission timer has expired: a claim about what is still in flight has shown itself to
   * be true.
   *
   * @return whether that says why nothing was heard: what is too long is being sent again then
   */
  boolean applyClaim(TcpConnection connection) {
    PathMtuClaim believed = connection.pathMtuClaim;
    connection.pathMtuClaim = null;
    if (believed == null || believed.position() < connection.sender.una()) {
      return false;
    }
    int before = connection.sender.emss();
    stack.lowerPathMtu(connection.remote(), believed.mtu());
    return connection.sender.emss() < before;
  }
}
