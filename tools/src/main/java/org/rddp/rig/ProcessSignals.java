package org.rddp.rig;

import java.io.IOException;

/** Signals to processes that rigs have started. */
public final class ProcessSignals {
  private ProcessSignals() {}

  /**
   * Stops every thread of a process until {@link #resume}.
   *
   * @throws IOException when there is no such process, or it is not ours
   */
  public static void stop(long pid) throws IOException {
    LinuxCalls.kill(pid, LinuxCalls.SIGSTOP);
  }

  /**
   * Lets a stopped process go on.
   *
   * @throws IOException when there is no such process, or it is not ours
   */
  public static void resume(long pid) throws IOException {
    LinuxCalls.kill(pid, LinuxCalls.SIGCONT);
  }

  /**
   * From now on this process is killed when the thread that has started it ends; so that even a
   * stopped one does not outlive it.
   */
  public static void dieWithParent() throws IOException {
    LinuxCalls.dieWithParent();
  }
}
