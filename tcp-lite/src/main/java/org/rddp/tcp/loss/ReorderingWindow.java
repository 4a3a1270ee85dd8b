package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * RACK.reo_wnd of one connection: how long a segment may be overtaken by later ones before it
 * counts as lost, by the reordering seen so far (RFC 8985 section 6.2, steps 3 to 5). Times in
 * nanoseconds.
 */
public final class ReorderingWindow {
  private static final int SEGMENTS_BEHIND = 3;
  private static final byte PERSISTENCE = 16;
  private static final byte WIDEST = 100;

  private boolean seen;
  private byte multiplier = 1;
  private byte persists;

  /** Creates the window of a connection without reordering. */
  public ReorderingWindow() {}

  /** Records that a segment sent once was received after a later one. */
  void reordered() {
    seen = true;
  }

  /** Widens the window after a spurious retransmission. Call at most once per round trip. */
  void widen() {
    if (multiplier < WIDEST) {
      multiplier++;
    }
    persists = PERSISTENCE;
  }

  /**
   * Counts a recovery that has ended: after enough of them without a spurious one the window
   * shrinks again.
   */
  void recovered() {
    if (persists > 0 && --persists == 0) {
      multiplier = 1;
    }
  }

  /**
   * The width of the window.
   *
   * @param repairing whether a loss is being repaired
   * @param behind segments that the peer has received behind a gap
   */
  long width(boolean repairing, int behind, long leastRoundTrip, long smoothed) {
    if (!seen && (repairing || behind >= SEGMENTS_BEHIND)) {
      return 0;
    }
    return Math.min(multiplier * (leastRoundTrip / 4), smoothed);
  }

  /** Transfers its state. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(ReorderingWindow.class);
    seen = snapshot.flag("seen", seen);
    multiplier = snapshot.number("multiplier", multiplier);
    persists = snapshot.number("persists", persists);
    snapshot.end();
  }
}
