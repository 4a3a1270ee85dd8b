package org.rddp.cli;

import java.util.concurrent.CountDownLatch;
import org.rddp.perf.StopSignal;

/**
 * Lets a command end in order when the process is asked to end (Ctrl-C, SIGTERM): gives a signal,
 * and holds the process until the command has printed its results.
 */
final class InterruptedRun implements AutoCloseable {
  private final StopSignal signal = new StopSignal();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::end, "perf-end");

  /** Passes requests to end on from now on. */
  InterruptedRun() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  StopSignal signal() {
    return signal;
  }

  private void end() {
    signal.request();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the process end: the command has printed its results. */
  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return;
    }
  }
}
