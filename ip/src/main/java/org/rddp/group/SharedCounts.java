package org.rddp.group;

import java.util.HashMap;
import java.util.Map;

/**
 * Counters that the stacks of an interface share, each with a key, such as the connections with
 * each remote address. Thread-safe.
 *
 * <p>Callers check a limit before they increment a count: with n stacks a count may exceed its
 * limit by n - 1.
 */
public final class SharedCounts {
  private final Map<Long, Integer> counts = new HashMap<>();
  private int total;

  /** Increments the count of a key. */
  public synchronized void add(long number) {
    counts.merge(number, 1, Integer::sum);
    total++;
  }

  /**
   * Decrements the count of a key.
   *
   * @throws IllegalStateException if it is 0
   */
  public synchronized void remove(long number) {
    int count = of(number);
    if (count == 0) {
      throw new IllegalStateException(number + " has not been counted");
    }
    if (count == 1) {
      counts.remove(number);
    } else {
      counts.put(number, count - 1);
    }
    total--;
  }

  /** The count of a key. */
  public synchronized int of(long number) {
    return counts.getOrDefault(number, 0);
  }

  /** The sum of all counts. */
  public synchronized int total() {
    return total;
  }
}
