package org.rddp.tcp.loss;

/**
 * Loss detection for a peer without SACK: each duplicate acknowledgment stands for a segment that
 * has come behind the gap, and the third for the loss of the first (RFC 5681 section 3.2, RFC
 * 6582).
 */
final class DuplicateAcknowledgments {
  private static final int THRESHOLD = 3;
  private static final int JUMP = 4;

  private int count;
  private long lastAdvance;

  void begin() {
    count = 0;
    lastAdvance = 0;
  }

  /** How many segments are taken to be behind the gap. */
  int count() {
    return count;
  }

  /**
   * Another duplicate has come.
   *
   * @param outstanding segments sent and not acknowledged: duplicates of more than all but the
   *     first are forged, or of what was sent needlessly
   */
  void more(int outstanding) {
    if (count < outstanding - 1) {
      count++;
    }
  }

  /**
   * Whether the first segment is to be taken for lost.
   *
   * @param una the first unacknowledged octet
   * @param recover one past the last octet sent when recovery last began. Duplicates of what was in
   *     flight then mean another loss, and not that the timer sent again what the peer had, if the
   *     acknowledgment did not jump (RFC 6582 section 4.1).
   */
  boolean firstLost(long una, long recover, long window, int emss) {
    boolean lostAgain = window > emss && lastAdvance <= (long) JUMP * emss;
    return count >= THRESHOLD && (una > recover || lostAgain);
  }

  /**
   * New data was acknowledged.
   *
   * @param segments how many segments: the first was the gap, the others are duplicates accounted
   *     for
   * @param octets how much
   * @return how many duplicates were accounted for
   */
  int advanced(int segments, long octets) {
    int before = count;
    count = Math.max(count - Math.max(segments - 1, 0), 0);
    lastAdvance = octets;
    return before - count;
  }

  /** The gap is closed, or the timer has expired: nothing is behind it any more. */
  void clear() {
    count = 0;
  }
}
