package org.rddp.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits on a monitor until a condition holds or a timeout expires. */
final class TimedWait {
  /** Longest timeout: 64 bits of nanoseconds overflow after 292 years. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private TimedWait() {}

  /** Limits a timeout to the range of nanoseconds; a negative one becomes zero. */
  static Duration bounded(Duration timeout) {
    if (timeout.isNegative()) {
      return Duration.ZERO;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
  }

  /**
   * Waits until the condition holds.
   *
   * @param monitor held by the caller, and notified by every thread that changes the condition
   * @return whether the condition holds; false at the timeout
   */
  static boolean until(Object monitor, Duration timeout, BooleanSupplier condition) {
    long deadline = System.nanoTime() + bounded(timeout).toNanos();
    while (!condition.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        // Rounded up: otherwise the last millisecond would be a busy wait.
        monitor.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RddpException("interrupted while waiting", e);
      }
    }
    return true;
  }
}
