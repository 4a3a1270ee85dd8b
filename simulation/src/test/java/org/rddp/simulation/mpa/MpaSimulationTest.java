package org.rddp.simulation.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** A few of the runs of which {@code rddp simulate} makes thousands. */
class MpaSimulationTest {
  private static final int LIVES = 600;

  @Test
  void shouldHoldWhateverTheNetworkDoes() {
    MpaSimulation simulation = new MpaSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= LIVES; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("rddp simulate mpa --seed %d --trace", seed).isNull();
    }
    assertThat(totals.zeros()).isEmpty();
    assertThat(totals.median()).isGreaterThanOrEqualTo(500);
  }
}
