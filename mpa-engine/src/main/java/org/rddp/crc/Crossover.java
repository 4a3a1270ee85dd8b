package org.rddp.crc;

/**
 * From which lengths messages are folded: none at first, where the folding has still to show what
 * it is good for. Set by one thread, read by many.
 */
final class Crossover {
  private static final long NEVER = Long.MAX_VALUE;

  private volatile long fold = NEVER;
  private volatile long copy = NEVER;

  /** Those known already. */
  static Crossover at(Crc32cThresholds thresholds) {
    Crossover crossover = new Crossover();
    crossover.set(thresholds.fold(), thresholds.copy());
    return crossover;
  }

  /** In octets; {@link Long#MAX_VALUE} for never. */
  void set(long foldFrom, long copyFrom) {
    fold = foldFrom;
    copy = copyFrom;
  }

  long fold() {
    return fold;
  }

  long copy() {
    return copy;
  }

  @Override
  public String toString() {
    return "folded from "
        + description(fold)
        + ", copied in the same pass from "
        + description(copy);
  }

  private static String description(long octets) {
    return octets == NEVER ? "no length" : octets + " octets";
  }
}
