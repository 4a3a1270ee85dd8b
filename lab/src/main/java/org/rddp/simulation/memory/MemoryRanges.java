package org.rddp.simulation.memory;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Allocates ranges of a part of a memory. They do not overlap, and there are gaps between them. */
public final class MemoryRanges {
  private static final int GAP = 8;

  private final SplittableRandom random;
  private final int first;
  private final int end;
  private final TreeMap<Integer, Integer> taken = new TreeMap<>();
  private int next;

  /** All of the range is free. */
  public MemoryRanges(SplittableRandom random, int first, int end) {
    this.random = random;
    this.first = first;
    this.end = end;
    next = first;
  }

  /** The most octets that should be allocated at once. */
  public int longest() {
    return (end - first) / 2;
  }

  /** Allocates a range; returns its offset, or -1 if there is no room. */
  public int allocate(int length) {
    int found = find(next + random.nextInt(GAP), length, end);
    if (found < 0) {
      found = find(first, length, end);
    }
    if (found >= 0) {
      taken.put(found, found + length);
      next = found + length;
    }
    return found;
  }

  private int find(int start, int length, int limit) {
    int from = start;
    Map.Entry<Integer, Integer> before = taken.floorEntry(from);
    if (before != null && before.getValue() > from) {
      from = before.getValue();
    }
    Integer behind = taken.ceilingKey(from);
    while (behind != null && behind < from + Math.max(1, length)) {
      from = taken.get(behind) > from ? taken.get(behind) : from + 1;
      behind = taken.ceilingKey(from);
    }
    return from + Math.max(1, length) <= limit ? from : -1;
  }

  /** Frees the range that begins there. */
  public void free(int from) {
    taken.remove(from);
  }
}
