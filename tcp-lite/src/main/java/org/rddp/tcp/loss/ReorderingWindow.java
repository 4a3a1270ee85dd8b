package org.rddp.tcp.loss;

/**
 * What one connection has learnt about how far its network puts segments out of order, and how long
 * to wait therefore before one is taken for lost: RACK.reo_wnd (RFC 8985 section 6.2, steps 3 to
 * 5). Times in nanoseconds.
 */
public final class ReorderingWindow {
  private static final int SEGMENTS_BEHIND = 3;
  private static final byte PERSISTENCE = 16;
  private static final byte WIDEST = 100;

  private boolean seen;
  private byte multiplier = 1;
  private byte persists;

  /** Nothing has been seen to be reordered. */
  public ReorderingWindow() {}

  /** A segment that was sent once has come after one that was sent later. */
  void reordered() {
    seen = true;
  }

  /** Whether the network was ever seen to put segments out of order. */
  public boolean seen() {
    return seen;
  }

  /** A retransmission was needless: wait longer. Once per round trip at most. */
  void widen() {
    if (multiplier < WIDEST) {
      multiplier++;
    }
    persists = PERSISTENCE;
  }

  /** A recovery has ended: after so many without needless retransmissions wait less again. */
  void recovered() {
    if (persists > 0 && --persists == 0) {
      multiplier = 1;
    }
  }

  /**
   * How long a segment may come after one that was sent later.
   *
   * @param repairing whether a loss is being repaired
   * @param behind how many segments the peer has behind a gap
   */
  long width(boolean repairing, int behind, long leastRoundTrip, long smoothed) {
    if (!seen && (repairing || behind >= SEGMENTS_BEHIND)) {
      return 0;
    }
    return Math.min(multiplier * (leastRoundTrip / 4), smoothed);
  }
}
