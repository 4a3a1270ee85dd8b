package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * CUBIC (RFC 9438): after a loss the window grows by a cubic function of time, fast up to near
 * W_max, slowly around it, then fast again. It is never smaller than Reno's would be. {@link
 * HyStart} ends the first slow start.
 *
 * <p>Only t - K is stored, where t is the function's time. It advances only while the window is in
 * full use. The window is updated eight times per round trip, which costs less than an update for
 * each acknowledgment and has the same result.
 */
public final class Cubic extends SlowStart {
  private static final double C = 0.4;

  /** alpha of section 4.3 for a beta of 0.7: 3 * (1 - beta) / (1 + beta). */
  private static final double ALPHA = 9.0 / 17;

  private static final int MOVES_PER_ROUND_TRIP = 8;
  private static final double MICROSECOND = 1e-6;
  private static final double NANOSECOND = 1e-9;

  /** Null before the first slow start has filled its window, and after the first slow start. */
  private HyStart hyStart;

  /** The window when the threshold was last set: CWND_prior. */
  private int prior;

  /** W_max; 0 if it is the window at which congestion avoidance begins, and K is 0. */
  private int wMax;

  /** t - K in microseconds. */
  private int sinceWMax;

  /** W_est, the window that Reno would have; 0 until congestion avoidance begins. */
  private int wEst;

  /** When {@link #sinceWMax} was updated, in microseconds; wraps. */
  private int updatedAt;

  /** Octets acknowledged since the last update of the window. */
  private int counted;

  private int undoPrior;

  /** 0 when there is nothing to undo. */
  private int undoThreshold;

  private int undoWMax;
  private int undoSinceWMax;
  private int undoWEst;

  @Override
  public void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now) {
    long rest = acknowledged;
    if (window < threshold) {
      rest = start(acknowledged, flight, roundTrip, limited, now);
    }
    if (window >= threshold) {
      avoidCongestion(rest, smoothed, limited, (int) (now / 1000));
    }
  }

  /** Slow start; returns the acknowledged octets that are left for congestion avoidance. */
  private long start(long acknowledged, long flight, long roundTrip, boolean limited, long now) {
    if (threshold == LARGEST) {
      if (hyStart == null && limited) {
        hyStart = new HyStart(acknowledged + flight);
      }
      if (hyStart != null && hyStart.onAcknowledged(acknowledged, flight, roundTrip, now)) {
        hyStart = null;
        prior = window;
        threshold = window;
        return acknowledged;
      }
    }
    boolean slower = hyStart != null && hyStart.conservative();
    return limited ? slowStart(acknowledged, slower ? HyStart.DIVISOR : 1) : 0;
  }

  /** Congestion avoidance (sections 4.2 to 4.5). */
  private void avoidCongestion(long acknowledged, long smoothed, boolean limited, int time) {
    int passed = time - updatedAt;
    updatedAt = time;
    if (!limited) {
      return;
    }
    if (wEst == 0) {
      begin();
    } else {
      pass(passed, smoothed);
    }
    counted += (int) acknowledged;
    if (counted >= Math.max(window / MOVES_PER_ROUND_TRIP, segment)) {
      double share = (double) counted / window;
      counted = 0;
      move(share, smoothed);
    }
  }

  private void begin() {
    wEst = window;
    counted = 0;
    sinceWMax = 0;
    if (wMax <= window) {
      wMax = window;
    } else {
      double segments = (double) (wMax - window) / segment;
      sinceWMax = (int) (-StrictMath.cbrt(segments / C) / MICROSECOND);
    }
  }

  /**
   * Advances the time. With a window in full use, acknowledgments arrive within two round trips;
   * longer intervals were idle (section 5.8).
   */
  private void pass(int passed, long smoothed) {
    long longest = 2 * smoothed / 1000;
    long counts = passed < 0 ? longest : Math.min(passed, longest);
    sinceWMax = (int) Math.min(sinceWMax + counts, Integer.MAX_VALUE);
  }

  /** Updates the window for a share of a round trip. */
  private void move(double share, long smoothed) {
    double alpha = wEst >= prior ? 1 : ALPHA;
    wEst = (int) Math.min(wEst + alpha * segment * share + 0.5, LARGEST);
    double since = sinceWMax * MICROSECOND;
    double moved;
    if (cubic(since) < wEst) {
      moved = Math.max(window, wEst);
    } else {
      double target = Math.clamp(cubic(since + smoothed * NANOSECOND), window, 1.5 * window);
      moved = window + (target - window) * share + 0.5;
    }
    window = (int) Math.min(moved, LARGEST);
  }

  /** W_cubic. */
  private double cubic(double since) {
    return wMax + C * segment * since * since * since;
  }

  @Override
  public void onCongestion(long flight, boolean lost, long now) {
    remember();
    // Fast convergence: yields to other flows if the window was smaller than at the last loss
    // (4.7).
    wMax = window < wMax ? (int) (window * 17L / 20) : window;
    prior = window;
    reduce(flight, 7, 10, lost);
    endPhase();
  }

  @Override
  public void onTimeout(long flight, boolean first, long now) {
    if (first) {
      remember();
      prior = window;
      reduce(flight, 7, 10, true);
    }
    wMax = 0;
    restart();
    endPhase();
  }

  @Override
  public void onIdle(long now) {
    super.onIdle(now);
    hyStart = null;
    if (window < threshold) {
      endPhase();
    }
  }

  @Override
  public void undo(long now) {
    if (undoThreshold != 0 && window < prior) {
      restore(prior, undoThreshold);
      prior = undoPrior;
      wMax = undoWMax;
      sinceWMax = undoSinceWMax;
      wEst = undoWEst;
    }
    undoThreshold = 0;
  }

  private void remember() {
    undoPrior = prior;
    undoThreshold = threshold;
    undoWMax = wMax;
    undoSinceWMax = sinceWMax;
    undoWEst = wEst;
  }

  /** Ends congestion avoidance, or the first slow start. */
  private void endPhase() {
    wEst = 0;
    counted = 0;
    hyStart = null;
  }

  @Override
  public void transfer(Snapshot snapshot) {
    super.transfer(snapshot);
    snapshot.begin(Cubic.class);
    prior = snapshot.number("prior", prior);
    wMax = snapshot.number("wMax", wMax);
    sinceWMax = snapshot.number("sinceWMax", sinceWMax);
    wEst = snapshot.number("wEst", wEst);
    updatedAt = snapshot.number("updatedAt", updatedAt);
    counted = snapshot.number("counted", counted);
    undoPrior = snapshot.number("undoPrior", undoPrior);
    undoThreshold = snapshot.number("undoThreshold", undoThreshold);
    undoWMax = snapshot.number("undoWMax", undoWMax);
    undoSinceWMax = snapshot.number("undoSinceWMax", undoSinceWMax);
    undoWEst = snapshot.number("undoWEst", undoWEst);
    if (snapshot.flag("hyStart", hyStart != null)) {
      hyStart = hyStart == null ? new HyStart(0) : hyStart;
      hyStart.transfer(snapshot);
    }
    snapshot.end();
  }
}
