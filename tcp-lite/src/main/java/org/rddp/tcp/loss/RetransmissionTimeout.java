package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * The retransmission timeout from measured round trips (RFC 6298), and the least of these (RFC 8985
 * section 6.2). Times in nanoseconds.
 */
public final class RetransmissionTimeout {
  /** The least initial timeout after the SYN was retransmitted (RFC 6298 section 5.7). */
  private static final long AFTER_LOST_SYN = 3_000_000_000L;

  /**
   * The clock granularity G (RFC 6298 section 2.3): turns of both engines, however even the round
   * trips were.
   */
  private static final long GRANULARITY = 1_000_000;

  private static final int LARGEST_SHIFT = 30;

  /** Shift from nanoseconds to units of about a second. */
  private static final int LEAST_SHIFT = 30;

  /** The least round trip is valid for about five minutes, because the path may change. */
  private static final int LEAST_COUNTS = 280;

  private final LossSettings settings;
  private long smoothed;
  private long variation;
  private long least = Long.MAX_VALUE;

  /** When {@link #least} was measured, in 2^30 nanoseconds. */
  private int leastAt;

  private byte shift;
  private boolean synWasLost;

  /** Creates the timeout of a connection without a measurement. */
  public RetransmissionTimeout(LossSettings settings) {
    this.settings = settings;
  }

  /** The timeout, doubled as often as it has expired. */
  public long current() {
    return backedOff(shift);
  }

  /**
   * The timeout while a single segment is in flight: the peer may delay its acknowledgment, which a
   * minimum below that delay does not allow for (RFC 8985 section 7.2 does the same for probes).
   */
  public long currentAlone() {
    long usual = current();
    return settings.minimumTimeout() >= settings.peerDelay()
        ? usual
        : Math.max(usual, smoothed + settings.peerDelay());
  }

  /** The timeout doubled {@code times} times, within the maximum. */
  public long backedOff(int times) {
    long timeout = timeout();
    long doubled = timeout << Math.min(times, LARGEST_SHIFT);
    return Math.min(doubled < timeout ? Long.MAX_VALUE : doubled, settings.maximumTimeout());
  }

  /**
   * The longest round trip that is taken from an echoed timestamp. If acknowledgments were lost,
   * the echo includes the wait for the next one. A network that has become slower is still
   * measured, in a few steps.
   */
  long longestEcho() {
    return 2 * timeout();
  }

  private long timeout() {
    if (smoothed > 0) {
      return clamp(smoothed + Math.max(4 * variation, GRANULARITY));
    }
    long initial = settings.initialTimeout();
    return synWasLost ? clamp(Math.max(initial, AFTER_LOST_SYN)) : initial;
  }

  /** Adds the round trip of a segment that was sent once (Karn's algorithm). */
  public void measured(long roundTrip, long now) {
    int at = (int) (now >> LEAST_SHIFT);
    if (roundTrip <= least || at - leastAt > LEAST_COUNTS) {
      least = roundTrip;
      leastAt = at;
    }
    if (smoothed == 0) {
      smoothed = Math.max(roundTrip, 1);
      variation = roundTrip / 2;
    } else {
      variation += (Math.abs(smoothed - roundTrip) - variation) / 4;
      smoothed += (roundTrip - smoothed) / 8;
    }
    shift = 0;
  }

  /** Doubles the timeout after it has expired. */
  public void backOff() {
    shift = (byte) Math.min(shift + 1, LARGEST_SHIFT);
  }

  /** Sets the initial timeout of a connection whose SYN was sent more than once. */
  public void synWasLost() {
    shift = 0;
    synWasLost = true;
  }

  /** The smoothed round trip, 0 when none has been measured. */
  public long smoothed() {
    return smoothed;
  }

  /** The variation of the round trip, 0 when none has been measured. */
  public long variation() {
    return variation;
  }

  /** The least round trip of the last minutes, 0 when none has been measured. */
  public long least() {
    return least == Long.MAX_VALUE ? 0 : least;
  }

  private long clamp(long nanoseconds) {
    return Math.min(Math.max(nanoseconds, settings.minimumTimeout()), settings.maximumTimeout());
  }

  /** Transfers its state. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(RetransmissionTimeout.class);
    smoothed = snapshot.number("smoothed", smoothed);
    variation = snapshot.number("variation", variation);
    least = snapshot.number("least", least);
    leastAt = snapshot.number("leastAt", leastAt);
    shift = snapshot.number("shift", shift);
    synWasLost = snapshot.flag("synWasLost", synWasLost);
    snapshot.end();
  }
}
