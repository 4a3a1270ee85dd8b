package org.rddp.simulation.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.HandOverComparison;
import org.rddp.simulation.RunTotals;
import org.rddp.wire.Memory;

class MpaHandOverTest {
  private static final int RUNS = 8;
  private static final int LONGEST_ULPDU = 1 << 17;

  @Test
  void shouldGoOnAsIfNothingHadHappened() {
    RunTotals totals = new RunTotals();
    long buffer = Memory.allocate(LONGEST_ULPDU);
    HandOverComparison.compare(
        RUNS,
        hosts -> {
          MpaRun run = new MpaRun(hosts, buffer);
          run.run();
          run.addTo(totals);
          return run.violation();
        });
    assertThat(totals.count("went on in a new engine")).isGreaterThan(1000);
    assertThat(totals.count("passed before their turn")).isGreaterThan(500);
    assertThat(totals.count("packets sealed")).isGreaterThan(1000);
  }
}
