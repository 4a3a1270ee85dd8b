package org.rddp.tcp;

/**
 * Prefetches the state of connections that are about to send or to receive. With many connections
 * each segment waits for the state of its connection to come from memory; requested together, these
 * cache misses overlap. Nothing is checked or changed. One thread, the stack's.
 *
 * <p>Each step goes through the whole burst, because it needs the loads of the step before.
 */
public final class BurstPrefetch {
  /** From this many connections on, their state does not fit the caches of a core. */
  private static final int MANY = 1024;

  private final StackContext context;
  private final TcpConnection[] burst;
  private int count;

  /** The sum of what was loaded, which keeps the JIT from removing the loads. */
  private int sum;

  /** Creates a prefetch for bursts of up to {@code most} connections. */
  BurstPrefetch(StackContext context, int most) {
    this.context = context;
    burst = new TcpConnection[most];
  }

  /** Whether there are enough connections for prefetching to pay. */
  public boolean worthwhile() {
    return context.connections.size() >= MANY;
  }

  /** Adds a connection that is about to send, unless there are too many. */
  public void add(TcpConnection connection) {
    if (count < burst.length) {
      burst[count++] = connection;
    }
  }

  /** Loads the state that is needed to send a segment on each added connection. */
  public void prefetchSending() {
    int loaded = prefetchHalves();
    for (int i = 0; i < count; i++) {
      loaded += burst[i].sender.prefetchFlight();
    }
    end(loaded);
  }

  /** Loads the state that is needed to receive a segment on each added connection. */
  void prefetchReceiving() {
    int loaded = prefetchHalves();
    for (int i = 0; i < count; i++) {
      loaded += burst[i].prefetchHandler();
    }
    end(loaded);
  }

  /** Loads the connections and their halves. */
  private int prefetchHalves() {
    int loaded = 0;
    for (int i = 0; i < count; i++) {
      loaded += burst[i].prefetch();
    }
    for (int i = 0; i < count; i++) {
      loaded += burst[i].sender.prefetch() + burst[i].receiver.prefetch();
    }
    return loaded;
  }

  private void end(int loaded) {
    for (int i = 0; i < count; i++) {
      burst[i] = null;
    }
    count = 0;
    sum = loaded;
  }

  /** The sum of the last loads, for tests. */
  int sum() {
    return sum;
  }
}
