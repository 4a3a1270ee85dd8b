package org.rddp.daemon.engine;

/**
 * Whose a session is, and what the sessions of that user and process may have together on their
 * interface.
 *
 * @param user id of the user
 * @param process id of the process
 * @param userConnections most connections of the user's sessions
 * @param processConnections most connections of the process's sessions
 */
public record SessionOwner(int user, int process, int userConnections, int processConnections) {
  /** An owner without a limit of its own. */
  public static final SessionOwner UNLIMITED =
      new SessionOwner(0, 0, Integer.MAX_VALUE, Integer.MAX_VALUE);
}
