package org.rddp.lab;

import java.util.Locale;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.mpa.MpaSimulation;
import org.rddp.simulation.programs.ProgramSimulation;
import org.rddp.simulation.sockets.StreamSimulation;
import org.rddp.simulation.tcp.TcpSimulation;

/**
 * The simulations of {@code rddp simulate}, and the unit in which the length of a run is counted.
 */
enum SimulationKind {
  /** TCP connections over unreliable networks. */
  TCP("segments with data", "median_segments", 500),
  /** MPA connections over that TCP. */
  MPA("ULPDUs passed", "median_ulpdus", 500),
  /** RDMAP streams over that MPA. */
  RDMA("segments placed", "median_placed", 500),
  /** Programs with their rings, on top of whole engines. */
  PROGRAMS("segments placed", "median_placed", 100),
  /** Octet streams of programs with sockets. */
  SOCKETS("octets read", "median_read", 10_000);

  private final String measure;
  private final String key;
  private final long leastMedian;

  SimulationKind(String measure, String key, long leastMedian) {
    this.measure = measure;
    this.key = key;
    this.leastMedian = leastMedian;
  }

  /** Creates a simulation for one thread. */
  Simulation simulation() {
    return switch (this) {
      case TCP -> new TcpSimulation();
      case MPA -> new MpaSimulation();
      case RDMA -> ProgramSimulation.ofRdmap();
      case PROGRAMS -> ProgramSimulation.ofPrograms();
      case SOCKETS -> new StreamSimulation();
    };
  }

  /** The unit in which the length of a run is counted. */
  String measure() {
    return measure;
  }

  /** The JSON key of the median length of the runs. */
  String key() {
    return key;
  }

  /** The least median length of many runs. */
  long leastMedian() {
    return leastMedian;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
