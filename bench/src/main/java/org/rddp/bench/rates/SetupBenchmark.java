package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench setup}. */
@Command(
    name = "setup",
    description =
        "Connections a second, MPA's startup included: stack to stack, program to program.")
public final class SetupBenchmark extends NamedBenchmark {
  private static final String STACKS = "stack to stack";
  private static final String PROGRAMS = "program to program";
  private static final int[] PIPELINED = {1, 16, 64, 256};
  private static final int COUNTED = 64;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofSeconds(90);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "TCP's handshake, MPA's startup with CRC, both ends in Full Operation; each connection is reset"
            + " then. Stack to stack: both stacks in one thread over a link that copies, so many"
            + " being opened at a time. Program to program: through the client's API and the daemon's"
            + " control thread, 32 threads opening and 32 accepting.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int rounds = quick() ? 3 : 9;
    try (Comparison contest =
        new Comparison(
            List.of(
                Contender.of(STACKS, SetupRig.class),
                Contender.of(PROGRAMS, ClientSetupRig.class)
                    .with("connections", 4096)
                    .withFlags("-Drddp.crc32c=jdk")),
            progress)) {
      contest.warmUp(task(COUNTED, 100));
      progress.budget().expect(PIPELINED.length + 1.0);
      ReportTable table =
          report.add(
              new ReportTable("setup", "Connections a second", "")
                  .column("way", "")
                  .column("pipelined", "opened at a time")
                  .column("rate", "a second"));
      int millis = quick() ? 300 : 1000;
      for (int pipelined : PIPELINED) {
        String title = pipelined + " at a time";
        ComparisonResult found =
            contest.run(title, task(pipelined, millis), rounds, List.of(STACKS));
        report.conditions(table, title, found.conditions());
        table.add(STACKS, pipelined, found.figure(STACKS, "rate"));
        if (pipelined == COUNTED) {
          report.add(
              Goal.atLeast(
                      20_000,
                      "setup",
                      "connections a second, stack to stack, 64 being opened at a time",
                      found.figure(STACKS, "rate"))
                  .measuredIn(found, STACKS));
        }
      }
      ComparisonResult found =
          contest.run(PROGRAMS, task(COUNTED, millis), rounds, List.of(PROGRAMS));
      report.conditions(table, PROGRAMS, found.conditions());
      table.add(PROGRAMS, 32, found.of(PROGRAMS).cell("rate", 1));
    }
  }

  private static JsonObject task(int pipelined, int millis) {
    return Json.of("pipelined", pipelined, "connections", 300, "millis", millis);
  }
}
