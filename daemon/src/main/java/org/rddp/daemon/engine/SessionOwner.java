package org.rddp.daemon.engine;

import org.rddp.group.SharedCounts;

/**
 * The owner of a session, and the limits of all sessions of that user and process on their
 * interface or engine.
 *
 * @param user id of the user
 * @param process id of the process; negative for one that is not visible
 * @param userConnections most connections of the user's sessions
 * @param processConnections most connections of the process's sessions
 * @param connections connections of all sessions of the interface, by user and by process
 * @param userHeld most octets of the engine's memory for held messages of the user's sessions
 * @param processHeld most such octets of the process's sessions
 */
public record SessionOwner(
    int user,
    int process,
    int userConnections,
    int processConnections,
    SharedCounts connections,
    long userHeld,
    long processHeld) {

  /** An owner without limits. */
  public static SessionOwner unlimited() {
    return unlimited(0);
  }

  /** An owner without limits, of a user. */
  public static SessionOwner unlimited(int user) {
    return new SessionOwner(
        user,
        1,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        new SharedCounts(),
        Long.MAX_VALUE,
        Long.MAX_VALUE);
  }

  /** Whether it may have one more connection. */
  public boolean hasRoomForConnection() {
    return connections.of(userNumber()) < userConnections
        && connections.of(processNumber()) < processConnections;
  }

  /** Counts a connection that begins. */
  public void addConnection() {
    connections.add(userNumber());
    connections.add(processNumber());
  }

  /** Counts a connection that has ended. */
  public void removeConnection() {
    connections.remove(userNumber());
    connections.remove(processNumber());
  }

  /** No process has the id 0. */
  private long userNumber() {
    return (long) user << Integer.SIZE;
  }

  private long processNumber() {
    return userNumber() | Integer.toUnsignedLong(process);
  }
}
