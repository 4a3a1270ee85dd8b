package org.rddp.simulation.rdma;

import java.util.function.Consumer;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.Totals;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Lives of RDMAP over MPA and TCP: two programs' requests of every kind, right ones and wrong ones,
 * on everything that a bad network does, against a model of both memories.
 */
public final class RdmaSimulation implements Simulation {
  private final Shelf shelf = new Shelf();
  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();

  /** Ready to live. */
  public RdmaSimulation() {}

  @Override
  public String live(long seed, Totals totals, Consumer<String> trace) {
    slab.clear();
    RdmaLife life = new RdmaLife(seed, shelf, trace, slab, octets);
    life.live();
    life.addTo(totals);
    return life.violation();
  }
}
