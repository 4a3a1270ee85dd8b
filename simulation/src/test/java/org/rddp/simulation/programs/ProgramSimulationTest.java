package org.rddp.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** A few of the lives of which {@code rddp simulate programs} lives more. */
class ProgramSimulationTest {
  private static final int LIVES = 500;

  @Test
  void shouldHoldWhateverTheNetworkAndTheProgramsDo() {
    ProgramSimulation simulation = new ProgramSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= LIVES; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("rddp simulate programs --seed %d --trace", seed).isNull();
    }
    assertThat(totals.median()).isGreaterThanOrEqualTo(100);
    assertThat(totals.zeros()).hasSizeLessThan(5);
  }
}
