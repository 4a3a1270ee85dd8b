package org.rddp.daemon.engine;

import org.rddp.ipc.ring.DaemonRings;
import org.rddp.tcp.BurstPrefetch;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStack;

/**
 * Prefetches the connections of a session's waiting requests, before the first is taken. A program
 * with many connections posts to many of them at once, and each request waits until the state of
 * its connection is loaded from memory; requested together, these cache misses overlap. Checks,
 * takes and changes nothing. One for all sessions of an engine; engine thread only.
 *
 * <p>Each step goes through all requests, because it needs the loads of the step before.
 */
final class RequestPrefetch {
  private final BurstPrefetch transport;
  private final int[] numbers;
  private final SessionConnection[] found;

  /** The sum of the loaded values, which keeps the JIT from removing the loads. */
  private int sum;

  /**
   * Creates a prefetch for sessions over a stack.
   *
   * @param most most requests to look ahead
   */
  RequestPrefetch(TcpStack tcp, int most) {
    transport = tcp.prefetch(most);
    numbers = new int[most];
    found = new SessionConnection[most];
  }

  /** Whether there are enough connections for prefetching to pay off. */
  boolean worthwhile() {
    return transport.worthwhile();
  }

  /** Loads the connections that the next requests of a session name. */
  void prefetch(DaemonRings rings, NumberTable<SessionConnection> connections) {
    int count = rings.lookAhead(numbers);
    if (count < 2) {
      // A single request has nothing to overlap with.
      return;
    }
    int loaded = 0;
    for (int i = 0; i < count; i++) {
      loaded += connections.prefetch(numbers[i]);
    }
    int foundCount = find(count, connections);
    for (int i = 0; i < foundCount; i++) {
      loaded += found[i].prefetch();
    }
    for (int i = 0; i < foundCount; i++) {
      TcpConnection tcp = found[i].tcp();
      if (tcp != null) {
        transport.add(tcp);
      }
      loaded += found[i].stream().prefetch();
    }
    for (int i = 0; i < foundCount; i++) {
      loaded += found[i].ddp().prefetch();
    }
    for (int i = 0; i < foundCount; i++) {
      loaded += found[i].ddp().prefetchSending();
      found[i] = null;
    }
    transport.prefetchSending();
    sum = loaded;
  }

  /** Finds the connections; consecutive requests for one connection find it once. */
  private int find(int count, NumberTable<SessionConnection> connections) {
    int foundCount = 0;
    int last = 0;
    for (int i = 0; i < count; i++) {
      SessionConnection connection = numbers[i] == last ? null : connections.get(numbers[i]);
      last = numbers[i];
      if (connection != null) {
        found[foundCount++] = connection;
      }
    }
    return foundCount;
  }

  /** The sum of the last loads, for tests. */
  int sum() {
    return sum;
  }
}
