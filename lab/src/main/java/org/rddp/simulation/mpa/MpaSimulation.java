package org.rddp.simulation.mpa;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.FrameStore;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;
import org.rddp.wire.Memory;

/** Simulates MPA over TCP: two ends and their programs on a bad network. */
public final class MpaSimulation implements Simulation {
  private final BufferCache buffers = new BufferCache();
  private final long buffer = Memory.allocate(FrameStore.LONGEST);

  /** Allocates the buffers. */
  public MpaSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    MpaRun life = new MpaRun(HostPair.draw(seed, buffers, trace), buffer);
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
