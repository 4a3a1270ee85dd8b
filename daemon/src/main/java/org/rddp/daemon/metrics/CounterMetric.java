package org.rddp.daemon.metrics;

/**
 * The metric for a counter of {@code rddp stat}.
 *
 * @param name of the metric, without the suffix {@code _total} of a counter
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
