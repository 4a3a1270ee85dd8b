package org.rddp.simulation;

import org.rddp.tcp.storage.RangeSet;

/** The octets of a stream that have been received: each once, in any order. */
public final class OctetRanges {
  private final RangeSet early = new RangeSet(8);
  private long edge;

  /** No octets. */
  public OctetRanges() {}

  /**
   * Adds octets that have been received.
   *
   * @return whether none of them was received before
   */
  public boolean add(long from, int length) {
    long to = from + length;
    int behind = early.indexAfter(from);
    if (from < edge || (behind < early.count() && early.start(behind) < to)) {
      return false;
    }
    early.add(from, to);
    if (early.start(0) == edge) {
      edge = early.end(0);
      early.removeFirst();
    }
    return true;
  }

  /** The left edge: the position of the first octet that is missing. */
  public long edge() {
    return edge;
  }

  /** Whether octets beyond the left edge have been received. */
  public boolean gaps() {
    return !early.isEmpty();
  }
}
