package org.rddp.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Totals of many runs: counts by name, and the length of each run. */
public final class RunTotals {
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private long[] lengths = new long[16];
  private int runs;

  /** No runs. */
  public RunTotals() {}

  /** Adds to a count, which exists from the first call on. */
  public void add(String name, long more) {
    counts.merge(name, more, Long::sum);
  }

  /** Counts a run of the given length. */
  public void addRun(long length) {
    if (runs == lengths.length) {
      lengths = Arrays.copyOf(lengths, runs * 2);
    }
    lengths[runs++] = length;
  }

  /** Adds the totals of other runs. */
  public void addAll(RunTotals other) {
    other.counts.forEach(this::add);
    for (int i = 0; i < other.runs; i++) {
      addRun(other.lengths[i]);
    }
  }

  /** The counts, in the order in which they were first named. */
  public Map<String, Long> counts() {
    return Map.copyOf(counts);
  }

  /** The names of the counts, in the order in which they were first named. */
  public List<String> names() {
    return List.copyOf(counts.keySet());
  }

  /** A count. */
  public long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** The names of the counts that are 0. */
  public List<String> zeros() {
    List<String> zeros = new ArrayList<>();
    counts.forEach((name, count) -> {
      if (count == 0) {
        zeros.add(name);
      }
    });
    return zeros;
  }

  /** The number of runs. */
  public int runs() {
    return runs;
  }

  /** The median of the runs' lengths; 0 without runs. */
  public long median() {
    long[] sorted = Arrays.copyOf(lengths, runs);
    Arrays.sort(sorted);
    return runs == 0 ? 0 : sorted[runs / 2];
  }
}
