package org.rddp.tcp;

import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * Processes the segments of a connection: SEGMENT ARRIVES of RFC 9293 section 3.10.7, with the
 * checks of RFC 5961 and RFC 7323.
 */
final class SegmentArrival {
  private final StackContext context;
  private final StatelessOutput replies;
  private final Handshake handshake;
  private final TcpCounters counters;
  private final PayloadArrival payload;

  SegmentArrival(StackContext context, StatelessOutput replies) {
    this.context = context;
    this.replies = replies;
    handshake = context.handshake;
    counters = context.counters;
    payload = new PayloadArrival(context);
  }

  void process(TcpConnection connection, TcpSegment segment) {
    if (connection.state() == TcpState.SYN_SENT) {
      synSent(connection, segment);
    } else {
      synchronisedOrSynReceived(connection, segment);
    }
    if (connection.state() != TcpState.CLOSED) {
      connection.notifyAwaiting();
    }
    if (connection.state() != TcpState.CLOSED && connection.receiver.acknowledgmentPending()) {
      connection.scheduleFlush();
    }
  }

  /** Processes a segment in SYN-SENT (RFC 9293 section 3.10.7.3). */
  private void synSent(TcpConnection connection, TcpSegment segment) {
    boolean acknowledges = segment.has(Tcp.ACK);
    boolean ours = acknowledges && segment.acknowledgment == connection.sender.sequence(0);
    if (acknowledges && !ours) {
      counters.unacceptable++;
      if (!segment.has(Tcp.RST)) {
        replies.reset(connection.path(), segment);
      }
      return;
    }
    if (segment.has(Tcp.RST)) {
      if (ours) {
        counters.resetsIn++;
        connection.terminate(CloseReason.REFUSED);
      }
      return;
    }
    if (!segment.has(Tcp.SYN)) {
      return;
    }
    handshake.negotiate(connection, segment);
    if (ours) {
      connection.receiver.requestAcknowledgment();
      handshake.establish(connection, segment, -1);
      if (connection.state() != TcpState.CLOSED) {
        // The SYN's own sequence number precedes the payload.
        text(connection, segment, 0);
      }
    } else {
      handshake.openSimultaneously(connection);
    }
  }

  /**
   * Processes a segment in any other state: the checks of RFC 9293 section 3.10.7.4, in its order.
   */
  private void synchronisedOrSynReceived(TcpConnection connection, TcpSegment segment) {
    Receiver receiver = connection.receiver;
    long position = receiver.position(segment.sequence);
    if (!sequence(connection, segment, position)) {
      return;
    }
    if (segment.has(Tcp.RST)) {
      reset(connection, position);
      return;
    }
    if (segment.has(Tcp.SYN)) {
      syn(connection);
      return;
    }
    if (!segment.has(Tcp.ACK)) {
      return;
    }
    if (connection.state() == TcpState.SYN_RECEIVED) {
      // This acknowledges only the SYN, although the user may have sent data in between.
      if (!synReceived(connection, segment, position)) {
        return;
      }
      if (connection.accurate != null) {
        payload.count(connection, segment);
      }
    } else if (!connection.sender.isAcceptableAck(segment)) {
      connection.challenge();
      return;
    } else {
      takeTimestamp(connection, segment, position);
      if (connection.accurate != null) { // ACC-3.2-01
        payload.count(connection, segment);
      }
      if (isInOrder(connection, segment, position)) {
        processInOrder(connection, segment, position);
        return;
      }
      connection.sender.acknowledged(segment, position);
    }
    connection.received();
    text(connection, segment, position);
  }

  /** Whether a segment in ESTABLISHED has the next octets and nothing special. */
  private static boolean isInOrder(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    return segment.length > 0
        && position == receiver.next()
        && receiver.early() == null
        && connection.state() == TcpState.ESTABLISHED
        && !segment.has(Tcp.FIN);
  }

  /** Hands up the payload first, and processes the acknowledgment afterwards. */
  private void processInOrder(TcpConnection connection, TcpSegment segment, long position) {
    connection.received();
    takePayload(connection, segment, position);
    if (connection.state() != TcpState.CLOSED) {
      connection.sender.acknowledged(segment, position);
      connection.sender.outputIfPending();
    }
  }

  /**
   * Processes the rest of an acceptable segment: the acknowledgment of our FIN, payload, the peer's
   * FIN.
   */
  private void text(TcpConnection connection, TcpSegment segment, long position) {
    if (connection.sender.finAcknowledged()) {
      connection.finAcknowledged();
    }
    if (connection.state().receiving() && segment.sequenceLength() > 0) {
      takePayload(connection, segment, position);
    } else if (connection.state() == TcpState.TIME_WAIT && segment.sequenceLength() > 0) {
      timeWait(connection, segment);
    }
    if (connection.state() != TcpState.CLOSED) {
      connection.sender.output();
    }
  }

  /**
   * Acknowledges a segment with octets, which must be the peer's again, and waits anew for a FIN.
   */
  private void timeWait(TcpConnection connection, TcpSegment segment) {
    if (segment.has(Tcp.FIN)) {
      context.timers.startTimeWait(connection);
    }
    connection.receiver.requestAcknowledgment();
  }

  private void takePayload(TcpConnection connection, TcpSegment segment, long position) {
    payload.process(connection, segment, position);
    if (connection.state().receiving() && connection.receiver.finReached()) {
      connection.peerClosed();
    }
  }

  /**
   * First check: sequence number, timestamp, and {@link StreamHandler#accepts}. Returns false if
   * the segment must be dropped.
   */
  private boolean sequence(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    boolean reset = segment.has(Tcp.RST);
    if (connection.agreed.timestamps() && !reset) {
      if (!segment.options.timestamps()) {
        counters.oldTimestamps++;
        return false;
      }
      // PAWS: an old timestamp is acknowledged and dropped (RFC 7323 section 5.3, R1).
      if (receiver.old(segment.options.timestampValue())) { // MPAA-3-02
        counters.oldTimestamps++;
        if (answered(connection, segment)) {
          connection.acknowledgeNow();
        }
        return false;
      }
    }
    if (!receiver.acceptable(position, segment.sequenceLength())) { // MPAA-3-02
      if (!reset) {
        outside(connection, segment, position);
      }
      return false;
    }
    if (segment.length > 0
        && !reset
        && !context.upcalls.accepts(connection, position, segment.payload, segment.length)) {
      counters.refused++;
      return false;
    }
    return true;
  }

  /**
   * Takes the timestamp of a segment that has passed every check, so that a forged one cannot make
   * PAWS reject the peer's segments. An acknowledgment below SND.UNA proves too little: nearly any
   * number in the peer's window passes for one.
   */
  private static void takeTimestamp(TcpConnection connection, TcpSegment segment, long position) {
    if (connection.agreed.timestamps() && !connection.sender.isOldAck(segment)) {
      connection.receiver.timestamp(segment.options.timestampValue(), position);
    }
  }

  /** Answers a segment outside of the window with an acknowledgment. */
  private void outside(TcpConnection connection, TcpSegment segment, long position) {
    if (connection.state() == TcpState.SYN_RECEIVED && segment.has(Tcp.SYN) && position == -1) {
      boolean answers =
          segment.has(Tcp.ACK) && segment.acknowledgment == connection.sender.sequence(0);
      if (answers) {
        // The end of a simultaneous open (RFC 9293 section 3.5, figure 7).
        connection.receiver.requestAcknowledgment();
        handshake.establish(connection, segment, position);
      } else {
        handshake.synRepeated(connection, segment);
      }
      return;
    }
    if (position < connection.receiver.next()) {
      payload.repeated(connection, Math.max(position, 0), position + segment.length);
    } else {
      counters.unacceptable++;
    }
    if (connection.state() == TcpState.TIME_WAIT && segment.has(Tcp.FIN)) {
      context.timers.startTimeWait(connection);
    }
    if (segment.has(Tcp.SYN)) {
      context.ecn.synAckRepeated(connection, segment, position);
    } else if (answered(connection, segment)) {
      if (connection.state().synchronised()) {
        connection.receiver.requestAcknowledgment();
      } else {
        connection.acknowledgeNow();
      }
    }
  }

  /**
   * Whether to answer a dropped segment: always if it has payload or flags, else at a limited rate.
   */
  private boolean answered(TcpConnection connection, TcpSegment segment) {
    if (segment.sequenceLength() > 0 || connection.receiver.mayAnswer()) {
      return true;
    }
    counters.answersSuppressed++;
    return false;
  }

  /**
   * Second check: a reset counts only at exactly RCV.NXT; elsewhere in the window it draws a
   * challenge ACK (RFC 5961 section 3.2). It never counts in TIME-WAIT, which must not end early
   * (RFC 1337 section 3).
   */
  private void reset(TcpConnection connection, long position) {
    if (connection.state() == TcpState.TIME_WAIT) {
      return;
    }
    long distance = position - connection.receiver.next();
    if (distance != 0) {
      counters.unacceptable++;
      if (distance > 0 && distance < connection.receiver.remainingWindow()) {
        connection.challenge();
      }
      return;
    }
    counters.resetsIn++;
    connection.terminate(
        switch (connection.state()) {
          case SYN_RECEIVED -> CloseReason.REFUSED;
          // Both halves are closed; only the last acknowledgment is missing.
          case CLOSING, LAST_ACK -> CloseReason.NORMAL;
          default -> CloseReason.RESET;
        });
  }

  /**
   * Fourth check: a SYN may be forged, so a challenge ACK makes the peer confirm it by a reset (RFC
   * 5961 section 4). A passively opened handshake ends.
   */
  private void syn(TcpConnection connection) {
    counters.unacceptable++;
    if (connection.state() == TcpState.SYN_RECEIVED && connection.listener != null) {
      connection.terminate(CloseReason.REFUSED);
    } else {
      connection.challenge();
    }
  }

  /** Fifth check in SYN-RECEIVED. Returns false if the segment must be dropped. */
  private boolean synReceived(TcpConnection connection, TcpSegment segment, long position) {
    if (SequenceNumber.distance(connection.sender.sequence(0), segment.acknowledgment) != 0) {
      counters.unacceptable++;
      if (!handshake.hasCookie(connection, segment)) {
        replies.reset(connection.path(), segment);
      }
      return false;
    }
    takeTimestamp(connection, segment, position);
    handshake.establish(connection, segment, position);
    return connection.state() != TcpState.CLOSED;
  }
}
