package org.rddp.group;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts by number, such as the connections with each remote address, that the stacks of an
 * interface keep together. Any thread.
 *
 * <p>Limits are looked at before a count is raised: with n stacks it may exceed its limit by n - 1.
 */
public final class SharedCounts {
  private final Map<Long, Integer> counts = new HashMap<>();
  private int total;

  /** Raises the count of a number by one. */
  public synchronized void add(long number) {
    counts.merge(number, 1, Integer::sum);
    total++;
  }

  /**
   * Lowers the count of a number by one.
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

  /** The count of a number. */
  public synchronized int of(long number) {
    return counts.getOrDefault(number, 0);
  }

  /** The sum of all counts. */
  public synchronized int total() {
    return total;
  }
}
