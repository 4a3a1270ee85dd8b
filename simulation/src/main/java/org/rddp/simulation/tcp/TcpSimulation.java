package org.rddp.simulation.tcp;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;

/** Lives of TCP: everything that a bad network does to two stacks and their programs. */
public final class TcpSimulation implements Simulation {
  private final BufferCache shelf = new BufferCache();

  /** Ready to live. */
  public TcpSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    TcpRun life = new TcpRun(seed, shelf, trace);
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
