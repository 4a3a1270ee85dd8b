package org.rddp.perf;

import org.HdrHistogram.Histogram;

/**
 * The latencies of one size.
 *
 * @param size octets of a message
 * @param nanoseconds full round trips; in an open loop from the intended start
 * @param nanos time of the measurement, in ns
 * @param unsent open loop: operations that were due when the time was over and had not been sent;
 *     their waiting time until then is among the latencies
 * @param cpu CPU use
 */
public record LatencyResult(int size, Histogram nanoseconds, long nanos, long unsent, CpuUse cpu) {}
