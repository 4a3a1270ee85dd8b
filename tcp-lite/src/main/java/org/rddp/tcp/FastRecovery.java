package org.rddp.tcp;

import org.rddp.tcp.congestion.CongestionControl;

/**
 * Fast retransmit and NewReno's fast recovery (RFC 5681 section 3.2, RFC 6582): counts duplicate
 * acknowledgments and says when the first unacknowledged segment is to be sent again.
 */
final class FastRecovery {
  private static final int THRESHOLD = 3;
  private static final int JUMP = 4;

  private final CongestionControl congestion;
  private int emss;

  /** What may be in flight during recovery, RFC 6582's inflated window, and just after it. */
  private long inflated;

  private boolean steered;

  private int duplicates;
  private boolean active;

  /** One past the last octet that was sent when recovery last began, or the timer last expired. */
  private long recover = -1;

  /** Octets that the last acknowledgment of new data brought. */
  private long lastAdvance;

  FastRecovery(CongestionControl congestion) {
    this.congestion = congestion;
  }

  void emss(int octets) {
    emss = octets;
  }

  /** Octets that may be in flight. */
  long window() {
    return steered ? inflated : congestion.window();
  }

  /**
   * A duplicate acknowledgment has come.
   *
   * @param una the first unacknowledged octet
   * @param max one past the last octet sent
   * @return whether to retransmit now
   */
  boolean onDuplicate(long una, long max, long now) {
    duplicates++;
    if (active) {
      inflated += emss;
      return false;
    }
    if (duplicates != THRESHOLD || (una <= recover && !lostAgain())) {
      return false;
    }
    active = true;
    steered = true;
    recover = max;
    congestion.onCongestion(max - una, true, now);
    inflated = congestion.threshold() + (long) THRESHOLD * emss;
    return true;
  }

  /**
   * Whether duplicates of what was in flight before mean another loss, and not that the timer sent
   * again what the peer had: then the acknowledgment would have jumped (RFC 6582 section 4.1).
   */
  private boolean lostAgain() {
    return congestion.window() > emss && lastAdvance <= (long) JUMP * emss;
  }

  /**
   * New data was acknowledged.
   *
   * @param acknowledged how many octets
   * @param roundTrip what the acknowledgment says the round trip is, 0 if nothing
   * @param limited whether the congestion window was in full use
   * @return whether to retransmit now: the acknowledgment was partial, so the next one is lost too
   */
  boolean onAcknowledged(
      long una,
      long max,
      long acknowledged,
      long roundTrip,
      long smoothed,
      boolean limited,
      long now) {
    duplicates = 0;
    lastAdvance = acknowledged;
    if (!active) {
      steered = false;
      congestion.onAcknowledged(acknowledged, max - una, roundTrip, smoothed, limited, now);
      return false;
    }
    if (una >= recover) {
      active = false;
      congestion.onRecovered(now);
      inflated = Math.min(congestion.threshold(), Math.max(max - una, emss) + emss);
      return false;
    }
    inflated = Math.max(inflated - acknowledged, emss) + (acknowledged >= emss ? emss : 0);
    return true;
  }

  /** The retransmission timer has expired. */
  void onTimeout(long max) {
    active = false;
    steered = false;
    duplicates = 0;
    recover = max;
  }

  /** Octets that may be sent beyond the congestion window (limited transmit, RFC 3042). */
  long limitedTransmit() {
    return active ? 0 : (long) Math.min(duplicates, THRESHOLD - 1) * emss;
  }

  /** Whether a loss is being repaired. */
  boolean active() {
    return active;
  }
}
