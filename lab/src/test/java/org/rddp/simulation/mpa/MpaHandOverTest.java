package org.rddp.simulation.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.RunTotals;
import org.rddp.wire.Memory;

/** A run in which hosts go on in new engines is the same, frame by frame, as without. */
class MpaHandOverTest {
  private static final int RUNS = 16;
  private static final int LONGEST_ULPDU = 1 << 17;

  private final BufferCache buffers = new BufferCache();
  private final RunTotals totals = new RunTotals();
  private final long buffer = Memory.allocate(LONGEST_ULPDU);

  private List<String> run(long seed, boolean handsOver) {
    List<String> lines = new ArrayList<>();
    MpaRun run =
        new MpaRun(
            seed,
            buffers,
            line -> {
              if (!line.endsWith("goes on in a new engine")) {
                lines.add(line);
              }
            },
            buffer,
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
    assertThat(totals.count("passed before their turn")).isGreaterThan(1000);
  }
}
