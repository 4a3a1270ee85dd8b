package org.rddp.simulation.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** A few of the lives of which {@code rddp simulate rdma} lives thousands. */
class RdmaSimulationTest {
  private static final int LIVES = 400;

  @Test
  void shouldHoldWhateverTheNetworkDoes() {
    RdmaSimulation simulation = new RdmaSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= LIVES; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("rddp simulate rdma --seed %d --trace", seed).isNull();
    }
    assertThat(totals.median()).isGreaterThanOrEqualTo(400);
    assertThat(totals.zeros()).hasSizeLessThan(10);
  }
}
