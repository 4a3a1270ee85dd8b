package org.rddp.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.simulation.HandOverComparison;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

class RdmaHandOverTest {
  private static final int LONG_RUNS = 4;
  private static final int SHORT_RUNS = 8;

  private final Slab slab = new Slab();
  private final SourceOctets octets = new SourceOctets();
  private final RunTotals totals = new RunTotals();

  private void compare(Scope scope, int runs) {
    HandOverComparison.compare(
        runs,
        hosts -> {
          ProgramRun run = new ProgramRun(hosts, scope, slab, octets);
          run.run();
          run.addTo(totals);
          return run.violation();
        });
    assertThat(totals.count("went on in a new engine")).isGreaterThan(500);
    assertThat(totals.count("with tenants")).isPositive();
    assertThat(totals.count("placed out of order")).isGreaterThan(100);
    assertThat(totals.count("held for want of a receive or a notice")).isGreaterThan(100);
  }

  @Test
  void shouldGoOnAsIfNothingHadHappened() {
    compare(Scope.RDMAP, LONG_RUNS);
  }

  @Test
  void shouldGoOnWithPlainDdpAsIfNothingHadHappened() {
    compare(Scope.PROGRAMS, SHORT_RUNS);
  }
}
