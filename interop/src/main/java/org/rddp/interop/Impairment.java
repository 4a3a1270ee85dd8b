package org.rddp.interop;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.rddp.device.FrameDevice;
import org.rddp.device.ImpairedDevice;
import org.rddp.device.ImpairedDevice.Faults;
import org.rddp.simulation.ReSegmentedDevice;

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

  private Faults faults() {
    return switch (this) {
      case LOSS -> new Faults(0.01, 0, 0, 0);
      case REORDERING -> new Faults(0, 0, 0.02, 0);
      case DUPLICATION -> new Faults(0, 0.05, 0, 0);
      default -> new Faults(0, 0, 0, 0);
    };
  }

  /**
   * Wraps a device to impair what it receives.
   *
   * @param tally receives a counter of the frames impaired
   */
  public FrameDevice on(FrameDevice device, RandomGenerator random, Consumer<LongSupplier> tally) {
    if (this != RESEGMENTATION) {
      ImpairedDevice impaired = new ImpairedDevice(device, random, faults());
      tally.accept(() -> impaired.dropped() + impaired.duplicated() + impaired.reordered());
      return impaired;
    }
    ReSegmentedDevice cutting = new ReSegmentedDevice(device, random.nextLong(), CUT);
    tally.accept(cutting::changed);
    return cutting;
  }

  @Override
  public String toString() {
    return words;
  }
}
