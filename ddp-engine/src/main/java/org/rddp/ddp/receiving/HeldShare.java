package org.rddp.ddp.receiving;

/**
 * Limits how much of an engine's {@link HeldMemory} the streams of one owner have together. Engine
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
   * @param parent a share that also counts every use of this one, or null
   */
  public HeldShare(long octets, HeldShare parent) {
    this.limit = octets / HeldMemory.BLOCK;
    this.parent = parent;
  }

  /** The share that also counts every use of this one, or null. */
  public HeldShare parent() {
    return parent;
  }

  /** Takes blocks; returns false, with no effect, if the share has too few left. */
  boolean take(int blocks) {
    if (blocks > limit - used || (parent != null && !parent.take(blocks))) {
      return false;
    }
    used += blocks;
    return true;
  }

  /** Returns blocks. */
  void give(int blocks) {
    used -= blocks;
    if (parent != null) {
      parent.give(blocks);
    }
  }
}
