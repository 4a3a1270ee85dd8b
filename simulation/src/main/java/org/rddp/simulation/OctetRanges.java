package org.rddp.simulation;

import java.util.Map;
import java.util.TreeMap;

/** The octets of a stream that have arrived. Each may arrive once, in any order. */
public final class OctetRanges {
  private final TreeMap<Long, Long> early = new TreeMap<>();
  private long edge;

  /** No octets. */
  public OctetRanges() {}

  /**
   * Octets have arrived.
   *
   * @return whether none of them had arrived before
   */
  public boolean add(long from, int length) {
    long to = from + length;
    if (from < edge) {
      return false;
    }
    if (from == edge && early.isEmpty()) {
      edge = to;
      return true;
    }
    Map.Entry<Long, Long> before = early.floorEntry(to - 1);
    if (before != null && before.getValue() > from) {
      return false;
    }
    early.put(from, to);
    while (!early.isEmpty() && early.firstKey() == edge) {
      edge = early.pollFirstEntry().getValue();
    }
    return true;
  }

  /** The left edge: behind the last octet before which none is missing. */
  public long edge() {
    return edge;
  }

  /** Whether octets beyond the left edge have arrived. */
  public boolean gaps() {
    return !early.isEmpty();
  }
}
