package org.rddp.interop;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.rddp.device.FrameDevice;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.NetworkCounters;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.WireSettings;

/** The impairment of a link, in both directions. */
public enum Impairment {
  CLEAN("clean"),
  LOSS("1 % loss"),
  REORDERING("reordering"),
  DUPLICATION("duplication"),
  RESEGMENTATION("re-segmentation");

  /** Share of the segments that are split or joined. */
  private static final double CUT = 0.75;

  private final String words;

  Impairment(String words) {
    this.words = words;
  }

  private WireSettings wire() {
    return switch (this) {
      case LOSS -> WireSettings.PERFECT.withLoss(0.01);
      case REORDERING -> WireSettings.PERFECT.withReorder(0.02).withReorderDelay(7);
      case DUPLICATION -> WireSettings.PERFECT.withDuplicate(0.05);
      default -> WireSettings.PERFECT;
    };
  }

  /**
   * Wraps a device to impair what it receives.
   *
   * @param tally receives a counter of the frames impaired
   */
  public FrameDevice on(FrameDevice device, RandomGenerator random, Consumer<LongSupplier> tally) {
    ImpairedDevice impaired = new ImpairedDevice(device, random.nextLong(), wire());
    impaired.reSegment(this == RESEGMENTATION ? CUT : 0);
    tally.accept(() -> changed(impaired.network().counters()));
    return impaired;
  }

  private static long changed(NetworkCounters counters) {
    return Stream.of(
            NetworkEvent.LOST,
            NetworkEvent.REORDERED,
            NetworkEvent.DUPLICATED,
            NetworkEvent.SPLIT,
            NetworkEvent.COALESCED)
        .mapToLong(counters::count)
        .sum();
  }

  @Override
  public String toString() {
    return words;
  }
}
