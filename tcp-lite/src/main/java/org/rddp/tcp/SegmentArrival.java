package org.rddp.tcp;

import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * What a segment does to the connection that it belongs to: SEGMENT ARRIVES of RFC 9293 section
 * 3.10.7, with the checks of RFC 5961 and RFC 7323.
 */
final class SegmentArrival {
  private final StatelessOutput output;
  private final Admission admission;
  private final Handshake opening;
  private final TcpCounters counters;
  private final PayloadArrival payload;

  SegmentArrival(TcpStack stack, StatelessOutput output, Admission admission) {
    this.output = output;
    this.admission = admission;
    opening = stack.opening();
    counters = stack.counters();
    payload = new PayloadArrival(counters);
  }

  void process(TcpConnection connection, TcpSegment segment) {
    if (connection.state() == TcpState.SYN_SENT) {
      synSent(connection, segment);
    } else {
      synchronisedOrSynReceived(connection, segment);
    }
    if (connection.state() != TcpState.CLOSED) {
      connection.notifyIfSendable();
    }
    if (connection.state() != TcpState.CLOSED && connection.receiver.acknowledgmentPending()) {
      connection.scheduleFlush();
    }
  }

  /** RFC 9293 section 3.10.7.3. */
  private void synSent(TcpConnection connection, TcpSegment segment) {
    boolean acknowledges = segment.has(Tcp.ACK);
    boolean ours = acknowledges && segment.acknowledgment == connection.sender.sequence(0);
    if (acknowledges && !ours) {
      counters.unacceptable++;
      if (!segment.has(Tcp.RST)) {
        output.reset(segment);
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
    opening.negotiate(connection, segment);
    if (ours) {
      connection.receiver.requestAcknowledgment();
      opening.establish(connection, segment, -1);
      if (connection.state() != TcpState.CLOSED) {
        // The SYN's own octet is before what the segment holds.
        text(connection, segment, 0);
      }
    } else {
      opening.openedSimultaneously(connection);
    }
  }

  /** RFC 9293 section 3.10.7.4, in its order. */
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
      // What the user sends at once is not what this acknowledges.
      if (!synReceived(connection, segment, position)) {
        return;
      }
    } else if (!connection.sender.isAcceptableAck(segment)) {
      connection.challenge();
      return;
    } else if (isInOrder(connection, segment, position)) {
      processInOrder(connection, segment, position);
      return;
    } else {
      connection.sender.acknowledged(segment, position);
    }
    connection.received();
    text(connection, segment, position);
  }

  /** Whether a segment brings the next octets and nothing else out of the ordinary. */
  private static boolean isInOrder(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    return segment.length > 0
        && position == receiver.next()
        && receiver.early() == null
        && connection.state() == TcpState.ESTABLISHED
        && !segment.has(Tcp.FIN);
  }

  /** Such a segment's user does not wait until its acknowledgment has been dealt with. */
  private void processInOrder(TcpConnection connection, TcpSegment segment, long position) {
    connection.received();
    takePayload(connection, segment, position);
    if (connection.state() != TcpState.CLOSED) {
      connection.sender.acknowledged(segment, position);
      connection.sender.outputIfPending();
    }
  }

  /** What remains of an acceptable segment: our FIN acknowledged, payload, the peer's FIN. */
  private void text(TcpConnection connection, TcpSegment segment, long position) {
    if (connection.sender.finAcknowledged()) {
      connection.finAcknowledged();
    }
    if (connection.state().receiving() && segment.sequenceLength() > 0) {
      takePayload(connection, segment, position);
    }
    if (connection.state() != TcpState.CLOSED) {
      connection.sender.output();
    }
  }

  private void takePayload(TcpConnection connection, TcpSegment segment, long position) {
    payload.process(connection, segment, position);
    if (connection.state().receiving() && connection.receiver.finReached()) {
      connection.peerClosed();
    }
  }

  /**
   * First check: sequence number and timestamp, and whether the user has something against the
   * segment. False when it is to be dropped.
   */
  private boolean sequence(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    boolean reset = segment.has(Tcp.RST);
    if (connection.timestamps && !reset) {
      if (!segment.options.timestamps()) {
        counters.oldTimestamps++;
        return false;
      }
      if (receiver.old(segment.options.timestampValue())) {
        counters.oldTimestamps++;
        if (answered(connection, segment)) {
          connection.acknowledgeNow();
        }
        return false;
      }
    }
    if (!receiver.acceptable(position, segment.sequenceLength())) {
      if (!reset) {
        outside(connection, segment, position);
      }
      return false;
    }
    if (segment.length > 0 && !reset && !connection.accepts(segment, position)) {
      counters.refused++;
      return false;
    }
    if (connection.timestamps && !reset) {
      receiver.timestamp(segment.options.timestampValue(), position);
    }
    return true;
  }

  /** A segment outside of the window: the peer learns where we are. */
  private void outside(TcpConnection connection, TcpSegment segment, long position) {
    if (connection.state() == TcpState.SYN_RECEIVED && segment.has(Tcp.SYN) && position == -1) {
      boolean answers =
          segment.has(Tcp.ACK) && segment.acknowledgment == connection.sender.sequence(0);
      if (answers) {
        // Both ends have opened at once, and both know it (RFC 9293 section 3.5, figure 7).
        connection.receiver.requestAcknowledgment();
        opening.establish(connection, segment, position);
      } else {
        opening.repeated(connection, segment);
      }
      return;
    }
    if (position < connection.receiver.next()) {
      payload.repeated(connection, Math.max(position, 0), position + segment.length);
    } else {
      counters.unacceptable++;
    }
    if (connection.state() == TcpState.TIME_WAIT && segment.has(Tcp.FIN)) {
      connection.timers().startTimeWait(connection);
    }
    if (segment.has(Tcp.SYN)) {
      connection.challenge();
    } else if (answered(connection, segment)) {
      if (connection.state().synchronised()) {
        connection.receiver.requestAcknowledgment();
      } else {
        connection.acknowledgeNow();
      }
    }
  }

  /** Whether a segment that says nothing new is answered: always, unless it is empty. */
  private boolean answered(TcpConnection connection, TcpSegment segment) {
    if (segment.sequenceLength() > 0 || connection.receiver.mayAnswer()) {
      return true;
    }
    counters.answersSuppressed++;
    return false;
  }

  /**
   * Second check: only a reset exactly where we are is believed at once (RFC 5961 section 3), and
   * none in TIME-WAIT, which an old segment's answer must not cut short (RFC 1337 section 3).
   */
  private void reset(TcpConnection connection, long position) {
    if (connection.state() == TcpState.TIME_WAIT) {
      return;
    }
    if (position != connection.receiver.next()) {
      counters.unacceptable++;
      connection.challenge();
      return;
    }
    counters.resetsIn++;
    connection.terminate(
        switch (connection.state()) {
          case SYN_RECEIVED -> CloseReason.REFUSED;
          // Both halves are closed already; only the last acknowledgment was missing.
          case CLOSING, LAST_ACK -> CloseReason.NORMAL;
          default -> CloseReason.RESET;
        });
  }

  /**
   * Fourth check: a SYN may be forged, so the peer's answer to our ACK will tell (RFC 5961 section
   * 4). A handshake that we have not asked for is given up: back to LISTEN.
   */
  private void syn(TcpConnection connection) {
    counters.unacceptable++;
    if (connection.state() == TcpState.SYN_RECEIVED && connection.listener != null) {
      connection.terminate(CloseReason.REFUSED);
    } else {
      connection.challenge();
    }
  }

  /** Fifth check in SYN-RECEIVED. False when the segment is to be dropped. */
  private boolean synReceived(TcpConnection connection, TcpSegment segment, long position) {
    if (SequenceNumber.distance(connection.sender.sequence(0), segment.acknowledgment) != 0) {
      counters.unacceptable++;
      if (!admission.bearsCookie(connection, segment)) {
        output.reset(segment);
      }
      return false;
    }
    opening.establish(connection, segment, position);
    return connection.state() != TcpState.CLOSED;
  }
}
