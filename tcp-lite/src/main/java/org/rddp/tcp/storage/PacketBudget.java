package org.rddp.tcp.storage;

/**
 * Limits the packets that connections keep for one purpose. A connection may keep another packet
 * while it keeps fewer than remain: a single connection gets half of the budget, each of n
 * connections 1/(n + 1). The connections of one peer may keep another while together they keep less
 * than three times what remains: one peer gets at most three quarters, with any number of
 * connections, and the other peers still get some.
 */
public final class PacketBudget {
  private static final int PEER_SHARE = 3;

  private final int limit;
  private int used;

  /**
   * Creates an unused budget.
   *
   * @param limit packets of all connections
   */
  public PacketBudget(int limit) {
    this.limit = limit;
  }

  /**
   * Whether another packet may be kept.
   *
   * @param own packets that the connection keeps
   * @param peers packets that all connections of its peer keep
   */
  public boolean grants(int own, int peers) {
    int left = limit - used;
    return own < left && peers < PEER_SHARE * left;
  }

  /** Counts packets that are kept from now on; negative for packets released. */
  public void keeps(int more) {
    used += more;
  }

  /** Packets kept. */
  public int used() {
    return used;
  }

  /** Whether so little remains that no connection may keep packets without a time limit. */
  public boolean scarce() {
    return used >= limit / 4 * 3;
  }
}
