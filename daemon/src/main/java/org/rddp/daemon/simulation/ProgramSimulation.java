package org.rddp.daemon.simulation;

import java.util.function.Consumer;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.Totals;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Lives from program to program: engines of the daemon on two hosts, and programs that post work
 * requests of every kind to their rings and hold each completion to a model.
 */
public final class ProgramSimulation implements Simulation {
  private final Shelf shelf = new Shelf();
  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();

  /** Ready to live. */
  public ProgramSimulation() {}

  @Override
  public String live(long seed, Totals totals, Consumer<String> trace) {
    slab.clear();
    ProgramLife life = new ProgramLife(seed, shelf, trace, slab, octets);
    life.live();
    life.addTo(totals);
    return life.violation();
  }
}
