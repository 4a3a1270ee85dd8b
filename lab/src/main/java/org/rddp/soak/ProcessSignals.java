package org.rddp.soak;

import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/** Sends signals to processes that rigs have started. */
public final class ProcessSignals {
  private static final int SIGKILL = 9;
  private static final int SIGCONT = 18;
  private static final int SIGSTOP = 19;
  private static final int PR_SET_PDEATHSIG = 1;
  private static final SystemCall KILL = SystemCall.bind("kill", "i:ii");
  private static final SystemCall PRCTL = SystemCall.bind("prctl", "i:i.l");

  private ProcessSignals() {}

  /**
   * Stops all threads of a process until {@link #resume} (SIGSTOP).
   *
   * @throws SystemCallException if there is no such process, or it belongs to another user
   */
  public static void stop(long pid) throws SystemCallException {
    KILL.call(pid, SIGSTOP);
  }

  /**
   * Resumes a stopped process.
   *
   * @throws SystemCallException if there is no such process, or it belongs to another user
   */
  public static void resume(long pid) throws SystemCallException {
    KILL.call(pid, SIGCONT);
  }

  /**
   * Makes the kernel kill this process when the thread that started it ends, even if this process
   * is stopped then.
   */
  public static void dieWithParent() throws SystemCallException {
    PRCTL.call(PR_SET_PDEATHSIG, SIGKILL);
  }
}
