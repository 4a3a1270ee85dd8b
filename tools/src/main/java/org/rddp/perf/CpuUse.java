package org.rddp.perf;

/**
 * CPU use during a measurement. 100 percent is one core.
 *
 * @param daemonPercent of the daemon; NaN if it is not known, or the measurement was too short
 * @param programPercent of this program, likewise
 */
public record CpuUse(double daemonPercent, double programPercent) {}
