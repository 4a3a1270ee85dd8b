package org.rddp.crc;

import java.util.Arrays;

/**
 * Finds from which length one way to do something is quicker than another, so that whoever goes by
 * it later never loses much.
 *
 * <p>Whatever else a machine does can only make a turn slower: so each way is judged by its
 * quickest turn of many, and all lengths are looked at in several passes, of which a single
 * disturbance meets only one. What is left differs by some percent from hour to hour and from core
 * to core; so a length counts only where much more than that is won, and all greater ones with it.
 */
final class ThresholdSearch {
  /** What has to be won, in percent: near the crossover either choice is as good. */
  static final int MARGIN = 10;

  static final int PASSES = 3;
  static final int ROUNDS = 20;

  /** A turn of one of the two ways. */
  @FunctionalInterface
  interface Measurement {
    /**
     * Takes the turn.
     *
     * @param length of each message, in octets
     * @return how long it took, in ns
     */
    long measure(int length);
  }

  private final Measurement one;
  private final Measurement other;
  private final Runnable pause;

  /**
   * A search to be made.
   *
   * @param one the way that may be quicker
   * @param other the way to do it otherwise
   * @param pause leaves the core to others for a moment
   */
  ThresholdSearch(Measurement one, Measurement other, Runnable pause) {
    this.one = one;
    this.other = other;
    this.pause = pause;
  }

  /**
   * The least length from which all that are tried are quicker; {@link Long#MAX_VALUE} if not even
   * the longest is.
   *
   * @param step from one length that is tried to the next
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

  /** Both take turns, by turns: neither always follows the other. */
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
