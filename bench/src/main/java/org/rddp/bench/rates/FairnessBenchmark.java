package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench fairness}. */
@Command(
    name = "fairness",
    description = "Round trips of short writes beside a stream of long ones on the same engine.")
public final class FairnessBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp";
  private static final int[] SIZES = {64 << 10, 1 << 20};

  @Override
  protected Duration defaultBudget() {
    return Duration.ofSeconds(90);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Writes of 64 octets to and fro on one connection, while on another long writes go one way,"
            + " four outstanding; both engines on one core, and both ends' programs on the other:"
            + " what the program's thread does for the stream is a part of what is measured.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int millis = quick() ? 300 : 1000;
    int rounds = quick() ? 5 : 11;
    ReportTable table =
        new ReportTable("fairness", "Round trips beside a stream", "In microseconds.")
            .column("beside", "beside")
            .column("p50", "p50")
            .column("p99", "p99")
            .column("p999", "p99.9")
            .column("gbps", "the stream, Gb/s");
    try (Comparison contest =
        new Comparison(List.of(Contender.of(RDDP, FairnessRig.class)), progress)) {
      contest.warmUp(task(1 << 20, millis));
      progress.budget().expect(SIZES.length + 1.0);
      ComparisonResult alone = contest.run("alone", task(0, millis), rounds);
      report.conditions(table, "alone", alone.conditions());
      add(table, "nothing", alone.of(RDDP));
      for (int octets : SIZES) {
        String title = (octets >> 10) + " KiB writes";
        ComparisonResult beside = contest.run(title, task(octets, millis), rounds);
        report.conditions(table, "beside " + title, beside.conditions());
        add(table, title, beside.of(RDDP));
        report.add(
            Goal.atMost(
                    3,
                    "fairness_" + octets,
                    "64-octet round trip beside " + title + ": p50, times the undisturbed one",
                    beside
                        .figure(RDDP, "p50")
                        .flatMap(p50 -> alone.figure(RDDP, "p50").map(p50::over)))
                .measuredIn(beside, RDDP)
                .measuredIn(alone, RDDP)
                .measuredUnder(alone.conditions(), beside.conditions()));
      }
    }
    report.add(table);
  }

  private static void add(ReportTable table, String beside, ContenderResult found) {
    table.add(beside, found.cells(1e-3, "p50", "p99", "p999"), found.cell("bulk_gbps", 1));
  }

  private static JsonObject task(int bulk, int millis) {
    return Json.of("bulk", bulk, "millis", millis);
  }
}
