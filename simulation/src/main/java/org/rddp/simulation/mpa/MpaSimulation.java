package org.rddp.simulation.mpa;

import java.util.function.Consumer;
import org.rddp.simulation.FrameStore;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.Totals;
import org.rddp.wire.Memory;

/** Lives of MPA over TCP: everything that a bad network does to two ends and their programs. */
public final class MpaSimulation implements Simulation {
  private final Shelf shelf = new Shelf();
  private final long buffer = Memory.allocate(FrameStore.LONGEST);

  /** Ready to live. */
  public MpaSimulation() {}

  @Override
  public String live(long seed, Totals totals, Consumer<String> trace) {
    MpaLife life = new MpaLife(seed, shelf, trace, buffer);
    life.live();
    life.addTo(totals);
    return life.violation();
  }
}
