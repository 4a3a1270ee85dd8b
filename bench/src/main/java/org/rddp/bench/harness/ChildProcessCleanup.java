package org.rddp.bench.harness;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.rddp.dpdk.Eal;

/**
 * What processes that a benchmark has started would leave behind when it is ended before they are:
 * themselves, as they may be stopped, and files of DPDK.
 */
public final class ChildProcessCleanup {
  private static volatile boolean ending;

  private ChildProcessCleanup() {}

  /** Removes them whenever this process ends, by a signal too. */
  public static void installShutdownHook() {
    Runtime.getRuntime().addShutdownHook(new Thread(ChildProcessCleanup::remove));
  }

  private static void remove() {
    ending = true;
    List<ProcessHandle> started = ProcessHandle.current().descendants().toList();
    if (!started.isEmpty()) {
      // Whoever waits for them would say that they have failed.
      System.out.close();
      System.err.close();
    }
    started.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle each : started) {
      each.onExit().join();
      Eal.removeLeftovers(each.pid());
    }
  }

  /**
   * Waits for the end of this process where that has begun: what was found then is worth nothing.
   */
  public static void blockDuringShutdown() throws InterruptedException {
    if (ending) {
      new CountDownLatch(1).await();
    }
  }
}
