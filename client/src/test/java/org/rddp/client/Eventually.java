package org.rddp.client;

import java.util.function.BooleanSupplier;

/**
 * Waits until a condition holds that another thread or process fulfils. The test's timeout limits
 * the wait.
 */
final class Eventually {
  private Eventually() {}

  static void isTrue(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }
}
