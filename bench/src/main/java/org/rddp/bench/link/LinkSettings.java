package org.rddp.bench.link;

import org.rddp.simulation.WireSettings;

/**
 * What a link does to frames, the same in both directions.
 *
 * @param wire properties of each direction
 * @param seed decides which frames are lost, by their number
 */
public record LinkSettings(WireSettings wire, long seed) {
  /** Preamble, check sequence and the gap between frames. */
  private static final int AROUND = 24;

  /**
   * A link.
   *
   * @param loss probability that a frame with TCP in it is lost, 0 to 1
   * @param gbps rate at which octets leave, in Gb/s
   * @param delay of each frame after it has left, in ns
   * @param queue octets that may wait to leave; a frame that finds no room is dropped
   */
  public LinkSettings(double loss, double gbps, long delay, int queue, long seed) {
    this(
        WireSettings.PERFECT
            .withLoss(loss)
            .withOnlyTcp(true)
            .withBandwidth((long) (gbps * 1e9))
            .withOverhead(AROUND)
            .withDelay(delay)
            .withQueue(queue),
        seed);
  }

  /** A copy that marks packets beyond so many octets of the queue. */
  public LinkSettings marking(long threshold) {
    return new LinkSettings(wire.withThreshold(threshold), seed);
  }
}
