package org.rddp.simulation;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Properties of one direction of a link. Times in nanoseconds, probabilities from 0 to 1 for each
 * frame.
 *
 * @param bandwidth bits per second, at least 1000; {@link Long#MAX_VALUE} for no limit
 * @param delay from one end to the other
 * @param jitter the most that is added to the delay; it does not reorder frames
 * @param queue octets that may wait in front of a wire with limited bandwidth
 * @param loss probability of a frame to be lost
 * @param burstLoss probability of a frame to be lost during a burst of losses
 * @param burstLength average duration of such a burst
 * @param burstGap how long it is on average from one burst to the next; {@link Long#MAX_VALUE} for
 *     never (Gilbert and Elliott's model, in time)
 * @param reorder probability of a frame to be overtaken by later ones
 * @param reorderDelay the most that such a frame is delayed
 * @param duplicate probability of a frame to be duplicated
 * @param corrupt probability of a flipped bit in a packet, which its checksums detect
 * @param corruptUnseen probability of a flipped bit in a TCP payload with a corrected checksum
 * @param mark probability of a packet that allows it to be marked as having met congestion (RFC
 *     3168)
 */
@RecordBuilder
public record WireSettings(
    long bandwidth,
    long delay,
    long jitter,
    long queue,
    double loss,
    double burstLoss,
    long burstLength,
    long burstGap,
    double reorder,
    long reorderDelay,
    double duplicate,
    double corrupt,
    double corruptUnseen,
    double mark)
    implements WireSettingsBuilder.With {

  /** A wire without delay, loss or limits. */
  public static final WireSettings PERFECT =
      WireSettingsBuilder.builder()
          .bandwidth(Long.MAX_VALUE)
          .queue(Long.MAX_VALUE)
          .burstGap(Long.MAX_VALUE)
          .build();

  /** Checks the ranges. */
  public WireSettings {
    require(bandwidth >= 1000, "bandwidth", bandwidth);
    require(delay >= 0, "delay", delay);
    require(jitter >= 0, "jitter", jitter);
    require(queue >= 0, "queue", queue);
    require(burstLength >= 0, "burst length", burstLength);
    require(burstGap > 0, "burst gap", burstGap);
    require(reorderDelay >= 0, "reorder delay", reorderDelay);
    chance(loss, "loss");
    chance(burstLoss, "burst loss");
    chance(reorder, "reorder");
    chance(duplicate, "duplicate");
    chance(corrupt, "corrupt");
    chance(corruptUnseen, "corrupt unseen");
    chance(mark, "mark");
  }

  private static void require(boolean sound, String name, Object value) {
    if (!sound) {
      throw new IllegalArgumentException(name + " " + value + " is out of range");
    }
  }

  private static void chance(double chance, String name) {
    require(chance >= 0 && chance <= 1, name, chance);
  }
}
