package org.rddp.daemon.engine;

import org.rddp.ipc.control.DaemonMessage;

/** Takes the events of a session for its program. Called on the engine's thread; must not block. */
public interface SessionHandler {
  /** A message to the program. */
  void send(DaemonMessage message);

  /**
   * Whether a further peer's request may be given to {@link #send}: unsent requests count in their
   * listener's backlog, even after their connections have ended.
   *
   * @param listener number of the listener
   * @param backlog most unsent requests of the listener
   */
  default boolean hasRoomForRequest(int listener, int backlog) {
    return true;
  }

  /**
   * The program violated the protocol of the rings, or the engine failed while serving it: the
   * session must end.
   *
   * @param detail for the log
   */
  void onBroken(String detail);
}
