package org.rddp.daemon.engine;

import org.rddp.ipc.control.DaemonMessage;

/**
 * What a session has to say to whoever looks after its program. Called on the engine's thread; must
 * not block.
 */
public interface SessionHandler {
  /** A message for the program. */
  void send(DaemonMessage message);

  /**
   * The program did what no program of ours does, or the engine failed over it: the session has to
   * end.
   *
   * @param detail for the log
   */
  void onBroken(String detail);
}
