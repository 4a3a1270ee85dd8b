package org.rddp.simulation.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.HandOverComparison;
import org.rddp.simulation.RunTotals;

class TcpHandOverTest {
  private static final int RUNS = 10;

  @Test
  void shouldGoOnAsIfNothingHadHappened() {
    RunTotals totals = new RunTotals();
    HandOverComparison.compare(
        RUNS,
        hosts -> {
          TcpRun run = new TcpRun(hosts);
          run.run();
          run.addTo(totals);
          return run.violation();
        });
    assertThat(totals.count("went on in a new engine")).isGreaterThan(1000);
    assertThat(totals.count("handed over to another stack")).isGreaterThan(1000);
    assertThat(totals.count("packets sealed")).isGreaterThan(1000);
  }
}
