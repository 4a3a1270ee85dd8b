package org.rddp.tcp;

import org.rddp.tcp.storage.TcpConnectionTable;

/**
 * Prefetches the connections of a received burst before its first segment is processed: finds them
 * by their keys, step by step for the whole burst, and passes them to {@link BurstPrefetch}.
 */
final class ConnectionPrefetch {
  private final TcpConnectionTable<TcpConnection> connections;
  private final BurstPrefetch burst;
  private final long[] keys;
  private int count;

  /** The sum of what was loaded, which keeps the JIT from removing the loads. */
  private int sum;

  /** Creates a prefetch for bursts of up to {@code most} segments. */
  ConnectionPrefetch(StackContext context, int most) {
    connections = context.connections;
    burst = new BurstPrefetch(context, most);
    keys = new long[most];
  }

  /** Whether there are enough connections for prefetching to pay. */
  boolean worthwhile() {
    return burst.worthwhile();
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
      TcpConnection found = connections.findByTag(keys[i]);
      if (found != null) {
        burst.add(found);
      }
    }
    count = 0;
    burst.prefetchReceiving();
    sum = loaded + burst.sum();
  }

  /** The sum of the last loads, for tests. */
  int sum() {
    return sum;
  }
}
