package org.rddp.simulation.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** The first of the runs of which the suite makes thousands with {@code rddp simulate}. */
class TcpSimulationTest {
  private static final int RUNS = 15;

  @Test
  void shouldHoldWhateverTheNetworkDoes() {
    TcpSimulation simulation = new TcpSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= RUNS; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("seed %d: rddp simulate tcp --seed %d --trace", seed, seed).isNull();
    }
    assertThat(totals.median()).isGreaterThanOrEqualTo(500);
  }
}
