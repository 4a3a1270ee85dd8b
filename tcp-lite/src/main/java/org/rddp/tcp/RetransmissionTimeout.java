package org.rddp.tcp;

/** The retransmission timeout from measured round trips (RFC 6298). Times in nanoseconds. */
final class RetransmissionTimeout {
  /** Where it starts again when the SYN had to be retransmitted (RFC 6298 section 5.7). */
  private static final long AFTER_LOST_SYN = 3_000_000_000L;

  private static final int LARGEST_SHIFT = 30;

  private final TcpSettings settings;
  private long smoothed;
  private long variation;
  private long timeout;
  private int shift;

  RetransmissionTimeout(TcpSettings settings) {
    this.settings = settings;
    timeout = settings.initialRetransmission();
  }

  /** The timeout now, backed off as often as it has expired. */
  long current() {
    return backedOff(shift);
  }

  /** The timeout doubled that many times, within the maximum. */
  long backedOff(int times) {
    long doubled = timeout << Math.min(times, LARGEST_SHIFT);
    return Math.min(doubled < timeout ? Long.MAX_VALUE : doubled, settings.maximumRetransmission());
  }

  /** Takes in the round trip of a segment that was sent once (Karn's algorithm). */
  void measured(long roundTrip) {
    if (smoothed == 0) {
      smoothed = Math.max(roundTrip, 1);
      variation = roundTrip / 2;
    } else {
      variation += (Math.abs(smoothed - roundTrip) - variation) / 4;
      smoothed += (roundTrip - smoothed) / 8;
    }
    shift = 0;
    timeout = clamp(smoothed + 4 * variation);
  }

  /** The timer has expired: the next one waits twice as long. */
  void backOff() {
    shift++;
  }

  /** The connection was established after the SYN had been sent more than once. */
  void synWasLost() {
    shift = 0;
    timeout = clamp(Math.max(timeout, AFTER_LOST_SYN));
  }

  /** The smoothed round trip, 0 when none has been measured. */
  long smoothed() {
    return smoothed;
  }

  private long clamp(long nanoseconds) {
    return Math.min(
        Math.max(nanoseconds, settings.minimumRetransmission()), settings.maximumRetransmission());
  }
}
