package org.rddp.tcp.storage;

/** The unused {@link EarlyRanges} of a stack. */
public final class EarlyRangesPool {
  private static final int MOST = 256;

  private final EarlyRanges[] free = new EarlyRanges[MOST];
  private int count;

  /** Creates an empty pool. */
  public EarlyRangesPool() {}

  /** Takes an empty set of ranges. */
  public EarlyRanges acquire() {
    if (count == 0) {
      return new EarlyRanges();
    }
    EarlyRanges taken = free[--count];
    free[count] = null;
    return taken;
  }

  /** Takes a set back, which the caller must not use again. */
  public void release(EarlyRanges ranges) {
    ranges.clear();
    if (count < MOST) {
      free[count++] = ranges;
    }
  }
}
