package org.rddp.ddp.receiving;

/**
 * Room for the headers that all streams of an engine have of segments placed early, so that peers
 * cannot fill the heap with them. Engine thread only.
 */
public final class EarlyRoom {
  /** Headers of all streams; each takes some 70 octets of heap. */
  static final int MOST = 8 * EarlySegmentHeaders.MOST;

  private int taken;

  /** Whether there is room for so many more. */
  boolean has(int headers) {
    return headers <= MOST - taken;
  }

  /** Whether less than half is left, so that nobody should keep more than is in use. */
  boolean isScarce() {
    return taken > MOST / 2;
  }

  /** Takes room; there is enough. */
  void take(int headers) {
    taken += headers;
  }

  /** Gives room back. */
  void give(int headers) {
    taken -= headers;
  }
}
