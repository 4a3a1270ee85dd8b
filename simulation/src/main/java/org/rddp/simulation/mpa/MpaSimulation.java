package org.rddp.simulation.mpa;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.FrameStore;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;
import org.rddp.wire.Memory;

/** Lives of MPA over TCP: everything that a bad network does to two ends and their programs. */
public final class MpaSimulation implements Simulation {
  private final BufferCache shelf = new BufferCache();
  private final long buffer = Memory.allocate(FrameStore.LONGEST);

  /** Ready to live. */
  public MpaSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    MpaRun life = new MpaRun(seed, shelf, trace, buffer);
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
