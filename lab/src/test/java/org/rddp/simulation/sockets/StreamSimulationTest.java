package org.rddp.simulation.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.RunTotals;

/** The first of the runs of which the suite makes hundreds with {@code rddp simulate}. */
class StreamSimulationTest {
  private static final int RUNS = 20;

  @Test
  void shouldKeepTheRulesOfOctetStreamsOnBadNetworks() {
    StreamSimulation simulation = new StreamSimulation();
    RunTotals totals = new RunTotals();
    for (long seed = 1; seed <= RUNS; seed++) {
      assertThat(simulation.run(seed, totals, null))
          .as("rddp simulate sockets --seed %d --trace", seed)
          .isNull();
    }
    assertThat(totals.count("octets read")).isGreaterThan(100_000);
    assertThat(totals.count("streams with everything at both ends")).isGreaterThan(5);
    assertThat(totals.count("went on in a new engine")).isGreaterThan(50);
  }
}
