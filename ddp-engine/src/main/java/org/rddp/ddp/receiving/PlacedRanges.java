package org.rddp.ddp.receiving;

import java.util.Arrays;

/**
 * The octets of one message that have been placed, as ascending, disjoint ranges that are not
 * adjacent: a single range as long as segments come in the order of their offsets.
 */
final class PlacedRanges {
  /** The most ranges of a message; no known sender comes near it. */
  static final int MOST = 64;

  private long[] starts = new long[2];
  private long[] ends = new long[2];
  private int count;

  void clear() {
    count = 0;
  }

  /** Offset after the last octet placed, 0 if there is none. */
  long end() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /**
   * Whether no octet before {@code to} would be missing once those from {@code from} to {@code to}
   * are added.
   */
  boolean completeWith(long from, long to) {
    long reached = 0;
    for (int i = 0; i < count; i++) {
      if (from <= reached) {
        reached = Math.max(reached, to);
      }
      if (starts[i] > reached) {
        return false;
      }
      reached = Math.max(reached, ends[i]);
    }
    return from <= reached;
  }

  /** Whether another range can be added. */
  boolean hasRoom() {
    return count < MOST;
  }

  /** Adds octets, at least one, that have been placed. Requires {@link #hasRoom()}. */
  void add(long from, long to) {
    int first = count;
    while (first > 0 && ends[first - 1] >= from) {
      first--;
    }
    int behind = first;
    long start = from;
    long end = to;
    while (behind < count && starts[behind] <= to) {
      start = Math.min(start, starts[behind]);
      end = Math.max(end, ends[behind]);
      behind++;
    }
    replace(first, behind, start, end);
  }

  private void replace(int first, int behind, long start, long end) {
    if (first == behind && count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
    }
    System.arraycopy(starts, behind, starts, first + 1, count - behind);
    System.arraycopy(ends, behind, ends, first + 1, count - behind);
    count += 1 - (behind - first);
    starts[first] = start;
    ends[first] = end;
  }
}
