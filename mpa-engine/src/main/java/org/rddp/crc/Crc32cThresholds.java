package org.rddp.crc;

/**
 * Message lengths from which folding by XORs replaces the JDK's intrinsic.
 *
 * <p>A process measures its machine's thresholds at start-up (see {@link FoldTrial}); the defaults
 * apply if vectors are requested without a trial.
 *
 * @param fold octets from which a CRC is computed by folding, {@value #SHORTEST} or more
 * @param copy octets from which a copy and its CRC are done in one pass, {@value #SHORTEST} or more
 */
public record Crc32cThresholds(long fold, long copy) {
  /** Typical results of trials on a Zen 5 core. */
  public static final Crc32cThresholds DEFAULT = new Crc32cThresholds(6144, 5120);

  /** Octets of the shortest message that can be folded. */
  public static final long SHORTEST = 768;

  /** Checks the ranges. */
  public Crc32cThresholds {
    if (fold < SHORTEST || copy < SHORTEST) {
      throw new IllegalArgumentException(
          "messages are folded from "
              + SHORTEST
              + " octets on at the least, not from "
              + Math.min(fold, copy));
    }
  }
}
