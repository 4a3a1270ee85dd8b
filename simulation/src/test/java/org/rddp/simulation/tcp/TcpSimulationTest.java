package org.rddp.simulation.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** A few of the runs of which {@code rddp simulate} makes thousands. */
class TcpSimulationTest {
  private static final int LIVES = 300;

  @Test
  void shouldHoldWhateverTheNetworkDoes() {
    TcpSimulation simulation = new TcpSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= LIVES; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("seed %d: rddp simulate tcp --seed %d --trace", seed, seed).isNull();
    }
    assertThat(totals.zeros()).isEmpty();
    assertThat(totals.median()).isGreaterThanOrEqualTo(500);
  }
}
