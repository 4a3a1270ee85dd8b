package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * HyStart++ (RFC 9406): ends the first slow start when round trips grow, before a loss. When they
 * seem to grow, slow start continues for five rounds at a quarter of its pace (Conservative Slow
 * Start), and returns to the full pace if they do not. Times in microseconds.
 *
 * <p>The RFC's least growth that counts, 4 ms, is for the Internet, and may be tuned for other
 * networks (section 4.3). Here it is at most half a round trip, so that a queue on a path of 100
 * microseconds is seen, too.
 *
 * <p>It needs eight round trips measured per round; with peers that acknowledge less often a loss
 * ends slow start. Those measured at one time count as one: they came in one burst, and if a thread
 * was late for it, all of them are late.
 */
final class HyStart {
  /** CSS_GROWTH_DIVISOR: Conservative Slow Start grows slower by this factor. */
  static final int DIVISOR = 4;

  /** MIN_RTT_THRESH where round trips take {@link #SHORT} times as long, and MAX_RTT_THRESH. */
  private static final int LEAST_GROWTH = 4000;

  private static final int MOST_GROWTH = 16_000;

  /** MIN_RTT_THRESH on shorter paths is a round trip divided by this. */
  private static final int SHORT = 2;

  /** But at least so much: the turns of both ends differ by that on any path. */
  private static final int NOISE = 16;

  /** MIN_RTT_DIVISOR. */
  private static final int GROWTH = 8;

  /** N_RTT_SAMPLE. */
  private static final int SAMPLES = 8;

  /** CSS_ROUNDS. */
  private static final int ROUNDS = 5;

  private static final int UNKNOWN = Integer.MAX_VALUE;

  /** The least round trip of the last round; in Conservative Slow Start, of its start. */
  private int reference = UNKNOWN;

  /** The least round trip of this round. */
  private int least = UNKNOWN;

  /** Octets yet to be acknowledged in this round. */
  private long left;

  private byte samples;

  /** When a round trip was last measured, in nanoseconds; wraps. */
  private int measuredAt;

  /** Rounds of Conservative Slow Start that have begun, 0 outside of it. */
  private byte rounds;

  /** Begins the first round, with {@code flight} octets in flight. */
  HyStart(long flight) {
    left = flight;
  }

  /** Whether Conservative Slow Start is active. */
  boolean conservative() {
    return rounds > 0;
  }

  /**
   * New data was acknowledged.
   *
   * @param flight octets still in flight
   * @param roundTrip nanoseconds, 0 if there is none
   * @param now in nanoseconds
   * @return whether slow start is over
   */
  boolean onAcknowledged(long acknowledged, long flight, long roundTrip, long now) {
    if (roundTrip > 0) {
      least = (int) Math.min(least, roundTrip / 1000);
      if (samples == 0 || measuredAt != (int) now) {
        samples = (byte) Math.min(samples + 1, SAMPLES);
        measuredAt = (int) now;
      }
    }
    if (samples == SAMPLES) {
      compare();
    }
    left -= acknowledged;
    return left <= 0 && roundEnds(flight);
  }

  private void compare() {
    if (conservative()) {
      if (least < reference) {
        rounds = 0;
        reference = UNKNOWN;
      }
    } else if (reference != UNKNOWN) {
      if (least >= reference + growth(reference)) {
        rounds = 1;
        reference = least;
      }
    }
  }

  /** RttThresh: the growth of a round trip by which a queue is seen. */
  private static int growth(int roundTrip) {
    int least = Math.clamp(roundTrip / SHORT, NOISE, LEAST_GROWTH);
    return Math.clamp(roundTrip / GROWTH, least, MOST_GROWTH);
  }

  private boolean roundEnds(long flight) {
    left = flight;
    samples = 0;
    if (conservative()) {
      rounds++;
    } else {
      reference = least;
    }
    least = UNKNOWN;
    return rounds > ROUNDS;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(HyStart.class);
    reference = snapshot.number("reference", reference);
    least = snapshot.number("least", least);
    left = snapshot.number("left", left);
    samples = snapshot.number("samples", samples);
    measuredAt = snapshot.number("measuredAt", measuredAt);
    rounds = snapshot.number("rounds", rounds);
    snapshot.end();
  }
}
