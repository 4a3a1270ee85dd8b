package org.rddp.crc;

/**
 * From which lengths messages are folded by XORs rather than handed to the JDK's intrinsic.
 *
 * <p>A process finds those of its machine when it starts (see {@link FoldTrial}); the defaults are
 * for where vectors are asked for without a trial.
 *
 * @param fold octets from which a CRC is taken by folding, {@value #SHORTEST} or more
 * @param copy octets from which a copy and its CRC are one pass, {@value #SHORTEST} or more
 */
public record Crc32cThresholds(long fold, long copy) {
  /** About what trials find on a Zen 5 core. */
  public static final Crc32cThresholds DEFAULT = new Crc32cThresholds(6144, 5120);

  /** Octets of the shortest message that can be folded. */
  public static final long SHORTEST = 768;

  /** Checks them. */
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
