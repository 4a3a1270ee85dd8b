package org.rddp.client;

import java.util.function.BooleanSupplier;

/** Waits for something that another thread or process does; the test's own timeout is the limit. */
final class Eventually {
  private Eventually() {}

  static void isTrue(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }
}
