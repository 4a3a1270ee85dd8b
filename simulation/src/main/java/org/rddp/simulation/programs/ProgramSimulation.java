package org.rddp.simulation.programs;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Lives from program to program: engines of the daemon on two hosts, and programs that post work
 * requests of every kind to their rings and hold each completion to a model.
 */
public final class ProgramSimulation implements Simulation {
  private final BufferCache shelf = new BufferCache();
  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();

  /** Ready to live. */
  public ProgramSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    slab.clear();
    ProgramRun life = new ProgramRun(seed, shelf, trace, slab, octets);
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
