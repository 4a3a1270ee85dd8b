package org.rddp.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.rig.ProgramPair.Verb;

/** The loops measure their task: they fail if a message does not arrive. */
@Timeout(180)
class VerbsRigsTest {
  private static final String LINE =
      """
       #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
       64      1000          3.72           296213.52    8.74     	       783.58      	-nan   		17710.90 		296213.52
      """;

  @Test
  void shouldReadTheFiguresOfPerftest() throws IOException {
    double[] found = ToolRig.perftestFigures(LINE, 64);
    assertThat(found[4]).isEqualTo(8.74);
    assertThat(found[6]).isNaN();
    assertThat(found[7]).isEqualTo(17710.90);
  }

  @Test
  void shouldShowWhatPerftestHasPrintedInsteadOfFigures() {
    assertThatThrownBy(() -> ToolRig.perftestFigures("Couldn't connect", 64))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Couldn't connect");
  }

  @Test
  void shouldMeasureLibibverbsBesideTheJavaClient() throws Exception {
    List<Contender> contenders =
        List.of(
            Contender.of("C", CLoopsRig.class).with("idle", "interrupt").with("verbs", "yes"),
            Contender.of("Java", JavaLoopsRig.class).with("idle", "interrupt"));
    List<LoopTask> tasks =
        List.of(
            LoopTask.trips(Verb.WRITE, 64, 10, 50),
            LoopTask.trips(Verb.SEND, 64, 10, 50),
            LoopTask.cost(8, 5),
            LoopTask.stream(4096, 4, 10));
    Progress silent =
        new Progress(
            new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));
    List<Contender> quick =
        contenders.stream().map(each -> each.withFlags("-Drddp.without-vectors=true")).toList();
    try (Comparison contest = new Comparison(quick, silent)) {
      for (LoopTask task : tasks) {
        for (ContenderResult each : contest.run("test", Json.from(task), 1).all().values()) {
          assertThat(each.samples().isEmpty() && each.reason().startsWith("failed"))
              .as(each.reason())
              .isFalse();
          assumeTrue(!each.samples().isEmpty(), each.reason());
          assertThat(each.figure(figureOf(task)).orElseThrow().median()).isPositive();
        }
      }
    }
  }

  private static String figureOf(LoopTask task) {
    return switch (task.kind()) {
      case TRIPS -> "p50";
      case COST -> "sum_ns";
      case STREAM -> "gbps";
    };
  }
}
