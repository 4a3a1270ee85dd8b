package org.rddp.bench.harness;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;

/**
 * How much each of the two cores gets done, by the time that it takes for additions that do not
 * wait for each other. On a virtual machine another one may run on the second hardware thread of
 * the same core: then it is half as much again, though nothing is stolen and nobody else is seen.
 * To be asked while the cores are idle.
 */
final class CoreThroughput {
  private static final int STEPS = 200_000;

  /** The quickest of so many counts: the others may have been interrupted. */
  private static final int REPETITIONS = 3;

  /** Until HotSpot has compiled it. */
  private static final int WARM_UP = 60;

  /** What came of the additions: HotSpot leaves out what nobody can ask for. */
  long sum;

  private final List<Double> slower = new ArrayList<>();
  private double best = Double.MAX_VALUE;

  /** Makes sure that looks are quick. */
  CoreThroughput() throws IOException, InterruptedException {
    for (int i = 0; i < WARM_UP; i++) {
      measure();
    }
    slower.clear();
  }

  /** Looks at both cores; takes a millisecond or two. */
  void measure() throws IOException, InterruptedException {
    int[] cpus = Affinity.allowed();
    double one = on(cpus[0]);
    double other = on(cpus[cpus.length - 1]);
    best = Math.min(best, Math.min(one, other));
    slower.add(Math.max(one, other));
  }

  /**
   * What the slower core did each time, by how much the quicker one has ever done: 1 is all of it.
   * Forgets the looks so far, and not what was the best.
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

  /** As many additions at a time as a core has units for, and more. */
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
