package org.rddp.simulation.programs;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Simulates engines of the daemon on two hosts, and programs that post work requests of every kind,
 * right ones and wrong ones, to their rings and hold each completion and each octet to a model.
 */
public final class ProgramSimulation implements Simulation {
  private final BufferCache buffers = new BufferCache();
  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();
  private final Scope scope;

  private ProgramSimulation(Scope scope) {
    this.scope = scope;
  }

  /** Few connections with many requests each, and all of them speak RDMAP. */
  public static ProgramSimulation ofRdmap() {
    return new ProgramSimulation(Scope.RDMAP);
  }

  /** Several programs, with RDMAP and with plain DDP. */
  public static ProgramSimulation ofPrograms() {
    return new ProgramSimulation(Scope.PROGRAMS);
  }

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    HostPair hosts = HostPair.draw(seed, buffers, trace);
    ProgramRun run = new ProgramRun(hosts, scope, slab, octets);
    run.run();
    run.addTo(totals);
    return run.violation();
  }
}
