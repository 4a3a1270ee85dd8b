package org.rddp.daemon.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A time in which a thread does nothing, so that another one may use what it works on. */
public final class Pause {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  /** Begins the pause, and waits until it is over. The thread that pauses; once. */
  public void take() {
    begun.countDown();
    await(over, Long.MAX_VALUE);
  }

  /**
   * Waits until the thread pauses; an interrupt does not end the wait.
   *
   * @param nanos the longest wait in ns
   * @return whether it does
   */
  public boolean await(long nanos) {
    return await(begun, nanos);
  }

  /** Ends the pause, or lets it not begin. Any thread. */
  public void end() {
    over.countDown();
  }

  private static boolean await(CountDownLatch latch, long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    boolean done = false;
    long left = nanos;
    while (!done && left > 0) {
      try {
        done = latch.await(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return done;
  }
}
