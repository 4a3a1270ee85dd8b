package org.rddp.client;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.rddp.ipc.ring.ConnectionId;

/**
 * The connections of a session by number. One thread adds; any thread looks up, without a lock. A
 * connection stays until its index is reused and its last completion has been polled.
 */
final class ConnectionTable {
  private volatile Connection[] table = new Connection[16];

  /** Connections whose index has been reused, with requests that have not been reported. */
  private final Map<Integer, Connection> replaced = new ConcurrentHashMap<>();

  void add(Connection connection) {
    int index = ConnectionId.index(connection.id());
    Connection[] next =
        Arrays.copyOf(table, Math.max(table.length, Integer.highestOneBit(index) * 2));
    replaced.values().removeIf(Connection::isIdle);
    if (next[index] != null) {
      keep(next[index]);
    }
    next[index] = connection;
    table = next;
  }

  /** The connection with a number, or null. */
  Connection get(int id) {
    Connection[] now = table;
    int index = ConnectionId.index(id);
    Connection connection = index < now.length ? now[index] : null;
    return connection != null && connection.id() == id ? connection : replaced.get(id);
  }

  /** Keeps a connection whose index may have been reused, while its requests are not reported. */
  void keep(Connection connection) {
    if (!connection.isIdle()) {
      replaced.put(connection.id(), connection);
    }
  }

  Connection[] all() {
    return table;
  }
}
