package org.rddp.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last values of a rate. */
final class RateHistory {
  /** Values that are kept. */
  static final int KEPT = 16;

  private static final String BARS = "▁▂▃▄▅▆▇█";

  private final Deque<Double> values = new ArrayDeque<>(KEPT);

  /** Adds the newest value, 0 or more. */
  void add(double value) {
    if (values.size() == KEPT) {
      values.removeFirst();
    }
    values.addLast(value);
  }

  /** The newest value; 0 if there is none. */
  double last() {
    return values.isEmpty() ? 0 : values.getLast();
  }

  /** A bar for each value, the newest last; the highest value has the highest bar. */
  String sparkline() {
    double highest = values.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    StringBuilder line = new StringBuilder(" ".repeat(KEPT - values.size()));
    for (double value : values) {
      int bar = highest == 0 ? 0 : (int) Math.round(value / highest * (BARS.length() - 1));
      line.append(BARS.charAt(bar));
    }
    return line.toString();
  }
}
