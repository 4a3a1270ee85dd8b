package org.rddp.daemon.metrics;

/**
 * How a counter of {@code rddp stat} appears among the metrics.
 *
 * @param name of the metric, without the suffix {@code _total} of those that only grow
 * @param kind whether it only grows
 * @param help one sentence
 */
record CounterMetric(String name, Kind kind, String help) {
  /** Whether a value only grows. */
  enum Kind {
    /** Grows from 0 while the daemon runs. */
    COUNTER,
    /** A value that rises and falls. */
    GAUGE
  }
}
