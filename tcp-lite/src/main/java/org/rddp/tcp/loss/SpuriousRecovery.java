package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

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

  /** The end of the tail loss probe; a D-SACK for it does not count for a recovery. */
  private long probedEnd;

  private boolean firstAdvance;
  private int stamp;

  void begin() {
    from = NONE;
    repeatedUntil = 0;
    probedEnd = NONE;
  }

  /**
   * Begins a recovery of octets in a range. It can be undone, unless retransmissions of an earlier
   * recovery are in flight: their acknowledgments would make this one look spurious.
   */
  void started(long una, long max) {
    from = una < repeatedUntil ? NONE : una;
    until = max;
    unreported = 0;
    retransmitted = false;
    firstAdvance = true;
  }

  /** Extends the recovery after a timeout during it. */
  void extended(long max) {
    until = max;
  }

  /** Gives up detection: the recovery can no longer be undone. */
  void forget() {
    from = NONE;
  }

  /** Whether the recovery may still prove to have been spurious. */
  boolean open() {
    return from != NONE && retransmitted && unreported > 0;
  }

  /** Records a tail loss probe that sent a segment again, by its end. */
  void probed(long end) {
    probedEnd = end;
  }

  /** Records a retransmission, by its end and timestamp. */
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

  /** Processes a D-SACK; returns whether every retransmission has now proved spurious. */
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
   * Processes an acknowledgment of new data; returns whether that was received before the first
   * retransmission: the first such acknowledgment then echoes the timestamp of the original
   * transmission.
   *
   * @param stamped whether the acknowledgment has a timestamp
   */
  boolean advanced(boolean stamped, int echo) {
    boolean first = firstAdvance && open();
    firstAdvance = false;
    return first && stamped && echo - stamp < 0;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SpuriousRecovery.class);
    from = snapshot.number("from", from);
    until = snapshot.number("until", until);
    unreported = snapshot.number("unreported", unreported);
    retransmitted = snapshot.flag("retransmitted", retransmitted);
    repeatedUntil = snapshot.number("repeatedUntil", repeatedUntil);
    probedEnd = snapshot.number("probedEnd", probedEnd);
    firstAdvance = snapshot.flag("firstAdvance", firstAdvance);
    stamp = snapshot.number("stamp", stamp);
    snapshot.end();
  }
}
