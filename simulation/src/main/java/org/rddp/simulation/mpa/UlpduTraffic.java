package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * How one end of a connection behaves. Times in nanoseconds, chances from 0 to 1.
 *
 * @param ulpdus how many it sends, at least 1
 * @param largest octets of its longest ULPDU; {@link Integer#MAX_VALUE} for what MULPDU allows
 * @param always whether all of its ULPDUs are as long as that
 * @param think chance that it waits after sending a ULPDU
 * @param thinkTime the most that it waits
 * @param decline chance that it declines a ULPDU before its turn
 * @param abortAfter ULPDUs passed after which it aborts; {@link Long#MAX_VALUE} for never
 * @param afterError what it does when the other half has failed
 */
record UlpduTraffic(
    int ulpdus,
    int largest,
    boolean always,
    double think,
    long thinkTime,
    double decline,
    long abortAfter,
    AfterError afterError) {
  /** What an end does when the half that it receives on has failed. */
  enum AfterError {
    /** Sends what it has to send, and closes. */
    GO_ON,
    /** Closes its half. */
    CLOSE,
    /** Ends the connection with a reset. */
    ABORT
  }

  private static final long MILLISECOND = 1_000_000;

  /**
   * Draws one.
   *
   * @param ulpdus how many it sends
   */
  static UlpduTraffic draw(SplittableRandom random, RandomSettings lots, int ulpdus) {
    boolean small = lots.oneIn(4);
    return new UlpduTraffic(
        ulpdus,
        small ? 1 + random.nextInt(200) : Integer.MAX_VALUE,
        lots.oneIn(3),
        lots.oneIn(4) ? random.nextDouble(0.02) : 0,
        (1 + random.nextInt(300)) * MILLISECOND,
        lots.oneIn(3) ? random.nextDouble() : 0,
        lots.oneIn(24) ? random.nextLong(ulpdus) : Long.MAX_VALUE,
        afterError(random));
  }

  private static AfterError afterError(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> AfterError.CLOSE;
      case 1 -> AfterError.ABORT;
      default -> AfterError.GO_ON;
    };
  }
}
