package org.rddp.simulation;

import java.util.Map;
import java.util.TreeMap;

/** Which octets of a stream have come: each may come once, in any order. */
public final class OctetRanges {
  private final TreeMap<Long, Long> early = new TreeMap<>();
  private long edge;

  /** None yet. */
  public OctetRanges() {}

  /**
   * Octets have come.
   *
   * @return whether none of them had come before
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

  /** Whether octets beyond the left edge have come. */
  public boolean gaps() {
    return !early.isEmpty();
  }
}
