package org.rddp.crc;

import java.util.Arrays;

/**
 * Finds the length from which one method is faster than another, cautiously, so that using the
 * result never costs much.
 *
 * <p>Other load can only slow a measurement down. So each method is judged by the fastest of many
 * measurements, and all lengths are measured in several passes, so that a disturbance affects only
 * one pass. Results still vary by some percent over time and between cores. So a length counts only
 * if it and every greater one gain more than {@link #MARGIN} percent.
 */
final class ThresholdSearch {
  /** The required gain in percent; near the crossover either method is as good. */
  static final int MARGIN = 10;

  static final int PASSES = 3;
  static final int ROUNDS = 20;

  /** One measurement of one of the two methods. */
  @FunctionalInterface
  interface Measurement {
    /**
     * Runs the measurement.
     *
     * @param length octets of each message
     * @return its duration in ns
     */
    long measure(int length);
  }

  private final Measurement one;
  private final Measurement other;
  private final Runnable pause;

  /**
   * Creates a search.
   *
   * @param one the method that may be faster
   * @param other the method to compare with
   * @param pause yields the core for a moment
   */
  ThresholdSearch(Measurement one, Measurement other, Runnable pause) {
    this.one = one;
    this.other = other;
    this.pause = pause;
  }

  /**
   * The shortest length from which {@code one} is faster for all lengths tried; {@link
   * Long#MAX_VALUE} if it is not for the longest.
   *
   * @param step difference between lengths tried
   */
  long least(int least, int longest, int step) {
    int lengths = (longest - least) / step + 1;
    long[] quickest = new long[lengths];
    long[] otherwise = new long[lengths];
    Arrays.fill(quickest, Long.MAX_VALUE);
    Arrays.fill(otherwise, Long.MAX_VALUE);
    for (int pass = 0; pass < PASSES; pass++) {
      for (int i = 0; i < lengths; i++) {
        measure(least + i * step, i, quickest, otherwise);
        pause.run();
      }
    }
    int found = lengths;
    while (found > 0 && wins(quickest[found - 1], otherwise[found - 1])) {
      found--;
    }
    return found == lengths ? Long.MAX_VALUE : least + (long) found * step;
  }

  /** Measures both, alternating which goes first. */
  private void measure(int length, int index, long[] quickest, long[] otherwise) {
    for (int round = 0; round < ROUNDS; round++) {
      long first = round % 2 == 0 ? one.measure(length) : other.measure(length);
      long second = round % 2 == 0 ? other.measure(length) : one.measure(length);
      quickest[index] = Math.min(quickest[index], round % 2 == 0 ? first : second);
      otherwise[index] = Math.min(otherwise[index], round % 2 == 0 ? second : first);
    }
  }

  private static boolean wins(long nanos, long otherwise) {
    return nanos * 100 <= otherwise * (100 - MARGIN);
  }
}
