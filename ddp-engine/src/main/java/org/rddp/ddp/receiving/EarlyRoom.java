package org.rddp.ddp.receiving;

/**
 * Bounds the headers of early-placed segments that all streams of an engine keep, so that peers
 * cannot fill the heap with them. Engine thread only.
 */
public final class EarlyRoom {
  /** Headers of all streams; each takes some 70 octets of heap. */
  static final int MOST = 8 * EarlySegmentHeaders.MOST;

  private int taken;

  /** Whether there is room for more headers. */
  boolean has(int headers) {
    return headers <= MOST - taken;
  }

  /** Whether less than half is left; then streams should keep no more than they use. */
  boolean isScarce() {
    return taken > MOST / 2;
  }

  /** Takes room; there must be enough. */
  void take(int headers) {
    taken += headers;
  }

  /** Gives room back. */
  void give(int headers) {
    taken -= headers;
  }
}
