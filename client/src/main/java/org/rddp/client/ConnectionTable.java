package org.rddp.client;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.rddp.ipc.ring.ConnectionId;

/**
 * The connections of a session by number. One thread adds and removes; any thread looks up, without
 * a lock. A connection that is not removed stays until its index is reused and its last completion
 * has been polled.
 */
final class ConnectionTable {
  private volatile Connection[] table = new Connection[16];

  /** Ended connections of which the ring may still have completions. */
  private final Map<Integer, Ended> ended = new ConcurrentHashMap<>();

  /** How often the ring was found empty. */
  private final AtomicLong emptied = new AtomicLong();

  /**
   * An ended connection, and the value of {@code emptied} when all its completions were in the
   * ring.
   */
  private record Ended(Connection connection, long emptied) {
    /**
     * Whether all its completions have been polled. The connection does not count receives of a
     * shared receive queue, so the ring must have been found empty since: twice, because the first
     * may be an older one, counted late.
     */
    boolean isReported(long emptiedNow) {
      return connection.isIdle() && emptiedNow >= emptied + 2;
    }
  }

  void add(Connection connection) {
    int index = ConnectionId.index(connection.id());
    Connection[] next =
        Arrays.copyOf(table, Math.max(table.length, Integer.highestOneBit(index) * 2));
    long now = emptied.getOpaque();
    ended.values().removeIf(each -> each.isReported(now));
    if (next[index] != null) {
      keep(next[index]);
    }
    next[index] = connection;
    table = next;
  }

  /** Removes a connection without completions from the table. */
  void remove(int id) {
    Connection[] next = table.clone();
    next[ConnectionId.index(id)] = null;
    table = next;
  }

  /** The connection with a number, or null. */
  Connection get(int id) {
    Connection[] now = table;
    int index = ConnectionId.index(id);
    Connection connection = index < now.length ? now[index] : null;
    return connection != null && connection.id() == id ? connection : getEnded(id);
  }

  private Connection getEnded(int id) {
    Ended found = ended.get(id);
    return found == null ? null : found.connection;
  }

  /** Keeps an ended connection, whose index may be reused, while its completions may come. */
  void keep(Connection connection) {
    ended.put(connection.id(), new Ended(connection, emptied.getOpaque()));
  }

  /** Notes that the ring is empty. Called by the thread that polls. */
  void foundRingEmpty() {
    emptied.setOpaque(emptied.getPlain() + 1);
  }

  Connection[] all() {
    return table;
  }
}
