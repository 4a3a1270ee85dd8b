package org.rddp.simulation.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.HandOverComparison;
import org.rddp.simulation.RunTotals;

class StreamHandOverTest {
  private static final int RUNS = 8;

  @Test
  void shouldGoOnAsIfNothingHadHappened() {
    RunTotals totals = new RunTotals();
    HandOverComparison.compare(
        RUNS,
        hosts -> {
          StreamRun run = new StreamRun(hosts, true);
          run.run();
          run.addTo(totals);
          return run.violation();
        });
    assertThat(totals.count("went on in a new engine")).isGreaterThan(500);
    assertThat(totals.count("octets read")).isGreaterThan(100_000);
  }
}
