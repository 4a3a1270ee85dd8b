package org.rddp.tcp;

import org.rddp.tcp.handshake.SynCookies;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * How connections come to be: the SYNs of both ends and what they agree on (RFC 9293 sections 3.5
 * and 3.10.1).
 */
final class Handshake {
  /** How far a new incarnation begins behind the last octet of the old one, at least. */
  private static final int INCARNATION_GAP = 1 << 16;

  private final TcpStack stack;
  private final SegmentOutput output;
  private final StatelessOutput strangers;
  private final TcpSettings settings;

  Handshake(TcpStack stack, SegmentOutput output, StatelessOutput strangers, TcpSettings settings) {
    this.strangers = strangers;
    this.stack = stack;
    this.output = output;
    this.settings = settings;
  }

  /** Sends our SYN and starts the timer; again, when that has expired. */
  void sendSyn(TcpConnection connection) {
    boolean answer = connection.state() == TcpState.SYN_RECEIVED;
    if (output.syn(connection, answer)) {
      connection.sender.synSent();
    }
    connection.retransmitAt = stack.now() + connection.sender.timeout().current();
    connection.reschedule();
  }

  /** Sends our SYN again, because nothing came back; no more, if its listener has been closed. */
  void repeatSyn(TcpConnection connection) {
    if (connection.listener != null && connection.listener.closed()) {
      connection.reset();
      connection.terminate(CloseReason.ABORTED);
      return;
    }
    connection.synRepeated = true;
    stack.counters().retransmitted++;
    connection.sender.timeout().backOff();
    sendSyn(connection);
  }

  /** The peer's SYN tells what both ends can do (RFC 9293 section 3.7.1, RFC 7323). */
  void negotiate(TcpConnection connection, TcpSegment syn) {
    connection.timestamps = settings.timestamps() && syn.options.timestamps();
    connection.scaled = settings.windowScale() && syn.options.windowScale() >= 0;
    connection.sack = settings.selectiveAcknowledgment() && syn.options.sackPermitted();
    connection.ecn = negotiatesEcn(connection, syn);
    int mss = syn.options.mss() > 0 ? syn.options.mss() : TcpStack.DEFAULT_MSS;
    connection
        .sizes()
        .negotiated(connection, mss, connection.scaled ? syn.options.windowScale() : 0);
    connection.receiver.open(syn.sequence, connection.scaled);
    if (connection.timestamps) {
      connection.receiver.firstTimestamp(syn.options.timestampValue());
    }
  }

  /**
   * The acknowledgment of a cookie tells what both ends can do, since nothing was kept of the SYN.
   *
   * @param mss what the cookie says of the peer's MSS
   */
  void negotiate(TcpConnection connection, TcpSegment segment, int mss) {
    boolean stamped = settings.timestamps() && segment.options.timestamps();
    int echo = segment.options.timestampEcho();
    int scale = stamped && settings.windowScale() ? SynCookies.windowScale(echo) : -1;
    connection.timestamps = stamped;
    connection.scaled = scale >= 0;
    connection.sack = stamped && settings.selectiveAcknowledgment() && SynCookies.sack(echo);
    connection.ecn = stamped && settings.ecn() && SynCookies.ecn(echo);
    connection.sizes().negotiated(connection, mss, Math.max(scale, 0));
    connection.receiver.open(segment.sequence - 1, scale >= 0);
    if (stamped) {
      connection.receiver.firstTimestamp(segment.options.timestampValue());
    }
    connection.sender.synSent();
    connection.lastReceivedAt = TcpConnection.UNKNOWN;
  }

  /**
   * Whether a SYN or SYN-ACK leaves us with ECN: not after a SYN of ours without, nor when a
   * middlebox sends our flags back as they were (RFC 3168 section 6.1.1).
   */
  private boolean negotiatesEcn(TcpConnection connection, TcpSegment syn) {
    int setup = syn.has(Tcp.ACK) ? Tcp.ECE : Tcp.ECE | Tcp.CWR;
    boolean asked = (syn.flags & (Tcp.ECE | Tcp.CWR)) == setup;
    return settings.ecn() && asked && !connection.synRepeated;
  }

  /** The peer's SYN again: our answer may be lost. */
  void repeated(TcpConnection connection, TcpSegment syn) {
    connection.ecn &= negotiatesEcn(connection, syn);
    sendSyn(connection);
  }

  /** Both SYNs have come: simultaneous open (RFC 9293 section 3.5). */
  void openedSimultaneously(TcpConnection connection) {
    connection.become(TcpState.SYN_RECEIVED);
    sendSyn(connection);
  }

  /**
   * The initial sequence number of a new connection: by the clock, but behind what an incarnation
   * in TIME-WAIT has used, which may have been faster than the clock (RFC 9293 section 3.6.1).
   *
   * @param former the incarnation in TIME-WAIT, or null
   */
  int initialSequence(int clock, TcpConnection former) {
    if (former == null) {
      return clock;
    }
    int used = former.sender.sequence(former.sender.max());
    return SequenceNumber.after(clock, used) ? clock : used + INCARNATION_GAP;
  }

  /** Our SYN is acknowledged. */
  void establish(TcpConnection connection, TcpSegment segment, long position) {
    TcpListener listener = connection.listener;
    if (listener != null && listener.closed()) {
      strangers.reset(segment);
      connection.terminate(CloseReason.ABORTED);
      return;
    }
    long asked = connection.lastReceivedAt;
    connection.become(TcpState.ESTABLISHED);
    connection.retransmitAt = Long.MAX_VALUE;
    connection.received();
    connection.timers().startKeepAlive(connection);
    connection.sender.peerSynAcknowledged(segment, position);
    if (connection.synRepeated) {
      connection.sender.timeout().synWasLost();
      connection.sender.congestion.onSynLost();
    } else if (asked != TcpConnection.UNKNOWN) {
      connection.sender.timeout().measured(stack.now() - asked, stack.now());
    }
    stack.counters().established++;
    if (listener != null) {
      connection.handshakeDone();
      connection.accept(listener.acceptor());
    }
    connection.opened();
  }
}
