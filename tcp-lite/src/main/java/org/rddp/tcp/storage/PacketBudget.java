package org.rddp.tcp.storage;

/**
 * Packets that connections may keep for one purpose, and how they share them. A connection may keep
 * another as long as it keeps fewer than are left: one alone gets half, each of n gets one part in
 * n + 1. A peer's connections may keep another as long as they together keep less than three times
 * what is left: one peer alone gets three quarters, however many connections it has, so that
 * something is left for every other peer.
 */
public final class PacketBudget {
  private static final int PEER_SHARE = 3;

  private final int limit;
  private int used;

  /**
   * A budget of which nothing is used.
   *
   * @param limit packets in all
   */
  public PacketBudget(int limit) {
    this.limit = limit;
  }

  /**
   * Whether another packet may be kept.
   *
   * @param own packets that the connection keeps already
   * @param peers packets that all connections of its peer keep already
   */
  public boolean grants(int own, int peers) {
    int left = limit - used;
    return own < left && peers < PEER_SHARE * left;
  }

  /** So many more are kept. */
  public void keeps(int more) {
    used += more;
  }

  /** Packets kept. */
  public int used() {
    return used;
  }

  /** Whether so little is left that nobody may sit on packets for ever. */
  public boolean scarce() {
    return used >= limit / 4 * 3;
  }
}
