package org.rddp.daemon.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts times by their length, in buckets whose upper bounds grow by a factor of 1.5 or 1.33 in
 * turn: 64, 96, 128, 192 ns and so on up to 26 s. One thread records; any thread may read, and may
 * find the latest times in the buckets but not yet in the sum. Recording allocates nothing.
 */
public final class TimeHistogram {
  /** The first bucket counts times of at most 2 to this power, in ns. */
  private static final int FIRST = 6;

  private static final int LAST = 34;

  /** Two buckets for each power of two, the first one, and one for all longer times. */
  private static final int BUCKETS = 1 + 2 * (LAST - FIRST) + 2;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] counts = new long[BUCKETS];

  /** Nanoseconds, in an array of one element for the accesses that other threads see. */
  private final long[] sum = new long[1];

  /** Creates an empty histogram. */
  public TimeHistogram() {}

  /** Counts a time in ns. */
  void record(long nanos) {
    int bucket = bucket(nanos);
    COUNT.setOpaque(counts, bucket, counts[bucket] + 1);
    COUNT.setOpaque(sum, 0, sum[0] + nanos);
  }

  private static int bucket(long nanos) {
    if (nanos <= 1L << FIRST) {
      return 0;
    }
    long below = nanos - 1;
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(below);
    // The two highest bits of the number, 2 or 3, give the half of its power of two.
    int half = (int) (below >>> (power - 1));
    return Math.min(2 * (power - FIRST) + half - 1, BUCKETS - 1);
  }

  /** The number of buckets. */
  public static int buckets() {
    return BUCKETS;
  }

  /** The longest time that a bucket counts, in ns; {@link Long#MAX_VALUE} for the last bucket. */
  public static long upperBound(int bucket) {
    if (bucket == BUCKETS - 1) {
      return Long.MAX_VALUE;
    }
    long lower = 1L << (FIRST + bucket / 2);
    return bucket % 2 == 0 ? lower : lower + lower / 2;
  }

  /** The number of times in a bucket. */
  public long count(int bucket) {
    return (long) COUNT.getOpaque(counts, bucket);
  }

  /** The sum of all times in ns. */
  public long sum() {
    return (long) COUNT.getOpaque(sum, 0);
  }
}
