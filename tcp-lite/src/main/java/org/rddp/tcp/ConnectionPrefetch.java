package org.rddp.tcp;

import org.rddp.tcp.storage.TcpConnectionTable;

/**
 * Prefetches the connections of a burst before its first segment is processed. With many
 * connections each segment waits for the state of its connection to come from memory; requested
 * together, these cache misses overlap. Nothing is checked or changed.
 *
 * <p>Each step goes through the whole burst, because it needs the loads of the step before.
 */
final class ConnectionPrefetch {
  /** The state of fewer connections fits the caches of a core. */
  private static final int MANY = 1024;

  private final TcpConnectionTable<TcpConnection> connections;
  private final long[] keys;
  private final TcpConnection[] found;
  private int count;

  /** The sum of what was loaded, which keeps the JIT from removing the loads. */
  private int sum;

  /** Prefetches the connections of up to that many segments. */
  ConnectionPrefetch(TcpConnectionTable<TcpConnection> connections, int burst) {
    this.connections = connections;
    keys = new long[burst];
    found = new TcpConnection[burst];
  }

  /** Whether there are enough connections for prefetching to pay. */
  boolean worthwhile() {
    return connections.size() >= MANY;
  }

  /** Adds the key of a segment in the burst. */
  void add(long key) {
    if (count < keys.length) {
      keys[count++] = key;
    }
  }

  /** Loads the connections of all keys added. */
  void prefetch() {
    int loaded = 0;
    for (int i = 0; i < count; i++) {
      loaded += connections.prefetch(keys[i]);
    }
    for (int i = 0; i < count; i++) {
      found[i] = connections.find(keys[i]);
    }
    for (int i = 0; i < count; i++) {
      if (found[i] != null) {
        loaded += found[i].prefetch();
      }
    }
    for (int i = 0; i < count; i++) {
      if (found[i] != null) {
        loaded += found[i].sender.prefetch() + found[i].receiver.prefetch();
        found[i] = null;
      }
    }
    count = 0;
    sum = loaded;
  }

  /** The sum of the last loads, for tests. */
  int sum() {
    return sum;
  }
}
