package org.rddp.tcp;

import org.rddp.ip.Path;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * Sets the EMSS of connections: by the MSS of both ends, the MTU of the path, ICMP messages about
 * it (RFC 1191, RFC 5927 section 7), and losses that suggest a black hole (RFC 4821). The values
 * are fields of {@link Sender}, to save an object per connection.
 */
final class SegmentSizes {
  private final StackContext context;

  SegmentSizes(StackContext context) {
    this.context = context;
  }

  /** Sets EMSS and the window scale from the peer's SYN. */
  void negotiated(TcpConnection connection, int theirMss, int windowShift) {
    Path path = connection.path();
    // MPA-2-02: "EMSS is the smaller of the TCP maximum segment size (MSS)"
    int mss = Math.min(mss(path, path.linkMtu()), theirMss);
    connection.negotiatedEmss = mss - options(connection);
    int emss = emss(connection, path.mtu());
    connection.sender.negotiated(emss, windowShift);
  }

  /** The largest payload, without TCP options, in a packet of so many octets. */
  static int mss(Path path, int mtu) {
    return path.room(mtu) - Tcp.HEADER;
  }

  /** EMSS on a path with an MTU. */
  private static int emss(TcpConnection connection, int mtu) {
    int mss = mss(connection.path(), mtu);
    return Math.min(connection.negotiatedEmss, mss - options(connection)); // MPA-2-02
  }

  /** Octets of TCP options in every segment. */
  static int options(TcpConnection connection) {
    return connection.agreed.timestamps() ? TcpOptions.TIMESTAMPS_LENGTH : 0;
  }

  /** Applies a changed path MTU to a connection (RFC 1191 section 6.4). */
  void pathMtu(TcpConnection connection) {
    if (connection.negotiatedEmss > 0 && connection.state() != TcpState.TIME_WAIT) {
      int emss = emss(connection, connection.path().mtu());
      if (emss != connection.sender.emss) {
        pathEmss(connection, emss);
      }
    }
  }

  /**
   * Processes an ICMP message that a segment was too large for its path. It must quote octets in
   * flight. It is applied at once if no segment of that size was ever acknowledged; otherwise only
   * when the retransmission timer shows that the segment was lost (RFC 5927 section 7.2).
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
    } else if (sender.largestAcknowledged <= emss) {
      lowerPathMtu(connection.path(), mtu);
    } else {
      connection.pathMtuClaim = new PathMtuClaim(position, mtu);
    }
  }

  /**
   * Applies a pending claim after a retransmission timeout, which confirms it if it is about octets
   * in flight.
   *
   * @return whether EMSS was lowered, and segments that were too long are being sent again
   */
  boolean applyClaim(TcpConnection connection) {
    PathMtuClaim claim = connection.pathMtuClaim;
    connection.pathMtuClaim = null;
    if (claim == null || claim.position() < connection.sender.una()) {
      return false;
    }
    int before = connection.sender.emss();
    lowerPathMtu(connection.path(), claim.mtu());
    return connection.sender.emss() < before;
  }

  /** Sets EMSS by the path, and forgets what was learned about longer segments. */
  private void pathEmss(TcpConnection connection, int octets) {
    Sender sender = connection.sender;
    sender.pathEmss = octets;
    sender.largestAcknowledged = 0;
    if (sender.blackHole != null && octets <= sender.blackHole.emss()) {
      sender.blackHole = null;
    }
    int least = sender.blackHole == null ? octets : Math.min(octets, sender.blackHole.emss());
    changeAndSend(connection, least);
  }

  /**
   * Considers a segment that was not acknowledged in time; returns whether the path is now taken to
   * drop segments of that length, and EMSS was lowered.
   *
   * @param timeouts in a row
   */
  boolean suspectBlackHole(TcpConnection connection, int length, int timeouts) {
    Sender sender = connection.sender;
    BlackHole hole = sender.blackHole;
    boolean known = hole != null;
    boolean failed = known && hole.inTrial() && length > hole.emss();
    Path path = connection.path();
    int options = options(connection);
    int[] steps = BlackHole.steps(path.isIpv6(), mtu -> mss(path, mtu) - options);
    if (!failed
        && !BlackHole.suspected(length, timeouts, sender.largestAcknowledged, known, steps)) {
      return false;
    }
    if (!known) {
      sender.blackHole = BlackHole.dropping(length, steps, context.now);
    } else if (failed) {
      hole.trialFailed(context.now);
    } else {
      hole.lower(length, steps, context.now);
    }
    context.counters.blackHoles++;
    sender.largestAcknowledged = 0;
    return change(sender, Math.min(sender.pathEmss, sender.blackHole.emss()));
  }

  /** Tries segments as long as those that the path has dropped. */
  void tryLonger(TcpConnection connection) {
    connection.sender.blackHole.startTrial();
    changeAndSend(connection, connection.sender.pathEmss);
  }

  /** Ends the search for a smaller EMSS if longer segments have been acknowledged. */
  void refuteBlackHole(TcpConnection connection) {
    Sender sender = connection.sender;
    if (sender.largestAcknowledged > sender.blackHole.emss()) {
      sender.blackHole = null;
      changeAndSend(connection, sender.pathEmss);
    }
  }

  /** Changes EMSS, and sends longer segments in flight again in pieces. */
  private static void changeAndSend(TcpConnection connection, int octets) {
    if (change(connection.sender, octets)) {
      connection.sender.sendPieces();
      connection.emssChanged();
    }
  }

  /** Sets EMSS; returns whether it has changed. */
  private static boolean change(Sender sender, int octets) {
    if (octets == sender.emss) {
      return false;
    }
    sender.emss = octets;
    sender.emssChanged();
    return true;
  }

  private void lowerPathMtu(Path path, int mtu) {
    if (mtu < path.mtu()) {
      path.lowerMtu(mtu, context.now);
      context.counters.pathMtuLowered++;
      pathMtuChanged(path);
    }
  }

  /**
   * Applies a changed path MTU to the connections on the path (RFC 1191 section 6.1), and to all if
   * any may be in a tunnel over it (RFC 4301 section 8.2.1).
   */
  void pathMtuChanged(Path path) {
    boolean all = path.carriesTunnel();
    for (TcpConnection connection : context.connections.snapshot()) {
      if (all || connection.path() == path) {
        pathMtu(connection);
      }
    }
  }

  /** Applies a changed MTU of the link to all connections over IPv6. */
  void ipv6LinkMtuChanged() {
    for (TcpConnection connection : context.connections.snapshot()) {
      if (connection.path().isIpv6()) {
        pathMtu(connection);
      }
    }
  }
}
