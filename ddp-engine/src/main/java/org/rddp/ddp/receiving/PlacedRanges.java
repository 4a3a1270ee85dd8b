package org.rddp.ddp.receiving;

import java.util.Arrays;

/**
 * Which octets of one message have been placed: as ranges in rising order that do not touch, one as
 * long as the segments come in the order of their offsets.
 */
final class PlacedRanges {
  /** A message in more pieces than this is no message that anyone sends. */
  static final int MOST = 64;

  private long[] starts = new long[2];
  private long[] ends = new long[2];
  private int count;

  void clear() {
    count = 0;
  }

  /** Offset behind the last octet placed, 0 if none is. */
  long end() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /** Whether no octet would be missing before {@code to}, once those from {@code from} are here. */
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

  /** Whether there is room to note one more range, wherever it is. */
  boolean hasRoom() {
    return count < MOST;
  }

  /** Notes octets, at least one, that have been placed. Needs {@link #hasRoom()}. */
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
