package org.rddp.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** The first of the runs of which the suite makes thousands with {@code rddp simulate}. */
class ProgramSimulationTest {
  private static RunTotals run(ProgramSimulation simulation, String kind, int runs) {
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= runs; seed++) {
      String violation = simulation.run(seed, totals, null);
      assertThat(violation).as("rddp simulate %s --seed %d --trace", kind, seed).isNull();
    }
    return totals;
  }

  @Test
  void shouldKeepTheRulesOfRdmapOnBadNetworks() {
    RunTotals totals = run(ProgramSimulation.ofRdmap(), "rdma", 30);
    assertThat(totals.median()).isGreaterThanOrEqualTo(400);
  }

  @Test
  void shouldKeepTheRulesForSeveralProgramsOnBadNetworks() {
    RunTotals totals = run(ProgramSimulation.ofPrograms(), "programs", 50);
    assertThat(totals.median()).isGreaterThanOrEqualTo(100);
  }
}
