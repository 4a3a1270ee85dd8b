package org.rddp.ddp.receiving;

/**
 * How much of an engine's {@link HeldMemory} the streams of one owner may have together. Engine
 * thread only.
 */
public final class HeldShare {
  private final long limit;
  private final HeldShare parent;
  private long used;

  /**
   * Creates a share of which nothing is used.
   *
   * @param octets the most, in whole blocks of 4096
   * @param parent a share of which the same is used, or null
   */
  public HeldShare(long octets, HeldShare parent) {
    this.limit = octets / HeldMemory.BLOCK;
    this.parent = parent;
  }

  /** The share of which the same is used, or null. */
  public HeldShare parent() {
    return parent;
  }

  /** Uses more blocks; false, and nothing happens, if the share has not so many. */
  boolean take(int blocks) {
    if (blocks > limit - used || (parent != null && !parent.take(blocks))) {
      return false;
    }
    used += blocks;
    return true;
  }

  /** Blocks are used no more. */
  void give(int blocks) {
    used -= blocks;
    if (parent != null) {
      parent.give(blocks);
    }
  }
}
