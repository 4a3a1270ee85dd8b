package org.rddp.examples;

import java.util.List;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.RddpException;
import org.rddp.client.types.PrivateData;

/** Lets servers accept clients, and notice those that have ended. */
final class Peers {
  private Peers() {}

  /** Accepts a client, which is then one of {@code clients}, unless it has given up meanwhile. */
  static void accept(
      IncomingConnection incoming, PrivateData privateData, List<Connection> clients) {
    try {
      clients.add(incoming.accept(privateData));
    } catch (RddpException e) {
      System.err.println("no connection with " + incoming.remoteAddress() + ": " + e);
    }
  }

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
