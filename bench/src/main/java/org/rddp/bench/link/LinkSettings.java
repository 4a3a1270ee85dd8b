package org.rddp.bench.link;

/**
 * What a link does to frames, the same in both directions.
 *
 * @param loss probability that a frame with TCP in it is lost, 0 to 1
 * @param gbps rate at which octets leave, in Gb/s
 * @param delay of each frame after it has left, in ns
 * @param queue octets that may wait to leave; a frame that finds no room is dropped
 * @param seed decides which frames are lost, by their number
 */
public record LinkSettings(double loss, double gbps, long delay, int queue, long seed) {
  /** Checks the ranges. */
  public LinkSettings {
    if (!(loss >= 0 && loss <= 1) || !(gbps > 0) || delay < 0 || queue < 1) {
      throw new IllegalArgumentException(
          "no link: loss " + loss + ", " + gbps + " Gb/s, " + delay + " ns, queue " + queue);
    }
  }
}
