package org.rddp.simulation.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** The first of the runs of which the suite makes thousands with {@code rddp simulate}. */
class MpaSimulationTest {
  private static final int RUNS = 20;

  @Test
  void shouldHoldWhateverTheNetworkDoes() {
    MpaSimulation simulation = new MpaSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= RUNS; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("rddp simulate mpa --seed %d --trace", seed).isNull();
    }
    assertThat(totals.median()).isGreaterThanOrEqualTo(500);
  }
}
