package org.rddp.bench.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes the time of several ways to do the same: a round is a turn of each, one right after the
 * other, so that what disturbs the machine disturbs all of them alike.
 */
public final class InterleavedRounds {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ALLOCATION_ROUNDS = 5;
  private static final int ALLOCATION_CALLS = 100;
  private static final long LONGEST_WARM_UP = 90_000_000_000L;

  private final Map<String, TimedLoop> contenders;
  private final TimedLoop[] all;
  private final int rounds;
  private final long turn;

  /** Keeps HotSpot from leaving the work out. */
  private volatile int sink;

  /**
   * Rounds to be run.
   *
   * @param rounds how many, 1 or more
   * @param turn how long one contender's turn lasts, about, in ns
   */
  public InterleavedRounds(Map<String, TimedLoop> contenders, int rounds, long turn) {
    this.contenders = contenders;
    this.all = contenders.values().toArray(new TimedLoop[0]);
    this.rounds = rounds;
    this.turn = turn;
  }

  /**
   * Lets HotSpot compile all of them, over all lengths, for so long in ns, and on until none
   * allocates: vectors are objects before they are compiled. A busy machine may take a minute.
   */
  public void warmUp(int[] lengths, long nanos) {
    long began = System.nanoTime();
    long allocated = 1;
    for (long now = began;
        now - began < nanos || (allocated > 0 && now - began < LONGEST_WARM_UP);
        now = System.nanoTime()) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int length : lengths) {
        for (TimedLoop contender : all) {
          sink = contender.run(length, Math.max(1, 65536 / length));
        }
      }
      allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
  }

  /** The time of one call in ns, by contender and round. */
  public Map<String, double[]> measure(int length) {
    Map<String, double[]> times = new LinkedHashMap<>();
    Map<String, Integer> calls = new LinkedHashMap<>();
    contenders.forEach((name, contender) -> {
      times.put(name, new double[rounds]);
      double once = time(contender, length, 200);
      calls.put(name, (int) Math.max(1, turn / Math.max(1, once)));
    });
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<String, TimedLoop> entry : contenders.entrySet()) {
        String name = entry.getKey();
        times.get(name)[round] = time(entry.getValue(), length, calls.get(name));
      }
    }
    return times;
  }

  /**
   * Octets that the least of some turns of a contender allocates; 0 where HotSpot has done its
   * part.
   */
  public long allocated(String name, int length) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ALLOCATION_ROUNDS; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      sink = contenders.get(name).run(length, ALLOCATION_CALLS);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  /** What the last turn came to. */
  public int outcome() {
    return sink;
  }

  private double time(TimedLoop contender, int length, int calls) {
    long began = System.nanoTime();
    sink = contender.run(length, calls);
    return (double) (System.nanoTime() - began) / calls;
  }

  /** The part {@code share} of the way from the least to the greatest: 0.5 is the median. */
  public static double quantile(double[] values, double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }

  /** One over the other, round by round. */
  public static double[] ratios(double[] over, double[] under) {
    double[] ratios = new double[over.length];
    Arrays.setAll(ratios, round -> over[round] / under[round]);
    return ratios;
  }
}
