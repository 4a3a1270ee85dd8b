package org.rddp.perf;

import org.HdrHistogram.Histogram;

/** Records times in nanoseconds. Does not allocate. */
final class LatencyRecorder {
  private static final long LONGEST = 60_000_000_000L;
  private static final int DIGITS = 3;

  private final Histogram nanoseconds = new Histogram(LONGEST, DIGITS);

  void record(long nanos) {
    nanoseconds.recordValue(Math.clamp(nanos, 0, LONGEST));
  }

  Histogram nanoseconds() {
    return nanoseconds;
  }
}
