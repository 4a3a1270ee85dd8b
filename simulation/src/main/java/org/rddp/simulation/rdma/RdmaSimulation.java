package org.rddp.simulation.rdma;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Lives of RDMAP over MPA and TCP: two programs' requests of every kind, right ones and wrong ones,
 * on everything that a bad network does, against a model of both memories.
 */
public final class RdmaSimulation implements Simulation {
  private final BufferCache shelf = new BufferCache();
  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();

  /** Ready to live. */
  public RdmaSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    slab.clear();
    RdmapRun life = new RdmapRun(seed, shelf, trace, slab, octets);
    life.run();
    life.addTo(totals);
    return life.violation();
  }
}
