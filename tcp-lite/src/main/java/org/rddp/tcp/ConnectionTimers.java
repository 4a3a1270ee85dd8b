package org.rddp.tcp;

import org.rddp.wire.Tcp;

/**
 * What falls due in a connection's life: retransmissions, the user's alarm, and one more that means
 * something else in each state. While a connection is opened it is the time to give up, in
 * TIME-WAIT its end, and between the two the next look at whether the peer is still there (RFC 9293
 * section 3.8.4).
 */
final class ConnectionTimers {
  private final TcpStack stack;
  private final TcpSettings settings;
  private final SegmentOutput output;

  ConnectionTimers(TcpStack stack, SegmentOutput output, TcpSettings settings) {
    this.stack = stack;
    this.settings = settings;
    this.output = output;
  }

  /** When the first of a connection's timers expires. */
  static long deadline(TcpConnection connection) {
    return Math.min(
        connection.retransmitAt, Math.min(connection.stateDeadline, connection.alarmAt));
  }

  /** Does what is due; returns whether anything was. */
  boolean advance(TcpConnection connection, long now) {
    boolean due = deadline(connection) <= now;
    if (connection.stateDeadline <= now) {
      stateExpired(connection, now);
    }
    if (connection.retransmitAt <= now && connection.state() != TcpState.CLOSED) {
      connection.retransmitAt = Long.MAX_VALUE;
      retransmit(connection);
    }
    if (connection.alarmAt <= now) {
      connection.fireAlarm(now);
    }
    connection.reschedule();
    return due;
  }

  private void stateExpired(TcpConnection connection, long now) {
    switch (connection.state()) {
      case SYN_SENT, SYN_RECEIVED -> giveUp(connection);
      case TIME_WAIT -> connection.terminate(CloseReason.NORMAL);
      default -> keepAlive(connection, now);
    }
  }

  private void retransmit(TcpConnection connection) {
    if (!connection.state().synchronised()) {
      connection.opening().repeatSyn(connection);
      return;
    }
    if (!connection.sender.expired(settings.userTimeout())) {
      connection.reset();
      giveUp(connection);
    }
  }

  private void giveUp(TcpConnection connection) {
    stack.counters().timedOut++;
    connection.terminate(CloseReason.TIMEOUT);
  }

  /** From now on the peer is asked for a sign of life when it is silent, if that is wanted. */
  void startKeepAlive(TcpConnection connection) {
    boolean wanted = settings.keepAlive() != Long.MAX_VALUE;
    connection.stateDeadline =
        wanted ? connection.lastReceivedAt + settings.keepAlive() : Long.MAX_VALUE;
    connection.keepAliveProbes = 0;
    connection.reschedule();
  }

  /** TIME-WAIT begins, or begins anew with another FIN of the peer. */
  void startTimeWait(TcpConnection connection) {
    connection.stateDeadline = stack.now() + settings.timeWait();
    connection.reschedule();
  }

  /**
   * Asks a peer that has been silent for a sign of life, and gives it up when several questions
   * went unanswered. Not while something is in flight: the retransmission timer finds out then.
   */
  private void keepAlive(TcpConnection connection, long now) {
    long asked = connection.stateDeadline - settings.keepAliveInterval();
    if (connection.keepAliveProbes > 0 && connection.lastReceivedAt >= asked) {
      connection.keepAliveProbes = 0;
    }
    if (now - connection.lastReceivedAt < settings.keepAlive()) {
      startKeepAlive(connection);
    } else if (connection.sender.max() > connection.sender.una()) {
      connection.stateDeadline = now + settings.keepAliveInterval();
    } else if (connection.keepAliveProbes >= settings.keepAliveProbes()) {
      connection.reset();
      giveUp(connection);
    } else {
      probe(connection, now);
    }
  }

  /** An empty segment whose sequence number is old makes the peer say where it is. */
  private void probe(TcpConnection connection, long now) {
    int old = connection.sender.sequence(connection.sender.una() - 1);
    if (output.control(connection, old, Tcp.ACK)) {
      stack.counters().keepAliveProbes++;
      connection.keepAliveProbes++;
    }
    connection.stateDeadline = now + settings.keepAliveInterval();
  }
}
