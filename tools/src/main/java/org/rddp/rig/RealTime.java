package org.rddp.rig;

import java.io.IOException;

/** Real-time scheduling of a thread. */
public final class RealTime {
  private static final int PRIORITY = 1;

  private RealTime() {}

  /**
   * Gives the calling thread, a platform thread, precedence over all ordinary ones (SCHED_FIFO). It
   * must sleep between its work, or no other thread runs on its CPU.
   *
   * @throws IOException when that is not allowed: it needs CAP_SYS_NICE
   */
  public static void enter() throws IOException {
    LinuxCalls.setFirstInFirstOut(PRIORITY);
  }
}
