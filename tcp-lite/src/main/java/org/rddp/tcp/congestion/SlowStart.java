package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * The common part of NewReno and CUBIC: the initial window (RFC 6928), slow start (RFC 5681 section
 * 3.1) by octets (RFC 3465), and the restart after an idle time (RFC 5681 section 4.1).
 */
abstract class SlowStart implements CongestionControl {
  /**
   * The limit L of RFC 3465: the most segments by which one acknowledgment opens the window.
   * Receivers like ours acknowledge once per burst, so two would be too few.
   */
  static final int LIMIT = 32;

  /** CWND. */
  int window;

  /** SSTHRESH. */
  int threshold = LARGEST;

  /** EMSS. */
  char segment;

  /**
   * Whether this is slow start after a timeout. One acknowledgment may then cover many octets that
   * left the network earlier, so the limit is one segment (RFC 3465 section 2.3).
   */
  private boolean afterTimeout;

  @Override
  public void open(int emss, long now) {
    segment = (char) emss;
    window = CongestionControl.initialWindow(emss);
  }

  @Override
  public final void follow(CongestionControl former) {
    if (former.window() < LARGEST) {
      window = (int) former.window();
      threshold = (int) former.threshold();
    }
  }

  @Override
  public final void onSynLost() {
    window = segment;
  }

  @Override
  public final void emss(int emss) {
    segment = (char) emss;
    window = Math.max(window, emss);
  }

  @Override
  public final long window() {
    return window;
  }

  @Override
  public final long threshold() {
    return threshold;
  }

  @Override
  public void onRecovered(long now) {
    window = threshold;
  }

  @Override
  public void onIdle(long now) {
    window = Math.min(window, CongestionControl.initialWindow(segment));
  }

  /**
   * Opens the window below the threshold.
   *
   * @param divisor of the growth
   * @return acknowledged octets left for congestion avoidance
   */
  final long slowStart(long acknowledged, int divisor) {
    long most = Math.min(acknowledged, (long) (afterTimeout ? 1 : LIMIT) * segment) / divisor;
    long step = Math.min(most, threshold - window);
    window += (int) step; // MPAB-2.2-07
    if (window < threshold) {
      return 0;
    }
    afterTimeout = false;
    return most - step;
  }

  /**
   * Lowers threshold and window after a loss or an echo of congestion; an echo may lower the window
   * to one segment.
   *
   * @param flight octets in flight; those added by limited transmit do not count (RFC 5681 section
   *     3.2 step 2)
   */
  final void reduce(long flight, int numerator, int denominator, boolean lost) {
    reduceTo(Math.min(flight, window) * numerator / denominator, lost);
  }

  /** Lowers threshold and window to so many octets, like {@link #reduce}. */
  final void reduceTo(long reduced, boolean lost) {
    threshold = Math.clamp(reduced, 2 * segment, LARGEST);
    window = lost ? threshold : Math.clamp(reduced, segment, LARGEST);
    afterTimeout = false;
  }

  /** Begins slow start with a window of one segment, after a timeout. */
  final void restart() {
    window = segment;
    afterTimeout = true;
  }

  /** Restores window and threshold. */
  final void restore(int priorWindow, int priorThreshold) {
    window = priorWindow;
    threshold = priorThreshold;
    afterTimeout = false;
  }

  @Override
  public void transfer(Snapshot snapshot) {
    snapshot.begin(SlowStart.class);
    window = snapshot.number("window", window);
    threshold = snapshot.number("threshold", threshold);
    segment = snapshot.number("segment", segment);
    afterTimeout = snapshot.flag("afterTimeout", afterTimeout);
    snapshot.end();
  }
}
