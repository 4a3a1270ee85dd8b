package org.rddp.bench.harness;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Kills the processes that a benchmark has started when it ends early: stopped processes would not
 * end by themselves.
 */
public final class ChildProcessCleanup {
  private static volatile boolean ending;

  private ChildProcessCleanup() {}

  /** Cleans up whenever this process ends, by a signal too. */
  public static void installShutdownHook() {
    Runtime.getRuntime().addShutdownHook(new Thread(ChildProcessCleanup::remove));
  }

  private static void remove() {
    ending = true;
    List<ProcessHandle> started = ProcessHandle.current().descendants().toList();
    if (!started.isEmpty()) {
      // Threads that wait for these processes would report their end as a failure.
      System.out.close();
      System.err.close();
    }
    started.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle each : started) {
      each.onExit().join();
    }
  }

  /** Blocks for ever while this process ends: results found then are worthless. */
  public static void blockDuringShutdown() throws InterruptedException {
    if (ending) {
      new CountDownLatch(1).await();
    }
  }
}
