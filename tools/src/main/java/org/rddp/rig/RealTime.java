package org.rddp.rig;

import java.io.IOException;

/** Lets a thread go before all ordinary ones whenever it has something to do. */
public final class RealTime {
  private static final int PRIORITY = 1;

  private RealTime() {}

  /**
   * From now on the calling thread, a platform thread, waits for no ordinary one (SCHED_FIFO). It
   * must sleep between what it does, or nobody else runs on its CPU.
   *
   * @throws IOException when that is not allowed: it needs CAP_SYS_NICE
   */
  public static void enter() throws IOException {
    LinuxCalls.setFirstInFirstOut(PRIORITY);
  }
}
