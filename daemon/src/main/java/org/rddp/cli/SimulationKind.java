package org.rddp.cli;

import java.util.Locale;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.tcp.TcpSimulation;

/** What {@code rddp simulate} can simulate. */
enum SimulationKind {
  /** Connections of TCP over bad networks. */
  TCP;

  /** A simulation for one thread. */
  Simulation simulation() {
    return switch (this) {
      case TCP -> new TcpSimulation();
    };
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
