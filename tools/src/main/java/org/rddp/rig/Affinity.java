package org.rddp.rig;

import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;

/** The CPUs that a thread may run on. */
public final class Affinity {
  private Affinity() {}

  /**
   * The CPUs that the calling thread may run on, in ascending order; at least one.
   *
   * @throws SystemCallException if the kernel refuses
   */
  public static int[] allowed() throws SystemCallException {
    return ThreadScheduling.allowedProcessors();
  }

  /**
   * The CPUs that this process may run on, in ascending order, regardless of restrictions of its
   * threads; at least one.
   *
   * @throws SystemCallException if the kernel refuses
   */
  public static int[] ofProcess() throws SystemCallException {
    return ThreadScheduling.processorsOfProcess();
  }

  /**
   * Restricts the calling thread to one CPU. Threads that it starts later inherit that.
   *
   * @param cpu its number, from {@link #allowed()}
   * @throws SystemCallException if there is no such CPU, or this process may not use it
   */
  public static void pin(int cpu) throws SystemCallException {
    ThreadScheduling.pin(cpu);
  }
}
