package org.rddp.simulation.tcp;

import java.util.SplittableRandom;

/**
 * How one end of a TCP connection behaves. Times in nanoseconds, probabilities from 0 to 1.
 *
 * @param octets how many it sends
 * @param largest the longest segment that it sends, 0 for always EMSS octets
 * @param think probability of a pause after sending a segment
 * @param thinkTime the longest pause
 * @param tire probability that it stops reading after a segment
 * @param restTime the longest time without reading
 * @param sip octets that it reads at a time after that, 0 for all
 * @param abortAfter octets received after which it aborts; {@link Long#MAX_VALUE} for never
 */
record TcpTraffic(
    long octets,
    int largest,
    double think,
    long thinkTime,
    double tire,
    long restTime,
    int sip,
    long abortAfter) {
  private static final int MOST_SEGMENTS = 3000;
  private static final long MILLISECOND = 1_000_000;

  /**
   * Draws one.
   *
   * @param octets how many it sends, fewer if its segments are small
   * @param expected how many its peer sends
   */
  static TcpTraffic draw(SplittableRandom random, long octets, long expected) {
    boolean thinks = random.nextInt(4) == 0;
    boolean rests = random.nextInt(3) == 0;
    boolean aborts = random.nextInt(24) == 0;
    int largest = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(random.nextInt(9000) + 1);
    return new TcpTraffic(
        largest == 0 ? octets : Math.min(octets, (long) largest * MOST_SEGMENTS / 2),
        largest,
        thinks ? random.nextDouble(0.02) : 0,
        (1 + random.nextInt(500)) * MILLISECOND,
        rests ? random.nextDouble(0.05) : 0,
        (1 + random.nextInt(random.nextInt(4) == 0 ? 3000 : 30)) * MILLISECOND,
        random.nextInt(4) == 0 ? 1 + random.nextInt(3000) : 0,
        aborts ? random.nextLong(expected + 1) : Long.MAX_VALUE);
  }
}
