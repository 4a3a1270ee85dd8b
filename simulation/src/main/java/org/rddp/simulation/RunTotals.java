package org.rddp.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has happened in any number of lives: counts by name, and how long the lives were. */
public final class RunTotals {
  private final Map<String, Long> counts = new LinkedHashMap<>();
  private long[] lengths = new long[16];
  private int lives;

  /** No lives. */
  public RunTotals() {}

  /** Adds to a count, which exists from the first time on. */
  public void add(String name, long more) {
    counts.merge(name, more, Long::sum);
  }

  /** Counts a life, and how long it was. */
  public void addRun(long length) {
    if (lives == lengths.length) {
      lengths = Arrays.copyOf(lengths, lives * 2);
    }
    lengths[lives++] = length;
  }

  /** Adds what happened in other lives. */
  public void addAll(RunTotals other) {
    other.counts.forEach(this::add);
    for (int i = 0; i < other.lives; i++) {
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

  /** What never happened although there is a count of it. */
  public List<String> zeros() {
    List<String> zeros = new ArrayList<>();
    counts.forEach((name, count) -> {
      if (count == 0) {
        zeros.add(name);
      }
    });
    return zeros;
  }

  /** How many lives. */
  public int runs() {
    return lives;
  }

  /** The median of the lives' lengths; 0 without lives. */
  public long median() {
    long[] sorted = Arrays.copyOf(lengths, lives);
    Arrays.sort(sorted);
    return lives == 0 ? 0 : sorted[lives / 2];
  }
}
