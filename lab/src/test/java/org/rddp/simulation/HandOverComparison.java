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
    /** Carries out the run of these hosts. */
    String of(HostPair hosts);
  }

  private final BufferCache buffers = new BufferCache();
  private final Run run;

  private HandOverComparison(Run run) {
    this.run = run;
  }

  /** Compares the runs of the seeds from 1 on. */
  public static void compare(int runs, Run run) {
    HandOverComparison comparison = new HandOverComparison(run);
    for (long seed = 1; seed <= runs; seed++) {
      boolean same = comparison.lines(seed, true).equals(comparison.lines(seed, false));
      assertThat(same).as("seed %d is the same with and without", seed).isTrue();
    }
  }

  /** The trace of a run whose hosts go on in new engines, with their cards, or not. */
  private List<String> lines(long seed, boolean handsOver) {
    List<String> lines = new ArrayList<>();
    Consumer<String> log =
        line -> {
          if (!line.endsWith(HANDED_OVER)) {
            lines.add(line);
          }
        };
    HostPair hosts = new HostPair(seed, buffers, log);
    if (handsOver) {
      hosts.handOver(false);
    }
    assertThat(run.of(hosts)).as("seed %d", seed).isNull();
    return lines;
  }
}
