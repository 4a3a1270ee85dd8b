package org.rddp.rig;

import java.io.IOException;

/** Signals to child processes. */
public final class ProcessSignals {
  private ProcessSignals() {}

  /**
   * Stops all threads of a process until {@link #resume} (SIGSTOP).
   *
   * @throws IOException when there is no such process, or it is not ours
   */
  public static void stop(long pid) throws IOException {
    LinuxCalls.kill(pid, LinuxCalls.SIGSTOP);
  }

  /**
   * Resumes a stopped process (SIGCONT).
   *
   * @throws IOException when there is no such process, or it is not ours
   */
  public static void resume(long pid) throws IOException {
    LinuxCalls.kill(pid, LinuxCalls.SIGCONT);
  }

  /**
   * Makes the kernel kill this process when the thread that has started it ends, even while this
   * process is stopped.
   */
  public static void dieWithParent() throws IOException {
    LinuxCalls.dieWithParent();
  }
}
