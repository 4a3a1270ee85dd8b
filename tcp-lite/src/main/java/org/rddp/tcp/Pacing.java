package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.congestion.CongestionControl;

/**
 * Spreads the new segments of a connection over its round trip: they leave in bursts at a rate a
 * little above a window per round trip, twice that in slow start, where the window doubles. Times
 * in nanoseconds.
 *
 * <p>Only for paths whose round trip is many turns of the engine ({@link
 * TcpSettings#pacedRoundTrip}): on others a pause would be as long as the round trip. A connection
 * has none until its path turns out to be one.
 */
final class Pacing {
  /**
   * The least burst in segments: after a pause two bursts may leave, as many as RFC 9406 allows.
   */
  private static final int SEGMENTS = 4;

  /** Bursts of a window, where these are longer. */
  private static final int BURSTS = 16;

  /** When what was sent has been paid for by the rate. */
  private long paidUntil = Long.MIN_VALUE;

  /** Whether nothing is sent until then. */
  private boolean paused;

  /** Octets of a burst, which is also the longest train. */
  static int burst(long window, int emss) {
    return (int) Math.max((long) SEGMENTS * emss, window / BURSTS);
  }

  /** Whether new segments have to wait. */
  boolean paused(long now) {
    paused = paused && now < paidUntil;
    return paused;
  }

  /** When the pause ends. */
  long end() {
    return paidUntil;
  }

  /**
   * Takes what was sent from the rate.
   *
   * @param former null if the path has been too short for pacing
   * @return null if it is
   */
  static Pacing sent(Pacing former, int octets, Sender sender, StackContext context) {
    if (sender.timeout.least() < context.settings.pacedRoundTrip()) {
      return null;
    }
    Pacing pacing = former == null ? new Pacing() : former;
    long smoothed = sender.timeout.smoothed();
    pacing.sent(octets, sender.congestion, sender.emss(), smoothed, context.now);
    return pacing;
  }

  /**
   * Records new octets.
   *
   * @param emss octets of a full segment
   * @param smoothed round trip
   */
  private void sent(int octets, CongestionControl congestion, int emss, long smoothed, long now) {
    long window = congestion.window();
    boolean slowStart = window < congestion.threshold();
    long full = slowStart ? 2 * window : window + window / 5;
    long ofBurst = burst(window, emss) * smoothed / full;
    // What an engine is late with, up to a burst, is made good.
    paidUntil = Math.max(paidUntil, now - ofBurst) + octets * smoothed / full;
    paused = paidUntil - now >= ofBurst;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Pacing.class);
    paidUntil = snapshot.number("paidUntil", paidUntil);
    paused = snapshot.flag("paused", paused);
    snapshot.end();
  }
}
