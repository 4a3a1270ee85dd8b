package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * How one end of an MPA connection behaves. Times in nanoseconds, probabilities from 0 to 1.
 *
 * @param ulpdus how many it sends, at least 1
 * @param largest octets of its longest ULPDU; {@link Integer#MAX_VALUE} for what MULPDU allows
 * @param always whether all of its ULPDUs are as long as that
 * @param think probability of a pause after sending a ULPDU
 * @param thinkTime the longest pause
 * @param decline probability that it declines an early ULPDU
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
  /** Reaction of an end whose receiving half has failed. */
  enum AfterError {
    /** Sends the rest, and closes. */
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
  static UlpduTraffic draw(SplittableRandom random, RandomSettings choices, int ulpdus) {
    boolean small = choices.oneIn(4);
    return new UlpduTraffic(
        ulpdus,
        small ? 1 + random.nextInt(200) : Integer.MAX_VALUE,
        choices.oneIn(3),
        choices.oneIn(4) ? random.nextDouble(0.02) : 0,
        (1 + random.nextInt(300)) * MILLISECOND,
        choices.oneIn(3) ? random.nextDouble() : 0,
        choices.oneIn(24) ? random.nextLong(ulpdus) : Long.MAX_VALUE,
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
