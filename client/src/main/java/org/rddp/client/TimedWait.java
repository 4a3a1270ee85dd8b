package org.rddp.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits on a monitor with a deadline. */
final class TimedWait {
  /** What is longer is as good as for ever: nanoseconds in 64 bits end after 292 years. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private TimedWait() {}

  /** A timeout that can be counted in nanoseconds; one that is over already is none at all. */
  static Duration bounded(Duration timeout) {
    if (timeout.isNegative()) {
      return Duration.ZERO;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
  }

  /**
   * Waits until the condition holds.
   *
   * @param monitor held by the caller; whoever changes the condition notifies it
   * @return whether it holds: false at the timeout
   */
  static boolean until(Object monitor, Duration timeout, BooleanSupplier condition) {
    long deadline = System.nanoTime() + bounded(timeout).toNanos();
    while (!condition.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        // Rounded up, or the last millisecond would be spent spinning.
        monitor.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RddpException("interrupted while waiting", e);
      }
    }
    return true;
  }
}
