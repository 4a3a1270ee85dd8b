package org.rddp.bench.harness;

import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;

/** Real-time scheduling of a thread. */
public final class RealTime {
  private static final int PRIORITY = 1;

  private RealTime() {}

  /**
   * Gives the calling thread, a platform thread, precedence over all ordinary threads (SCHED_FIFO).
   * It must sleep between its tasks, or no other thread runs on its CPU.
   *
   * @throws SystemCallException if that is not allowed: it needs CAP_SYS_NICE
   */
  public static void enter() throws SystemCallException {
    ThreadScheduling.fifo(PRIORITY);
  }
}
