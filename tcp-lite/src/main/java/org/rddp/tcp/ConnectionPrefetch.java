package org.rddp.tcp;

/**
 * Looks at the connections of a whole burst before its first segment is processed. Among many
 * connections each segment has to wait for the state of another one to come from memory; asked for
 * one right after the other, they come together. Nothing is judged or changed by it: a segment that
 * turns out to be wrong has cost a look.
 *
 * <p>It goes in steps, each through the whole burst, because a step needs what the one before has
 * asked for.
 */
final class ConnectionPrefetch {
  /** The state of fewer connections stays in a processor's own caches. */
  private static final int MANY = 1024;

  private final TcpConnectionTable connections;
  private final long[] keys;
  private final TcpConnection[] found;
  private int count;

  /** What the looks add up to: the compiler leaves out loads that nobody needs. */
  private int seen;

  /** Looks ahead as far as that many segments. */
  ConnectionPrefetch(TcpConnectionTable connections, int burst) {
    this.connections = connections;
    keys = new long[burst];
    found = new TcpConnection[burst];
  }

  /** Whether there are so many connections that it is worth it. */
  boolean worthwhile() {
    return connections.size() >= MANY;
  }

  /** A segment of the burst seems to belong to that connection. */
  void add(long key) {
    if (count < keys.length) {
      keys[count++] = key;
    }
  }

  /** Looks at the connections of all that is expected. */
  void prefetch() {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += connections.prefetch(keys[i]);
    }
    for (int i = 0; i < count; i++) {
      found[i] = connections.find(keys[i]);
    }
    for (int i = 0; i < count; i++) {
      if (found[i] != null) {
        sum += found[i].prefetch();
      }
    }
    for (int i = 0; i < count; i++) {
      if (found[i] != null) {
        sum += found[i].sender.prefetch() + found[i].receiver.prefetch();
        found[i] = null;
      }
    }
    count = 0;
    seen = sum;
  }

  /** What the last look came to; it means nothing. */
  int seen() {
    return seen;
  }
}
