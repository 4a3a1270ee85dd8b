package org.rddp.simulation.sockets;

import java.util.function.Consumer;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Simulation;

/** Simulates octet streams: engines of the daemon on two hosts, and programs that use them. */
public final class StreamSimulation implements Simulation {
  private final BufferCache buffers = new BufferCache();

  /** Allocates the buffers. */
  public StreamSimulation() {}

  @Override
  public String run(long seed, RunTotals totals, Consumer<String> trace) {
    StreamRun run = new StreamRun(HostPair.draw(seed, buffers, trace), false);
    run.run();
    run.addTo(totals);
    return run.violation();
  }
}
