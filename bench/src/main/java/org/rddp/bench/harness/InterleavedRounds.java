package org.rddp.bench.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Times several loops in one process. Each round runs every loop once, one right after the other,
 * so that a disturbance affects all of them alike.
 */
public final class InterleavedRounds {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long LONGEST_WARM_UP = 90_000_000_000L;

  private final Map<String, TimedLoop> loops;
  private final TimedLoop[] all;
  private final int rounds;
  private final long slice;

  /** Keeps HotSpot from removing the work. */
  private volatile int sink;

  /**
   * Prepares rounds of some loops.
   *
   * @param rounds how many, 1 or more
   * @param slice about how long a loop runs in a round, in ns
   */
  public InterleavedRounds(Map<String, TimedLoop> loops, int rounds, long slice) {
    this.loops = loops;
    this.all = loops.values().toArray(new TimedLoop[0]);
    this.rounds = rounds;
    this.slice = slice;
  }

  /**
   * Runs all loops over all lengths for {@code nanos}, and on until none allocates: vectors are
   * objects before they are compiled. May take a minute on a busy machine.
   */
  public void warmUp(int[] lengths, long nanos) {
    long began = System.nanoTime();
    long allocated = 1;
    for (long now = began;
        now - began < nanos || (allocated > 0 && now - began < LONGEST_WARM_UP);
        now = System.nanoTime()) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int length : lengths) {
        for (TimedLoop loop : all) {
          sink = loop.run(length, Math.max(1, 65536 / length));
        }
      }
      allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
  }

  /** The time of one call in ns, by loop and round. */
  public Map<String, Series> measure(int length) {
    Map<String, double[]> times = new LinkedHashMap<>();
    Map<String, Integer> calls = new LinkedHashMap<>();
    loops.forEach((name, loop) -> {
      times.put(name, new double[rounds]);
      double once = time(loop, length, 200);
      calls.put(name, (int) Math.max(1, slice / Math.max(1, once)));
    });
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<String, TimedLoop> entry : loops.entrySet()) {
        String name = entry.getKey();
        times.get(name)[round] = time(entry.getValue(), length, calls.get(name));
      }
    }
    Map<String, Series> series = new LinkedHashMap<>();
    times.forEach((name, values) -> series.put(name, new Series(values)));
    return series;
  }

  /** The value of the last run. */
  public int outcome() {
    return sink;
  }

  private double time(TimedLoop loop, int length, int calls) {
    long began = System.nanoTime();
    sink = loop.run(length, calls);
    return (double) (System.nanoTime() - began) / calls;
  }
}
