package org.rddp.mpa;

import java.util.Arrays;

/**
 * Ranges of the stream whose FPDUs have been passed early: ascending, disjoint and not adjacent,
 * each of whole FPDUs. So an FPDU starts at both ends of a range.
 */
final class PassedRanges {
  private long[] starts = {};
  private long[] ends = {};
  private int count;

  boolean isEmpty() {
    return count == 0;
  }

  /** Stream position of the first octet of the first range. */
  long firstStart() {
    return starts[0];
  }

  /** Stream position after the first range. */
  long firstEnd() {
    return ends[0];
  }

  /** Whether a range ends at a stream position: an FPDU starts there. */
  boolean endAt(long position) {
    return Arrays.binarySearch(ends, 0, count, position) >= 0;
  }

  /** Adds an FPDU; none of its octets is in a range. */
  void add(long from, long to) {
    int index = count;
    while (index > 0 && starts[index - 1] >= to) {
      index--;
    }
    boolean joinsBefore = index > 0 && ends[index - 1] == from;
    boolean joinsBehind = index < count && starts[index] == to;
    if (joinsBefore && joinsBehind) {
      ends[index - 1] = ends[index];
      remove(index);
    } else if (joinsBefore) {
      ends[index - 1] = to;
    } else if (joinsBehind) {
      starts[index] = from;
    } else {
      insert(index, from, to);
    }
  }

  private void insert(int index, long from, long to) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, Math.max(8, 2 * count));
      ends = Arrays.copyOf(ends, starts.length);
    }
    System.arraycopy(starts, index, starts, index + 1, count - index);
    System.arraycopy(ends, index, ends, index + 1, count - index);
    starts[index] = from;
    ends[index] = to;
    count++;
  }

  private void remove(int index) {
    count--;
    System.arraycopy(starts, index + 1, starts, index, count - index);
    System.arraycopy(ends, index + 1, ends, index, count - index);
  }

  /** Removes the first range, which has been reached in order. */
  void removeFirst() {
    remove(0);
  }

  void clear() {
    count = 0;
  }
}
