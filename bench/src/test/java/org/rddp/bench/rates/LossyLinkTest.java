package org.rddp.bench.rates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.link.LinkProcess;

/** Contenders share a link that loses frames; skipped without the rights to make one. */
@Timeout(180)
class LossyLinkTest {
  private static final String KERNEL = "kernel";
  private static final String MARKERS = "Markers";

  /** Long enough for a sender that waits for its retransmission timer more than once. */
  private static final LossyTask TASK = new LossyTask((64 << 10) + 512, 1000, 0.01, 1, 100);

  private static LinkProcess link() throws Exception {
    try {
      return new LinkProcess();
    } catch (CannotRunException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
  }

  private static double figure(ComparisonResult outcomes, String name, String figure) {
    assertThat(outcomes.of(name).reason()).as(name).isEqualTo("-");
    return outcomes.figure(name, figure).orElseThrow().median();
  }

  @Test
  void shouldGetThroughALinkThatLosesFrames() throws Exception {
    try (LinkProcess link = link()) {
      assertThat(link.congestionControl()).isEqualTo("cubic");
      List<Contender> entrants =
          List.of(
              link.handle().addTo(Contender.of(KERNEL, LossyKernelRig.class)),
              link.handle()
                  .addTo(Contender.of(MARKERS, LossyRddpRig.class).with("markers", "true"))
                  .withFlags("-Drddp.without-vectors=true", "-XX:TieredStopAtLevel=1"));
      Progress progress =
          new Progress(
              new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));
      try (Comparison contest = new Comparison(entrants, progress)) {
        ComparisonResult found = contest.run("loss", Json.from(TASK), 2);
        for (String name : List.of(KERNEL, MARKERS)) {
          assertThat(figure(found, name, "gbps")).isPositive();
          assertThat(figure(found, name, "frames")).isPositive();
        }
        assertThat(figure(found, MARKERS, "kept")).isZero();
      }
    }
  }
}
