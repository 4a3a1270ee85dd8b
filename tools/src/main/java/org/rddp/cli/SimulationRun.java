package org.rddp.cli;

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

/** Many lives of one kind, shared out to threads, each with seeds of its own. */
final class SimulationRun {
  /** From so many lives on, each of the things that are counted must have happened. */
  static final int ENOUGH_LIVES = 1000;

  private static final int MOST_FAILURES = 100;

  private final SimulationKind kind;
  private final long end;
  private final AtomicLong next;
  private final AtomicLong lived = new AtomicLong();
  private final Map<Long, String> failures = new ConcurrentSkipListMap<>();
  private final BiConsumer<Long, String> onFailure;
  private final RunTotals totals = new RunTotals();

  /**
   * A run of the seeds from {@code first} on.
   *
   * @param onFailure told the seed and what was violated, from any of the threads
   */
  SimulationRun(SimulationKind kind, long first, long seeds, BiConsumer<Long, String> onFailure) {
    this.kind = kind;
    this.onFailure = onFailure;
    next = new AtomicLong(first);
    end = first + seeds;
  }

  /**
   * Lives all lives, unless too many fail.
   *
   * @param threads how many live at once
   * @param progress told from time to time how many lives are over
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
      } catch (TimeoutException stillAtIt) {
        progress.accept(lived.get());
      } catch (ExecutionException failure) {
        throw new IllegalStateException(failure.getCause());
      }
    }
  }

  private RunTotals work() {
    Simulation simulation = kind.simulation();
    RunTotals mine = new RunTotals();
    long seed = next.getAndIncrement();
    while (seed < end && failures.size() < MOST_FAILURES && !Thread.interrupted()) {
      String violation = live(simulation, seed, mine);
      if (violation != null) {
        failures.put(seed, violation);
        onFailure.accept(seed, violation);
      }
      lived.incrementAndGet();
      seed = next.getAndIncrement();
    }
    return mine;
  }

  /** What a life throws is its failure, not the end of the run. */
  private static String live(Simulation simulation, long seed, RunTotals totals) {
    try {
      return simulation.run(seed, totals, null);
    } catch (RuntimeException failure) {
      return "threw " + failure;
    }
  }

  /** What has happened. */
  RunTotals totals() {
    return totals;
  }

  /** The seeds that failed, and what was violated. */
  Map<Long, String> failures() {
    return new TreeMap<>(failures);
  }

  /** What should have happened and never did; empty when there were too few lives to tell. */
  Set<String> missing() {
    return totals.runs() < ENOUGH_LIVES ? Set.of() : Set.copyOf(totals.zeros());
  }

  /** Whether the lives were long enough, or too few to tell. */
  boolean longEnough() {
    return totals.runs() < ENOUGH_LIVES || totals.median() >= kind.leastMedian();
  }

  /** Whether everything held. */
  boolean passed() {
    return failures.isEmpty() && missing().isEmpty() && longEnough();
  }
}
