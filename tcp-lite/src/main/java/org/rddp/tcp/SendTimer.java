package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;

/**
 * The timer of a connection's sending half: the retransmission timeout, or an earlier deadline (a
 * tail loss probe or the reordering timer), or with nothing in flight the persist timer, which
 * sends the next window probe. A connection borrows one from {@link SendTimerPool} while it needs
 * any of these. Times in nanoseconds.
 */
final class SendTimer {
  private static final long NEVER = Long.MAX_VALUE;

  private TcpConnection connection;
  private long timeoutAt;
  private long earlierAt;

  /** When the rate lets new segments leave. */
  private long pausedUntil;

  /** Start of the probe timeout: when new data was last sent or acknowledged. */
  private long probeFrom;

  /** Start of the user timeout: the peer's last progress, or the first data that waits for it. */
  private long progressAt;

  /** Timeouts since data was acknowledged or the window changed. */
  private byte expirations;

  /** Whether the timeout has expired since {@link #progressAt}. */
  private boolean unanswered;

  private boolean probe;

  /** Whether the timeout was started for a single segment. */
  private boolean alone;

  /** Resets the timer for a connection, or null. */
  void begin(TcpConnection owner) {
    connection = owner;
    timeoutAt = NEVER;
    earlierAt = NEVER;
    pausedUntil = NEVER;
    probeFrom = 0;
    progressAt = 0;
    expirations = 0;
    unanswered = false;
    probe = false;
    alone = false;
  }

  /** Restarts the user timeout after progress of the peer. */
  void progress() {
    progressAt = connection.context.now;
    unanswered = false;
  }

  /** Restarts every timeout after an acknowledgment of data. */
  void acknowledged() {
    progress();
    restart();
    expirations = 0;
    probeFrom = connection.context.now;
  }

  /**
   * Restarts the user timeout and the timeout when a segment is sent with nothing in flight (RFC
   * 6298 section 5.1): what ran until then was not the retransmission timer, but the wait for a
   * D-SACK or the persist timer.
   */
  void sentFirst() {
    progress();
    restart();
  }

  /** Restarts the probe timeout after new data was sent. */
  void sent() {
    probeFrom = connection.context.now;
  }

  /** Stops the timeout; {@link #start} starts it again. */
  void restart() {
    timeoutAt = NEVER;
  }

  /** Restarts the window probes after the peer's window has changed. */
  void windowChanged() {
    expirations = 0;
    timeoutAt = NEVER;
  }

  /** Starts the timeout, unless it is running. */
  void start(long nanoseconds) {
    start(nanoseconds, false);
  }

  /**
   * Starts the timeout, unless it is running; one that was started for a single segment starts
   * again when others follow.
   *
   * @param single whether a single segment is in flight
   */
  void start(long nanoseconds, boolean single) {
    if (timeoutAt == NEVER || (alone && !single)) {
      timeoutAt = connection.context.now + nanoseconds;
      alone = single;
    }
  }

  /** Sets the reordering timer as the earlier deadline. */
  void reorderingAt(long deadline) {
    earlierAt = deadline;
    probe = false;
  }

  /**
   * Sets a tail loss probe as the earlier deadline, at the latest when the timeout expires, which
   * it then replaces (RFC 8985 section 7.2).
   */
  void probeAfter(long nanoseconds) {
    earlierAt = Math.min(Math.max(probeFrom + nanoseconds, connection.context.now), timeoutAt);
    probe = true;
  }

  /** Sets the end of a pause that new segments make. */
  void pausedUntil(long end) {
    pausedUntil = end;
  }

  /** Whether such a pause ends. */
  boolean pauseEnds() {
    return pausedUntil <= connection.context.now;
  }

  /** Removes the earlier deadlines. */
  void nothingEarlier() {
    earlierAt = NEVER;
    pausedUntil = NEVER;
  }

  /** Schedules the timer with the connection's others. */
  void schedule() {
    connection.retransmitAt = Math.min(Math.min(timeoutAt, earlierAt), pausedUntil);
    connection.reschedule();
  }

  /** Whether the earlier deadline is due. */
  boolean earlierDue() {
    return earlierAt <= connection.context.now;
  }

  /** Whether the earlier deadline is a tail loss probe. */
  boolean probe() {
    return probe;
  }

  /** Timeouts since data was acknowledged or the window changed. */
  int expirations() {
    return expirations;
  }

  /** Whether the peer has made no progress during the user timeout. */
  boolean givesUp(long userTimeout) {
    return unanswered && connection.context.now - progressAt >= userTimeout;
  }

  /** Counts an expiration; returns how often the timeout had expired before. */
  int expired() {
    timeoutAt = NEVER;
    unanswered = true;
    int before = expirations;
    expirations = (byte) Math.min(before + 1, Byte.MAX_VALUE);
    return before;
  }

  /** Moves the start of the user timeout to now. */
  void awaitProgress() {
    progressAt = connection.context.now;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SendTimer.class);
    timeoutAt = snapshot.number("timeoutAt", timeoutAt);
    earlierAt = snapshot.number("earlierAt", earlierAt);
    pausedUntil = snapshot.number("pausedUntil", pausedUntil);
    probeFrom = snapshot.number("probeFrom", probeFrom);
    progressAt = snapshot.number("progressAt", progressAt);
    expirations = snapshot.number("expirations", expirations);
    unanswered = snapshot.flag("unanswered", unanswered);
    probe = snapshot.flag("probe", probe);
    alone = snapshot.flag("alone", alone);
    snapshot.end();
  }
}
