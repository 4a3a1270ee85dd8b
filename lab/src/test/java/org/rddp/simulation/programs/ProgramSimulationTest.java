package org.rddp.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.simulation.RunTotals;

/** The first of the runs of which the suite makes thousands with {@code rddp simulate}. */
class ProgramSimulationTest {
  private static RunTotals run(ProgramSimulation simulation, String kind, int runs) {
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= runs; seed++) {
      run(simulation, kind, seed, totals);
    }
    return totals;
  }

  private static void run(ProgramSimulation simulation, String kind, long seed, RunTotals totals) {
    String violation = simulation.run(seed, totals, null);
    assertThat(violation).as("rddp simulate %s --seed %d --trace", kind, seed).isNull();
  }

  @Test
  void shouldKeepTheRulesOfRdmapOnBadNetworks() {
    RunTotals totals = run(ProgramSimulation.ofRdmap(), "rdma", 12);
    assertThat(totals.median()).isGreaterThanOrEqualTo(400);
  }

  @Test
  void shouldKeepTheRulesForSeveralProgramsOnBadNetworks() {
    RunTotals totals = run(ProgramSimulation.ofPrograms(), "programs", 20);
    assertThat(totals.median()).isGreaterThanOrEqualTo(100);
  }

  /**
   * The first segment of a held message was longer than the bound, and was refused. A forged
   * advertisement answered the check of an address that other stacks of the host used already, and
   * the host was silent from then on.
   */
  @ParameterizedTest
  @ValueSource(longs = {918273897, 28174})
  void shouldKeepTheRulesWithSeedsThatHaveFoundFaults(long seed) {
    run(ProgramSimulation.ofRdmap(), "rdma", seed, new RunTotals());
  }
}
