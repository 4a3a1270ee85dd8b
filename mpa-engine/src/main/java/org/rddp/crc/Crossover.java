package org.rddp.crc;

/**
 * The lengths from which messages are folded, which a trial may set later; initially no message is
 * folded. Set by one thread, read by many.
 */
final class Crossover {
  private static final long NEVER = Long.MAX_VALUE;

  private volatile long fold = NEVER;
  private volatile long copy = NEVER;

  /** Creates an instance with known thresholds. */
  static Crossover at(Crc32cThresholds thresholds) {
    Crossover crossover = new Crossover();
    crossover.set(thresholds.fold(), thresholds.copy());
    return crossover;
  }

  /** Sets the thresholds in octets; {@link Long#MAX_VALUE} for never. */
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
