package org.rddp.simulation.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.RunTotals;

/**
 * A run in which hosts go on in new engines is the same, frame by frame, as without: so a snapshot
 * has all that makes a difference.
 */
class TcpHandOverTest {
  private static final int RUNS = 20;

  private final BufferCache buffers = new BufferCache();
  private final RunTotals totals = new RunTotals();

  private List<String> run(long seed, boolean handsOver) {
    List<String> lines = new ArrayList<>();
    TcpRun run =
        new TcpRun(
            seed,
            buffers,
            line -> {
              if (!line.endsWith("goes on in a new engine")) {
                lines.add(line);
              }
            },
            handsOver,
            false);
    run.run();
    assertThat(run.violation()).as("seed %d", seed).isNull();
    run.addTo(totals);
    return lines;
  }

  @Test
  void shouldGoOnAsIfNothingHadHappened() {
    for (long seed = 1; seed <= RUNS; seed++) {
      List<String> with = run(seed, true);
      List<String> without = run(seed, false);
      assertThat(with.equals(without)).as("seed %d is the same with and without", seed).isTrue();
    }
    assertThat(totals.count("went on in a new engine")).isGreaterThan(1000);
    assertThat(totals.count("handed over to another stack")).isGreaterThan(1000);
  }
}
