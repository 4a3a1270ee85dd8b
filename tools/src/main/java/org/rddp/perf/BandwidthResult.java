package org.rddp.perf;

/**
 * The throughput of one size.
 *
 * @param size octets of a message
 * @param iterations operations of this program; bidirectional, the server made as many
 * @param messages operations of both ends
 * @param nanos from the first operation until all had been placed, in ns
 * @param peakPerSecond operations of both ends per second, in the best interval of 100 ms; NaN if
 *     it is not known
 * @param cpu CPU use
 */
public record BandwidthResult(
    int size, long iterations, long messages, long nanos, double peakPerSecond, CpuUse cpu) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BITS_PER_GIGABIT = 1e9;

  /**
   * A peak below the average shows only that completions came too seldom for intervals of 100 ms.
   */
  BandwidthResult withoutPeakBelowAverage() {
    return peakPerSecond >= messagesPerSecond()
        ? this
        : new BandwidthResult(size, iterations, messages, nanos, Double.NaN, cpu);
  }

  /** Operations per second, on average. */
  public double messagesPerSecond() {
    return messages * NANOS_PER_SECOND / nanos;
  }

  /** Payload in Gb/s, on average. */
  public double gigabitsPerSecond() {
    return gigabits(messagesPerSecond());
  }

  /** Payload in Gb/s, in the best interval of 100 ms; NaN if it is not known. */
  public double peakGigabitsPerSecond() {
    return gigabits(peakPerSecond);
  }

  private double gigabits(double messagesPerSecond) {
    return messagesPerSecond * size * Byte.SIZE / BITS_PER_GIGABIT;
  }
}
