package org.rddp.tcp;

/**
 * The one deadline of a connection's sending half and what it is for: the retransmission timeout,
 * or what comes before it (a tail loss probe, or the time after which a segment that may be out of
 * order is taken for lost), or with nothing in flight the next window probe. A connection borrows
 * one from {@link SendTimerPool} while it waits for any of these. Times in nanoseconds.
 */
final class SendTimer {
  private static final long NEVER = Long.MAX_VALUE;

  private TcpConnection connection;
  private long timeoutAt;
  private long earlierAt;

  /** When the tail loss probe's wait began: at new data sent, or at an acknowledgment of some. */
  private long probeFrom;

  /** When the peer last gave a sign of life that matters, or had first reason to. */
  private long progressAt;

  /** How often the timeout has come since data was acknowledged, or the window changed. */
  private byte expirations;

  /** Whether the timeout has come since {@link #progressAt}. */
  private boolean unanswered;

  private boolean probe;

  /** Begins anew for a connection, or is nobody's. */
  void begin(TcpConnection owner) {
    connection = owner;
    timeoutAt = NEVER;
    earlierAt = NEVER;
    probeFrom = 0;
    progressAt = 0;
    expirations = 0;
    unanswered = false;
    probe = false;
  }

  /** The peer has given a sign of life that matters. */
  void progress() {
    progressAt = connection.context.now;
    unanswered = false;
  }

  /** Data was acknowledged: the timeout starts afresh, when it is asked for. */
  void acknowledged() {
    progress();
    restart();
    expirations = 0;
    probeFrom = connection.context.now;
  }

  /** New data has been sent. */
  void sent() {
    probeFrom = connection.context.now;
  }

  /** The timeout starts afresh, when it is asked for. */
  void restart() {
    timeoutAt = NEVER;
  }

  /** The window has changed: it is probed from the beginning. */
  void windowChanged() {
    expirations = 0;
    timeoutAt = NEVER;
  }

  /** The timeout comes after so long, unless one has been started before. */
  void start(long nanoseconds) {
    if (timeoutAt == NEVER) {
      timeoutAt = connection.context.now + nanoseconds;
    }
  }

  /** Before the timeout segments may have to be taken for lost, at the given time. */
  void reorderingAt(long deadline) {
    earlierAt = deadline;
    probe = false;
  }

  /**
   * Before the timeout a tail loss probe is sent, so long after there was last reason to wait; at
   * the time of the timeout at the latest, which it then takes the place of (RFC 8985 section 7.2).
   */
  void probeAfter(long nanoseconds) {
    earlierAt = Math.min(Math.max(probeFrom + nanoseconds, connection.context.now), timeoutAt);
    probe = true;
  }

  /** Nothing comes before the timeout. */
  void nothingEarlier() {
    earlierAt = NEVER;
  }

  /** Tells the connection. */
  void schedule() {
    connection.retransmitAt = Math.min(timeoutAt, earlierAt);
    connection.reschedule();
  }

  /** Whether something that comes before the timeout is due. */
  boolean earlierDue() {
    return earlierAt <= connection.context.now;
  }

  /** Whether that is a tail loss probe. */
  boolean probe() {
    return probe;
  }

  /** How often the timeout has come since data was acknowledged, or the window changed. */
  int expirations() {
    return expirations;
  }

  /** Whether the peer has not answered for so long that the connection is to be given up. */
  boolean givesUp(long userTimeout) {
    return unanswered && connection.context.now - progressAt >= userTimeout;
  }

  /** The timeout has come; returns how often it had come before. */
  int expired() {
    timeoutAt = NEVER;
    unanswered = true;
    int before = expirations;
    expirations = (byte) Math.min(before + 1, Byte.MAX_VALUE);
    return before;
  }

  /** The peer had first reason now to give a sign of life. */
  void awaitProgress() {
    progressAt = connection.context.now;
  }
}
