package org.rddp.ddp.receiving;

import org.rddp.tcp.storage.RangeSet;

/**
 * The offsets of one message at which octets have been placed: a single range as long as segments
 * arrive in the order of their offsets.
 */
final class PlacedRanges extends RangeSet {
  /** The most ranges of a message; far more than any known sender causes. */
  static final int MOST = 64;

  PlacedRanges() {
    super(2);
  }

  /** Offset behind the last octet placed, 0 if none is. */
  long end() {
    return isEmpty() ? 0 : end(count() - 1);
  }

  /** Whether placing {@code from} to {@code to} leaves no gap before {@code to}. */
  boolean completeWith(long from, long to) {
    long reached = 0;
    for (int i = 0; i < count(); i++) {
      if (from <= reached) {
        reached = Math.max(reached, to);
      }
      if (start(i) > reached) {
        return false;
      }
      reached = Math.max(reached, end(i));
    }
    return from <= reached;
  }

  /** Whether another range may be added. */
  boolean hasRoom() {
    return count() < MOST;
  }
}
