package org.rddp.client;

import java.util.Arrays;
import org.rddp.ipc.ring.ConnectionId;

/**
 * The connections of a session by number. One thread adds; any thread looks up, without a lock. A
 * connection stays until its index is reused, so that its last completions find it.
 */
final class ConnectionTable {
  private volatile Connection[] table = new Connection[16];

  void add(Connection connection) {
    int index = ConnectionId.index(connection.id());
    Connection[] next =
        Arrays.copyOf(table, Math.max(table.length, Integer.highestOneBit(index) * 2));
    next[index] = connection;
    table = next;
  }

  /** The connection with a number, or null. */
  Connection get(int id) {
    Connection[] now = table;
    int index = ConnectionId.index(id);
    Connection connection = index < now.length ? now[index] : null;
    return connection != null && connection.id() == id ? connection : null;
  }

  Connection[] all() {
    return table;
  }
}
