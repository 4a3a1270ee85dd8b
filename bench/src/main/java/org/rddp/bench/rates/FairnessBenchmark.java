package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Series;
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
    return Duration.ofSeconds(150);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Writes of 64 octets to and fro on one connection, while on another long writes go one way,"
            + " four outstanding; both engines on one core, and both ends' programs on the other:"
            + " what the program's thread does for the stream is a part of what is measured. The"
            + " stream alone is the same without the round trips.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int millis = quick() ? 300 : 1000;
    int rounds = quick() ? 5 : 11;
    ReportTable table =
        new ReportTable("fairness", "Round trips beside a stream", "In microseconds.")
            .column("beside", "beside")
            .column("p50", "p50")
            .column("p99", "p99")
            .column("p999", "p99.9")
            .column("times", "p50, times undisturbed")
            .column("gbps", "the stream, Gb/s")
            .column("share", "of the stream alone");
    try (Comparison contest =
        new Comparison(List.of(Contender.of(RDDP, FairnessRig.class)), progress)) {
      contest.warmUp(task(1 << 20, true, millis));
      progress.budget().expect(2 * SIZES.length + 1.0);
      ComparisonResult trips = contest.run("alone", task(0, true, millis), rounds);
      report.conditions(table, "alone", trips.conditions());
      table.add("nothing", trips.of(RDDP).cells(1e-3, "p50", "p99", "p999"), "", "", "");
      for (int octets : SIZES) {
        String title = (octets >> 10) + " KiB writes";
        ComparisonResult stream =
            contest.run(title + " alone", task(octets, false, millis), rounds);
        report.conditions(table, title + " alone", stream.conditions());
        ComparisonResult beside = contest.run(title, task(octets, true, millis), rounds);
        report.conditions(table, "beside " + title, beside.conditions());
        Optional<Series> times = ratio(beside, trips, "p50");
        Optional<Series> share = ratio(beside, stream, "bulk_gbps");
        ContenderResult found = beside.of(RDDP);
        table.add(
            title,
            found.cells(1e-3, "p50", "p99", "p999"),
            times,
            found.cell("bulk_gbps", 1),
            share);
        report.add(
            Goal.atMost(
                    2.5,
                    "fairness_" + octets,
                    "64-octet round trip beside " + title + ": p50, times the undisturbed one",
                    times)
                .measuredIn(beside, RDDP)
                .measuredIn(trips, RDDP)
                .measuredUnder(trips.conditions(), beside.conditions()));
        report.add(
            Goal.atLeast(
                    0.6,
                    "fairness_stream_" + octets,
                    title + " beside these round trips: goodput over that of the stream alone",
                    share)
                .measuredIn(beside, RDDP)
                .measuredIn(stream, RDDP)
                .measuredUnder(stream.conditions(), beside.conditions()));
      }
    }
    report.add(table);
  }

  private static Optional<Series> ratio(
      ComparisonResult over, ComparisonResult under, String figure) {
    return over.figure(RDDP, figure).flatMap(one -> under.figure(RDDP, figure).map(one::over));
  }

  private static JsonObject task(int bulk, boolean trips, int millis) {
    return Json.of("bulk", bulk, "trips", trips, "millis", millis);
  }
}
