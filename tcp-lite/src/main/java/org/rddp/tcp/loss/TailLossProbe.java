package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * The tail loss probe (RFC 8985 section 7): after about two round trips without an acknowledgment,
 * one segment makes the peer acknowledge what it has, long before the retransmission timer expires.
 * Times in nanoseconds.
 */
public final class TailLossProbe {
  private static final long NONE = -1;
  private static final long WITHOUT_ROUND_TRIP = 1_000_000_000L;

  private long end = NONE;
  private boolean again;

  TailLossProbe() {}

  void begin() {
    end = NONE;
  }

  /** Whether it is still unknown if the last probe repaired a loss. */
  public boolean outstanding() {
    return end != NONE;
  }

  /**
   * The probe timeout (section 7.2).
   *
   * @param alone whether a single segment is in flight, whose acknowledgment the peer may delay
   */
  static long timeout(long smoothed, boolean alone, LossSettings settings) {
    if (smoothed == 0) {
      return WITHOUT_ROUND_TRIP;
    }
    long twice = Math.max(2 * smoothed, settings.minimumProbe());
    return alone ? twice + settings.peerDelay() : twice;
  }

  /**
   * Records a sent probe (section 7.3).
   *
   * @param highest one past the last octet sent
   * @param retransmission whether it carried no new data
   */
  void sent(long highest, boolean retransmission) {
    end = highest;
    again = retransmission;
  }

  /** Forgets the probe: the timer has expired, or a recovery has begun. */
  void forget() {
    end = NONE;
  }

  /**
   * Processes an acknowledgment (section 7.4).
   *
   * @param duplicateRight the end of its D-SACK, 0 if there is none
   * @param bareDuplicate whether it acknowledges nothing and has no SACK blocks
   * @return whether the probe repaired a loss, which counts for congestion control
   */
  boolean acknowledged(long ack, long duplicateRight, boolean bareDuplicate) {
    if (end == NONE || ack < end) {
      return false;
    }
    if (!again || duplicateRight == end) {
      end = NONE;
      return false;
    }
    if (ack > end) {
      end = NONE;
      return true;
    }
    if (bareDuplicate) {
      end = NONE;
    }
    return false;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(TailLossProbe.class);
    end = snapshot.number("end", end);
    again = snapshot.flag("again", again);
    snapshot.end();
  }
}
