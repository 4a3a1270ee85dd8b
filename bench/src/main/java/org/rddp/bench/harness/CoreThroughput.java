package org.rddp.bench.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;

/**
 * The throughput of the two cores, by the time of additions that do not depend on each other.
 * Another virtual machine on the second hardware thread of a core slows it down, and no counter of
 * this kernel shows that. Measure it while the cores are idle.
 */
final class CoreThroughput {
  private static final int STEPS = 200_000;

  /** Runs, of which the quickest counts: the others may have been interrupted. */
  private static final int REPETITIONS = 3;

  /** Runs until HotSpot has compiled it. */
  private static final int WARM_UP = 60;

  /** The sum, kept so that HotSpot does not remove the additions. */
  long sum;

  private final List<Double> slower = new ArrayList<>();
  private double best = Double.MAX_VALUE;

  CoreThroughput() throws IOException, InterruptedException {
    for (int i = 0; i < WARM_UP; i++) {
      measure();
    }
    slower.clear();
  }

  /** Measures both cores, in a millisecond or two. */
  void measure() throws IOException, InterruptedException {
    int[] cpus = Affinity.allowed();
    double one = on(cpus[0]);
    double other = on(cpus[cpus.length - 1]);
    best = Math.min(best, Math.min(one, other));
    slower.add(Math.max(one, other));
  }

  /**
   * The slower core's throughput in each measurement over the best ever, 0 to 1. Forgets the
   * measurements, but not the best.
   */
  double[] shares() {
    double[] all = slower.stream().mapToDouble(each -> best / each).toArray();
    slower.clear();
    return all;
  }

  private double on(int cpu) throws IOException, InterruptedException {
    try (PinnedThread<Double> thread = PinnedThread.start("throughput", cpu, this::nanos)) {
      return thread.join();
    }
  }

  private double nanos() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < REPETITIONS; i++) {
      long began = System.nanoTime();
      sum += add();
      least = Math.min(least, System.nanoTime() - began);
    }
    return least;
  }

  /** More independent additions than a core has units for. */
  private static long add() {
    long a = 1;
    long b = 2;
    long c = 3;
    long d = 4;
    long e = 5;
    long f = 6;
    long g = 7;
    long h = 8;
    for (int i = 0; i < STEPS; i++) {
      a += b ^ i;
      b += c ^ i;
      c += d ^ i;
      d += e ^ i;
      e += f ^ i;
      f += g ^ i;
      g += h ^ i;
      h += i;
    }
    return a + b + c + d + e + f + g + h;
  }
}
