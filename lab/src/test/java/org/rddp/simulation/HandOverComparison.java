package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Compares runs in which hosts go on in new engines with those in which they do not, frame by
 * frame: what makes a difference is in the snapshot, then.
 */
public final class HandOverComparison {
  private static final String HANDED_OVER = "goes on in a new engine";

  /** Makes a run, carries it out, and adds it to the totals; returns its violation or null. */
  public interface Run {
    /**
     * Carries out the run of a seed.
     *
     * @param handsOver whether hosts go on in new engines, with their cards
     */
    String of(long seed, Consumer<String> log, boolean handsOver);
  }

  private HandOverComparison() {}

  /** Compares the runs of the seeds from 1 on. */
  public static void compare(int runs, Run run) {
    for (long seed = 1; seed <= runs; seed++) {
      boolean same = lines(seed, run, true).equals(lines(seed, run, false));
      assertThat(same).as("seed %d is the same with and without", seed).isTrue();
    }
  }

  private static List<String> lines(long seed, Run run, boolean handsOver) {
    List<String> lines = new ArrayList<>();
    Consumer<String> log =
        line -> {
          if (!line.endsWith(HANDED_OVER)) {
            lines.add(line);
          }
        };
    assertThat(run.of(seed, log, handsOver)).as("seed %d", seed).isNull();
    return lines;
  }
}
