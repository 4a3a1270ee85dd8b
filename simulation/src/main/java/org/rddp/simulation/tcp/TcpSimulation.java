package org.rddp.simulation.tcp;

import java.util.function.Consumer;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.Totals;

/** Lives of TCP: everything that a bad network does to two stacks and their programs. */
public final class TcpSimulation implements Simulation {
  private final Shelf shelf = new Shelf();

  /** Ready to live. */
  public TcpSimulation() {}

  @Override
  public String live(long seed, Totals totals, Consumer<String> trace) {
    TcpLife life = new TcpLife(seed, shelf, trace);
    life.live();
    life.addTo(totals);
    return life.violation();
  }
}
