package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * NewReno: after slow start the window grows by a segment per round trip, and a loss halves it (RFC
 * 5681), counting octets (RFC 3465).
 */
public sealed class NewReno extends SlowStart permits Dctcp {
  /** Octets acknowledged in congestion avoidance since the window last grew. */
  private int counted;

  private int priorWindow;

  /** 0 when there is nothing to undo. */
  private int priorThreshold;

  @Override
  public final void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now) {
    if (!limited) {
      return;
    }
    long rest = window < threshold ? slowStart(acknowledged, 1) : acknowledged;
    if (window < threshold) {
      return;
    }
    counted += (int) rest;
    if (counted >= window) {
      counted -= window;
      window = Math.min(window + segment, LARGEST);
    }
  }

  @Override
  public void onCongestion(long flight, boolean lost, long now) {
    remember();
    reduce(flight, 1, 2, lost);
  }

  @Override
  public final void onTimeout(long flight, boolean first, long now) {
    if (first) {
      remember();
      reduce(flight, 1, 2, true);
    }
    restart();
    counted = 0;
  }

  @Override
  public final void undo(long now) {
    if (priorThreshold != 0 && window < priorWindow) {
      restore(priorWindow, priorThreshold);
    }
    priorThreshold = 0;
  }

  final void remember() {
    priorWindow = window;
    priorThreshold = threshold;
    counted = 0;
  }

  @Override
  public void transfer(Snapshot snapshot) {
    super.transfer(snapshot);
    snapshot.begin(NewReno.class);
    counted = snapshot.number("counted", counted);
    priorWindow = snapshot.number("priorWindow", priorWindow);
    priorThreshold = snapshot.number("priorThreshold", priorThreshold);
    snapshot.end();
  }
}
