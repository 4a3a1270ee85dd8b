package org.rddp.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;

/** Runs of one simulation for a range of seeds, distributed to threads. */
final class SimulationRun {
  /** From this number of runs on, each counted event must have happened. */
  static final int RUNS_FOR_COVERAGE = 1000;

  private static final int MAX_FAILURES = 100;

  private final SimulationKind kind;
  private final long end;
  private final AtomicLong next;
  private final AtomicLong finished = new AtomicLong();
  private final Map<Long, String> failures = new ConcurrentSkipListMap<>();
  private final BiConsumer<Long, String> onFailure;
  private final RunTotals totals = new RunTotals();

  /**
   * A run of the seeds from {@code first} on.
   *
   * @param onFailure called with the seed and the violation, on any of the threads
   */
  SimulationRun(SimulationKind kind, long first, long seeds, BiConsumer<Long, String> onFailure) {
    this.kind = kind;
    this.onFailure = onFailure;
    next = new AtomicLong(first);
    end = first + seeds;
  }

  /**
   * Runs all seeds, unless too many fail.
   *
   * @param threads number of threads
   * @param progress called periodically with the number of finished runs
   */
  void run(int threads, LongConsumer progress) throws InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<RunTotals>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        parts.add(executor.submit(this::work));
      }
      for (Future<RunTotals> part : parts) {
        totals.addAll(await(part, progress));
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private RunTotals await(Future<RunTotals> part, LongConsumer progress)
      throws InterruptedException {
    while (true) {
      try {
        return part.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException stillRunning) {
        progress.accept(finished.get());
      } catch (ExecutionException failure) {
        throw new IllegalStateException(failure.getCause());
      }
    }
  }

  private RunTotals work() {
    Simulation simulation = kind.simulation();
    RunTotals threadTotals = new RunTotals();
    long seed = next.getAndIncrement();
    while (seed < end && failures.size() < MAX_FAILURES && !Thread.interrupted()) {
      String violation = runSeed(simulation, seed, threadTotals);
      if (violation != null) {
        failures.put(seed, violation);
        onFailure.accept(seed, violation);
      }
      finished.incrementAndGet();
      seed = next.getAndIncrement();
    }
    return threadTotals;
  }

  /** An exception in one run is its failure and does not end the other runs. */
  private static String runSeed(Simulation simulation, long seed, RunTotals totals) {
    try {
      return simulation.run(seed, totals, null);
    } catch (RuntimeException failure) {
      return "threw " + failure;
    }
  }

  /** The counted events of all runs. */
  RunTotals totals() {
    return totals;
  }

  /** The seeds that failed, with their violations. */
  Map<Long, String> failures() {
    return new TreeMap<>(failures);
  }

  /** The counted events that never happened; empty if there were too few runs. */
  Set<String> missing() {
    return totals.runs() < RUNS_FOR_COVERAGE ? Set.of() : Set.copyOf(totals.zeros());
  }

  /** Whether the runs were long enough, or too few to tell. */
  boolean longEnough() {
    return totals.runs() < RUNS_FOR_COVERAGE || totals.median() >= kind.leastMedian();
  }

  /** Whether there was no violation and the runs were long enough. */
  boolean passed() {
    return failures.isEmpty() && missing().isEmpty() && longEnough();
  }
}
