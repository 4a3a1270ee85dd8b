package org.rddp.rig;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/** Real-time scheduling of a thread. */
public final class RealTime {
  private static final int PRIORITY = 1;
  private static final int SCHED_FIFO = 1;
  private static final SystemCall SCHED_SETSCHEDULER =
      SystemCall.bind("sched_setscheduler", "i:iil");

  private RealTime() {}

  /**
   * Gives the calling thread, a platform thread, precedence over all ordinary threads (SCHED_FIFO).
   * It must sleep between its tasks, or no other thread runs on its CPU.
   *
   * @throws SystemCallException if that is not allowed: it needs CAP_SYS_NICE
   */
  public static void enter() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long parameter = arena.allocateFrom(ValueLayout.JAVA_INT, PRIORITY).address();
      SCHED_SETSCHEDULER.call(0, SCHED_FIFO, parameter);
    }
  }
}
