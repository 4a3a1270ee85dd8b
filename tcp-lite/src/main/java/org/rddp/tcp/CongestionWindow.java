package org.rddp.tcp;

/** The congestion window (RFC 5681), counted in octets; it starts at ten segments (RFC 6928). */
final class CongestionWindow {
  private static final int INITIAL_SEGMENTS = 10;
  private static final int INITIAL_OCTETS = 14600;

  /**
   * How many segments' worth one acknowledgment may open the window in slow start (the limit L of
   * RFC 3465). Receivers such as ours acknowledge once per burst, so two would be too few.
   */
  private static final int SLOW_START_LIMIT = 32;

  /** What a window cannot exceed: the largest that TCP can announce, 65535 * 2^14. */
  private static final long LARGEST = 65535L << 14;

  private int segment;
  private long window;
  private long threshold = LARGEST;
  private long counted;

  /** The connection is established. */
  void open(int emss) {
    segment = emss;
    window = initial();
  }

  private long initial() {
    return Math.min((long) INITIAL_SEGMENTS * segment, Math.max(2L * segment, INITIAL_OCTETS));
  }

  /** Octets that may be in flight. */
  long octets() {
    return window;
  }

  /** The sender's maximum segment size. */
  int segment() {
    return segment;
  }

  /** Slow start ends, and recovery resumes, here. */
  long threshold() {
    return threshold;
  }

  /** New data was acknowledged, outside of recovery, while the window was in full use. */
  void grow(long acknowledged) {
    if (window < threshold) {
      window += Math.min(acknowledged, (long) SLOW_START_LIMIT * segment);
    } else {
      counted += acknowledged;
      if (counted >= window) {
        counted -= window;
        window += segment;
      }
    }
    window = Math.min(window, LARGEST);
  }

  /** Fast retransmit: half of what is in flight, and the three segments that have left. */
  void enterRecovery(long inFlight) {
    threshold = half(inFlight);
    window = threshold + 3L * segment;
    counted = 0;
  }

  /** Another segment has left the network during recovery. */
  void inflate() {
    window = Math.min(window + segment, LARGEST);
  }

  /** A partial acknowledgment during recovery (RFC 6582 section 3.2 step 3). */
  void deflate(long acknowledged) {
    window = Math.max(window - acknowledged, segment);
    if (acknowledged >= segment) {
      window += segment;
    }
  }

  /** Everything that was in flight when recovery began has been acknowledged. */
  void leaveRecovery(long inFlight) {
    window = Math.min(threshold, Math.max(inFlight, segment) + segment);
  }

  /**
   * The retransmission timer has expired: one segment.
   *
   * @param first whether it is the first time for this data; the threshold is lowered only then
   */
  void timeout(long inFlight, boolean first) {
    if (first) {
      threshold = half(inFlight);
    }
    window = segment;
    counted = 0;
  }

  /** Nothing was sent for a retransmission timeout (RFC 5681 section 4.1). */
  void restart() {
    window = Math.min(window, initial());
  }

  private long half(long inFlight) {
    return Math.max(inFlight / 2, 2L * segment);
  }
}
