package org.rddp.tcp;

/**
 * Fast retransmit and NewReno's fast recovery (RFC 5681 section 3.2, RFC 6582): counts duplicate
 * acknowledgments and says when the first unacknowledged segment is to be sent again.
 */
final class FastRecovery {
  private static final int THRESHOLD = 3;
  private static final int JUMP = 4;

  private final CongestionWindow congestion;
  private int duplicates;
  private boolean active;

  /** One past the last octet that was sent when recovery last began, or the timer last expired. */
  private long recover = -1;

  /** Octets that the last acknowledgment of new data brought. */
  private long lastAdvance;

  FastRecovery(CongestionWindow congestion) {
    this.congestion = congestion;
  }

  /**
   * A duplicate acknowledgment has come.
   *
   * @param una the first unacknowledged octet
   * @param max one past the last octet sent
   * @return whether to retransmit now
   */
  boolean onDuplicate(long una, long max) {
    duplicates++;
    if (active) {
      congestion.inflate();
      return false;
    }
    if (duplicates != THRESHOLD || (una <= recover && !lostAgain())) {
      return false;
    }
    active = true;
    recover = max;
    congestion.enterRecovery(max - una);
    return true;
  }

  /**
   * Whether duplicates of what was in flight before mean another loss, and not that the timer sent
   * again what the peer had: then the acknowledgment would have jumped (RFC 6582 section 4.1).
   */
  private boolean lostAgain() {
    int segment = congestion.segment();
    return congestion.octets() > segment && lastAdvance <= (long) JUMP * segment;
  }

  /**
   * New data was acknowledged.
   *
   * @param acknowledged how many octets
   * @param full whether the congestion window was in full use
   * @return whether to retransmit now: the acknowledgment was partial, so the next one is lost too
   */
  boolean onAcknowledged(long una, long max, long acknowledged, boolean full) {
    duplicates = 0;
    lastAdvance = acknowledged;
    if (!active) {
      if (full) {
        congestion.grow(acknowledged);
      }
      return false;
    }
    if (una >= recover) {
      active = false;
      congestion.leaveRecovery(max - una);
      return false;
    }
    congestion.deflate(acknowledged);
    return true;
  }

  /** The retransmission timer has expired. */
  void onTimeout(long max) {
    active = false;
    duplicates = 0;
    recover = max;
  }

  /** Octets that may be sent beyond the congestion window (limited transmit, RFC 3042). */
  long limitedTransmit() {
    return active ? 0 : (long) Math.min(duplicates, THRESHOLD - 1) * congestion.segment();
  }

  /** Whether a loss is being repaired. */
  boolean active() {
    return active;
  }
}
