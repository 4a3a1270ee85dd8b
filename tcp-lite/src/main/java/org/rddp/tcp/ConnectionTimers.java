package org.rddp.tcp;

import org.rddp.wire.Tcp;

/**
 * The timers of a connection: retransmission, the user's alarm, and one that depends on the state.
 * That one limits the time to open the connection, ends TIME-WAIT, or otherwise triggers the next
 * keep-alive check (RFC 9293 section 3.8.4).
 */
final class ConnectionTimers {
  /** When a peer that lets the user send nothing is first probed, in ns; then doubled. */
  private static final long FIRST_PROBE = 1_000_000_000;

  private static final int MOST_DOUBLED = 10;

  private final StackContext context;
  private final TcpSettings settings;

  ConnectionTimers(StackContext context) {
    this.context = context;
    settings = context.settings;
  }

  /** When the first of a connection's timers expires. */
  static long deadline(TcpConnection connection) {
    return Math.min(
        connection.retransmitAt, Math.min(connection.stateDeadline, connection.alarmAt));
  }

  /** Runs the timers that are due; returns whether any was. */
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
    if (context.trace != null) {
      context.trace.processed(connection);
    }
    return due;
  }

  /** Passes the expiration of a timer to the trace, if there is one. */
  void expired(TcpConnection connection, TcpTimer timer) {
    if (context.trace != null) {
      context.trace.expired(connection, timer);
    }
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
      expired(connection, TcpTimer.RETRANSMISSION);
      context.handshake.retransmitSyn(connection);
      return;
    }
    if (!connection.sender.expired(settings.userTimeout())) {
      connection.reset();
      giveUp(connection);
    }
  }

  /**
   * Sends what was dropped for want of a security association, now that these have changed, instead
   * of waiting for the timer: at most one segment of each connection.
   */
  void sendUnsealed(TcpConnection connection) {
    if (connection.state().synchronised()) {
      connection.sender.sendUnsealed();
    } else if (connection.state() != TcpState.CLOSED) {
      context.handshake.sendSynAgain(connection);
    }
  }

  private void giveUp(TcpConnection connection) {
    context.counters.timedOut++;
    connection.terminate(CloseReason.TIMEOUT);
  }

  /** How long the peer may be silent before it is probed. */
  private long silence(TcpConnection connection) {
    return connection.blocked
        ? Math.min(settings.keepAlive(), interval(connection))
        : settings.keepAlive();
  }

  /** Time between two probes. */
  private long interval(TcpConnection connection) {
    long longest = settings.keepAliveInterval();
    return connection.blocked
        ? Math.min(longest, FIRST_PROBE << connection.blockedProbes)
        : longest;
  }

  /** Starts the keep-alive timer, if keep-alives are on. */
  void startKeepAlive(TcpConnection connection) {
    long silence = silence(connection);
    connection.stateDeadline =
        silence == Long.MAX_VALUE ? silence : connection.lastReceivedAt + silence;
    connection.keepAliveProbes = 0;
    connection.reschedule();
  }

  /** The user is blocked from now on, or is not any more. */
  void blockedChanged(TcpConnection connection) {
    connection.blockedProbes = 0;
    connection.keepAliveProbes = 0;
    // A timer that runs finds by itself whether a probe is needed.
    if (connection.blocked
        && connection.state().synchronised()
        && connection.state() != TcpState.TIME_WAIT
        && connection.stateDeadline - context.now > FIRST_PROBE) {
      startKeepAlive(connection);
    }
  }

  /** Starts TIME-WAIT, or starts it again after another FIN of the peer. */
  void startTimeWait(TcpConnection connection) {
    connection.stateDeadline = context.now + settings.timeWait();
    connection.reschedule();
  }

  /**
   * Probes a silent peer, and gives it up after several probes without an answer. Does nothing
   * while data is in flight: then the retransmission timer detects a dead peer.
   */
  private void keepAlive(TcpConnection connection, long now) {
    long asked = connection.stateDeadline - interval(connection);
    if (connection.keepAliveProbes > 0 && connection.lastReceivedAt >= asked) {
      connection.keepAliveProbes = 0;
    }
    if (now - connection.lastReceivedAt < silence(connection)) {
      startKeepAlive(connection);
    } else if (connection.sender.max() > connection.sender.una()) {
      connection.stateDeadline = now + interval(connection);
    } else if (connection.keepAliveProbes >= settings.keepAliveProbes()) {
      connection.reset();
      giveUp(connection);
    } else {
      probe(connection, now);
    }
  }

  /** Sends an empty segment with an old sequence number, which the peer must acknowledge. */
  private void probe(TcpConnection connection, long now) {
    expired(connection, TcpTimer.KEEP_ALIVE);
    int old = connection.sender.sequence(connection.sender.una() - 1);
    if (context.output.control(connection, old, Tcp.ACK)) {
      context.counters.keepAliveProbes++;
      connection.keepAliveProbes++;
      connection.blockedProbes = (byte) Math.min(MOST_DOUBLED, connection.blockedProbes + 1);
    }
    connection.stateDeadline = now + interval(connection);
  }
}
