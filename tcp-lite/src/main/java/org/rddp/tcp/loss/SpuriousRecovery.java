package org.rddp.tcp.loss;

/**
 * Detects that retransmitted segments had not been lost: by timestamps (Eifel, RFC 3522), or
 * because a D-SACK reports every retransmission as a duplicate (RFC 3708). The congestion window is
 * then restored (RFC 4015).
 */
final class SpuriousRecovery {
  private static final long NONE = Long.MAX_VALUE;

  /** The first octet of the recovery, or {@link #NONE} if there is nothing to undo. */
  private long from = NONE;

  private long until;

  /** Retransmitted octets that no D-SACK has reported. */
  private long unreported;

  private boolean retransmitted;

  /** The greatest end of a retransmitted segment. */
  private long repeatedUntil;

  /** The end of the tail loss probe, whose D-SACK does not concern a recovery. */
  private long probedEnd;

  private boolean firstAdvance;
  private int stamp;

  void begin() {
    from = NONE;
    repeatedUntil = 0;
    probedEnd = NONE;
  }

  /**
   * A recovery of octets in that range begins. It can be undone, unless retransmissions of an
   * earlier recovery are in flight, whose acknowledgments would look like signs of a spurious one.
   */
  void started(long una, long max) {
    from = una < repeatedUntil ? NONE : una;
    until = max;
    unreported = 0;
    retransmitted = false;
    firstAdvance = true;
  }

  /** The timer has expired during the recovery. */
  void extended(long max) {
    until = max;
  }

  /** The recovery cannot be undone any more. */
  void forget() {
    from = NONE;
  }

  /** Whether the recovery may still prove to have been spurious. */
  boolean open() {
    return from != NONE && retransmitted && unreported > 0;
  }

  /** A segment with that end, other than the first, was sent again as a tail loss probe. */
  void probed(long end) {
    probedEnd = end;
  }

  /** A segment with that end was sent again, with that timestamp. */
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

  /** Processes a D-SACK; returns whether now every retransmission has proved to be spurious. */
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
   * New data was acknowledged; returns whether it was received before the first retransmission: the
   * first such acknowledgment echoes the timestamp of the original transmission.
   *
   * @param stamped whether the acknowledgment has a timestamp
   */
  boolean advanced(boolean stamped, int echo) {
    boolean first = firstAdvance && open();
    firstAdvance = false;
    return first && stamped && echo - stamp < 0;
  }
}
