package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * Detects loss for a peer without SACK: each duplicate acknowledgment stands for a segment received
 * behind the gap, and the third one for the loss of the first segment (RFC 5681 section 3.2, RFC
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

  /** Segments assumed to have been received behind the gap. */
  int count() {
    return count;
  }

  /**
   * Counts another duplicate.
   *
   * @param outstanding segments sent and not acknowledged: further duplicates than one for each but
   *     the first are forged, or caused by spurious retransmissions
   */
  void more(int outstanding) {
    if (count < outstanding - 1) {
      count++;
    }
  }

  /**
   * Whether the first segment counts as lost.
   *
   * @param una the first unacknowledged octet
   * @param recover one past the last octet sent when recovery last began. Duplicates of segments in
   *     flight then mean another loss, and not a spurious retransmission by the timer, if the
   *     acknowledgment did not jump (RFC 6582 section 4.1).
   */
  boolean firstLost(long una, long recover, long window, int emss) {
    boolean lostAgain = window > emss && lastAdvance <= (long) JUMP * emss;
    return count >= THRESHOLD && (una > recover || lostAgain);
  }

  /**
   * Processes an acknowledgment of new data.
   *
   * @param segments acknowledged: the first was the gap, each other one explains a duplicate
   * @param octets acknowledged
   * @return duplicates explained
   */
  int advanced(int segments, long octets) {
    int before = count;
    count = Math.max(count - Math.max(segments - 1, 0), 0);
    lastAdvance = octets;
    return before - count;
  }

  /** Resets the count: the gap is closed, or the timer has expired. */
  void clear() {
    count = 0;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(DuplicateAcknowledgments.class);
    count = snapshot.number("count", count);
    lastAdvance = snapshot.number("lastAdvance", lastAdvance);
    snapshot.end();
  }
}
