package org.rddp.analysis;

import java.util.Arrays;

/** Times in nanoseconds. */
final class Times {
  private long[] all = new long[64];
  private int count;

  void add(long nanos) {
    if (count == all.length) {
      all = Arrays.copyOf(all, 2 * count);
    }
    all[count++] = nanos;
  }

  void clear() {
    count = 0;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /**
   * The least time that a share of them does not exceed, in microseconds.
   *
   * @param share above 0, to 1
   */
  long micros(double share) {
    long[] sorted = Arrays.copyOf(all, count);
    Arrays.sort(sorted);
    return Math.round(sorted[(int) Math.ceil(share * count) - 1] / 1000.0);
  }
}
