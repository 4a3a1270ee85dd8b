package org.rddp.tcp.congestion;

/**
 * Slow start, then a segment more per round trip, and half of it after a loss (RFC 5681), counting
 * octets (RFC 3465).
 */
public final class NewReno implements CongestionControl {
  /**
   * How many segments' worth one acknowledgment may open the window in slow start (the limit L of
   * RFC 3465). Receivers such as ours acknowledge once per burst, so two would be too few.
   */
  static final int SLOW_START_LIMIT = 32;

  private int segment;
  private int window;
  private int threshold = LARGEST;

  /** Octets acknowledged in congestion avoidance that have not yet opened the window. */
  private int counted;

  private int priorWindow;
  private int priorThreshold;

  @Override
  public void open(int emss, long now) {
    segment = emss;
    window = CongestionControl.initialWindow(emss);
  }

  @Override
  public void emss(int emss) {
    segment = emss;
    window = Math.max(window, emss);
  }

  @Override
  public long window() {
    return window;
  }

  @Override
  public long threshold() {
    return threshold;
  }

  @Override
  public void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now) {
    if (!limited) {
      return;
    }
    if (window < threshold) {
      window += (int) Math.min(acknowledged, (long) SLOW_START_LIMIT * segment);
    } else {
      counted += (int) acknowledged;
      if (counted >= window) {
        counted -= window;
        window += segment;
      }
    }
    window = Math.min(window, LARGEST);
  }

  @Override
  public void onCongestion(long flight, boolean lost, long now) {
    remember();
    threshold = half(flight);
    window = lost ? threshold : (int) Math.max(flight / 2, segment);
    counted = 0;
  }

  @Override
  public void onRecovered(long now) {
    window = threshold;
  }

  @Override
  public void onTimeout(long flight, boolean first, long now) {
    if (first) {
      remember();
      threshold = half(flight);
    }
    window = segment;
    counted = 0;
  }

  @Override
  public void onIdle(long now) {
    window = Math.min(window, CongestionControl.initialWindow(segment));
  }

  @Override
  public void undo(long now) {
    window = Math.max(window, priorWindow);
    threshold = Math.max(threshold, priorThreshold);
  }

  private void remember() {
    priorWindow = window;
    priorThreshold = threshold;
  }

  private int half(long flight) {
    return (int) Math.max(flight / 2, 2L * segment);
  }
}
