package org.rddp.tcp.loss;

/**
 * Finds out that what was sent again had not been lost, by timestamps (Eifel, RFC 3522) or because
 * every retransmission is reported as a duplicate (D-SACK, RFC 3708); the congestion window can
 * then be given back (RFC 4015).
 */
final class SpuriousRecovery {
  private static final long NONE = Long.MAX_VALUE;

  /** The first octet of the recovery, or {@link #NONE} when there is nothing to undo. */
  private long from = NONE;

  private long until;

  /** Octets sent again that no D-SACK has reported. */
  private long unreported;

  private boolean retransmitted;

  /** Everything that was ever sent again ends before this. */
  private long repeatedUntil;

  /** Where the tail loss probe ended whose D-SACK says nothing of a recovery. */
  private long probedEnd;

  private boolean firstAdvance;
  private int stamp;

  void begin() {
    from = NONE;
    repeatedUntil = 0;
    probedEnd = NONE;
  }

  /**
   * A recovery of octets in that range begins. What it does can be undone, unless retransmissions
   * of an earlier one are still under way: the acknowledgment of one of those would look as if it
   * were of something that this recovery has sent again for nothing.
   */
  void started(long una, long max) {
    from = una < repeatedUntil ? NONE : una;
    until = max;
    unreported = 0;
    retransmitted = false;
    firstAdvance = true;
  }

  /** The timer has expired in a recovery that had begun before. */
  void extended(long max) {
    until = max;
  }

  /** There is nothing to undo (any more). */
  void forget() {
    from = NONE;
  }

  /** Whether what has begun can still turn out to have been needless. */
  boolean open() {
    return from != NONE && retransmitted && unreported > 0;
  }

  /** A segment that ends there, and is not the first, was sent again as a tail loss probe. */
  void probed(long end) {
    probedEnd = end;
  }

  /** A segment that ends there was sent again, with that timestamp. */
  void retransmitted(int octets, long end, int timestamp) {
    repeatedUntil = Math.max(repeatedUntil, end);
    if (from != NONE) {
      if (!retransmitted) {
        retransmitted = true;
        stamp = timestamp;
      }
      unreported += octets;
    }
  }

  /** A D-SACK has come; returns whether with it every retransmission turns out to be needless. */
  boolean duplicate(long left, long right) {
    if (right == probedEnd) {
      probedEnd = NONE;
      return false;
    }
    if (!open() || left < from || right > until) {
      return false;
    }
    unreported -= right - left;
    return unreported <= 0;
  }

  /**
   * New data was acknowledged; returns whether it had come before anything was sent again: the
   * first such acknowledgment echoes what was sent first.
   *
   * @param stamped whether the acknowledgment has a timestamp
   */
  boolean advanced(boolean stamped, int echo) {
    boolean first = firstAdvance && open();
    firstAdvance = false;
    return first && stamped && echo - stamp < 0;
  }
}
