package org.rddp.simulation;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * How one direction of a link is. Times in nanoseconds, chances from 0 to 1 for each frame.
 *
 * @param bandwidth bits per second, at least 1000; {@link Long#MAX_VALUE} for no limit
 * @param delay from one end to the other
 * @param jitter the most that is added to the delay; it does not reorder
 * @param queue octets that may wait in front of a wire whose bandwidth is limited
 * @param loss chance of a frame to be lost
 * @param burstLoss chance of a frame to be lost during a burst of losses
 * @param burstLength how long such a burst takes on average
 * @param burstGap how long it is on average from one burst to the next; {@link Long#MAX_VALUE} for
 *     never (Gilbert and Elliott's model, in time)
 * @param reorder chance of a frame to be overtaken by those behind it
 * @param reorderDelay the most that such a frame is late
 * @param duplicate chance of a frame to come twice
 * @param corrupt chance of a bit to be turned in a packet, which its checksums show
 * @param corruptUnseen chance of a bit to be turned in a TCP payload, the checksum being made right
 *     again
 * @param mark chance of a packet that allows it to be marked as having met congestion (RFC 3168)
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

  /** A wire that does nothing to its frames, in no time. */
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
