package org.rddp.simulation.tcp;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;

/** Simulates TCP: two stacks and their programs on a bad network. */
public final class TcpSimulation implements Simulation {
  private final BufferCache buffers = new BufferCache();

  /** Allocates the buffers. */
  public TcpSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    TcpRun life = new TcpRun(HostPair.draw(seed, buffers, trace));
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
