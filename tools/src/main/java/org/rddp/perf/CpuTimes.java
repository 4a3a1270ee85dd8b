package org.rddp.perf;

import java.time.Duration;
import java.util.Optional;

/**
 * CPU time of the daemon and of this program, from {@code /proc}, in steps of 10 ms.
 *
 * @param daemon ns since it was started; -1 where the process cannot be seen from here
 * @param program ns since it was started
 */
record CpuTimes(long daemon, long program) {
  private static final long UNKNOWN = -1;

  /** Shorter measurements have only a few steps of CPU time. */
  private static final long SHORTEST_NANOS = 200_000_000;

  private static final double PERCENT = 100.0;

  /** The times so far. */
  static CpuTimes read(long daemonPid) {
    return new CpuTimes(
        daemonPid > 0 ? nanos(ProcessHandle.of(daemonPid)) : UNKNOWN,
        nanos(Optional.of(ProcessHandle.current())));
  }

  private static long nanos(Optional<ProcessHandle> process) {
    return process
        .flatMap(handle -> handle.info().totalCpuDuration())
        .map(Duration::toNanos)
        .orElse(UNKNOWN);
  }

  /** CPU use between these times and later ones, {@code nanos} after them. */
  CpuUse until(CpuTimes later, long nanos) {
    return new CpuUse(percent(daemon, later.daemon, nanos), percent(program, later.program, nanos));
  }

  private static double percent(long from, long to, long nanos) {
    return from == UNKNOWN || to == UNKNOWN || nanos < SHORTEST_NANOS
        ? Double.NaN
        : PERCENT * (to - from) / nanos;
  }
}
