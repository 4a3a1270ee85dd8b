package org.rddp.examples;

import org.rddp.client.Connection;

/** Lets servers notice clients that have ended. */
final class Peers {
  private Peers() {}

  /**
   * Whether a client has ended its connection, or lost it. Ends this half of the connection, too:
   * the client waits for that.
   */
  static boolean hasLeft(Connection connection) {
    if (connection.isPeerClosed()) {
      connection.disconnect();
      return true;
    }
    return !connection.isOpen();
  }
}
