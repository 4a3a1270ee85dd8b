package org.rddp.tcp.storage;

/**
 * The {@link EarlyRanges} that no connection of a stack uses at the moment: only connections that
 * miss something have any, and none is made anew while some are left.
 */
public final class EarlyRangesPool {
  private static final int MOST = 256;

  private final EarlyRanges[] free = new EarlyRanges[MOST];
  private int count;

  /** An empty set of ranges. */
  public EarlyRanges acquire() {
    if (count == 0) {
      return new EarlyRanges();
    }
    EarlyRanges taken = free[--count];
    free[count] = null;
    return taken;
  }

  /** Takes a set back; it is to be used no more. */
  public void release(EarlyRanges ranges) {
    ranges.clear();
    if (count < MOST) {
      free[count++] = ranges;
    }
  }
}
