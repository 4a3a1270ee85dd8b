package org.rddp.cli;

import java.util.Locale;
import org.rddp.simulation.Simulation;
import org.rddp.simulation.mpa.MpaSimulation;
import org.rddp.simulation.programs.ProgramSimulation;
import org.rddp.simulation.tcp.TcpSimulation;

/** What {@code rddp simulate} can simulate, and what the length of a life is counted in. */
enum SimulationKind {
  /** Connections of TCP over bad networks. */
  TCP("segments with data", "median_segments", 500),
  /** Connections of MPA over that TCP. */
  MPA("ULPDUs passed", "median_ulpdus", 500),
  /** Programs that use each other's memory, by RDMAP over that MPA. */
  RDMA("segments placed", "median_placed", 500),
  /** Programs and their rings, on top of whole engines. */
  PROGRAMS("segments placed", "median_placed", 100);

  private final String measure;
  private final String key;
  private final long leastMedian;

  SimulationKind(String measure, String key, long leastMedian) {
    this.measure = measure;
    this.key = key;
    this.leastMedian = leastMedian;
  }

  /** A simulation for one thread. */
  Simulation simulation() {
    return switch (this) {
      case TCP -> new TcpSimulation();
      case MPA -> new MpaSimulation();
      case RDMA -> ProgramSimulation.ofRdmap();
      case PROGRAMS -> ProgramSimulation.ofPrograms();
    };
  }

  /** What the length of a life is counted in, in words. */
  String measure() {
    return measure;
  }

  /** The name of the median length of lives, for programs. */
  String key() {
    return key;
  }

  /** The median length that many lives must have. */
  long leastMedian() {
    return leastMedian;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
