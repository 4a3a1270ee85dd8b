package org.rddp.daemon.engine;

import org.rddp.ipc.control.DaemonMessage;

/** Takes the events of a session for its program. Called on the engine's thread; must not block. */
public interface SessionHandler {
  /** A message to the program. */
  void send(DaemonMessage message);

  /**
   * The program violated the protocol of the rings, or the engine failed while serving it: the
   * session has to end.
   *
   * @param detail for the log
   */
  void onBroken(String detail);
}
