package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;

/** Round trips of 64 octets at fixed rates, open-loop. */
final class RoundTripsAtFixedRates {
  private static final int[] RATES = {10_000, 50_000, 100_000};
  private static final int[] QUICK_RATES = {20_000};
  private static final int MOST = 1_500;

  private static final List<String> CONTENDERS =
      List.of(RttCommand.RDDP, RttCommand.TCP, RttCommand.AERON_UDP);

  private final BenchmarkReport report;
  private final boolean quick;

  RoundTripsAtFixedRates(BenchmarkReport report, boolean quick) {
    this.report = report;
    this.quick = quick;
  }

  int steps() {
    return (quick ? QUICK_RATES : RATES).length;
  }

  void measure(Comparison contest) throws Exception {
    ReportTable table =
        report.add(
            new ReportTable(
                    "open_loop",
                    "At a fixed rate",
                    "64 octets, open-loop: round trips have times at which they are to begin, and"
                        + " count from then, so that a stall is seen by all that it delays."
                        + " Microseconds. The last column is less than 1 where the contender is"
                        + " quicker than kernel TCP.")
                .column("rate", "a second")
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("max", "max")
                .column("over_tcp", "p50, this / kernel TCP"));
    for (int rate : quick ? QUICK_RATES : RATES) {
      measure(contest, table, rate);
    }
  }

  private void measure(Comparison contest, ReportTable table, int rate) throws Exception {
    int count = rate / (quick ? 5 : 2);
    RttTask task =
        RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, count / 10, count)
            .within(MOST)
            .atRate(rate);
    String title = rate + " a second";
    ComparisonResult found = contest.run(title, Json.from(task), quick ? 3 : 7, CONTENDERS);
    report.conditions(table, title, found.conditions());
    Plot plot =
        report.add(
            Plot.ofPercentiles("rate-" + rate, "64 octets, " + rate + " a second, open-loop"));
    found
        .all()
        .forEach((name, outcome) -> {
          table.add(
              rate,
              name,
              outcome.cell("p50", MICROSECONDS),
              outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
              outcome.figure("p999").map(each -> each.times(MICROSECONDS)),
              outcome.figure("max").map(each -> each.times(MICROSECONDS)),
              found.ratio(name, RttCommand.TCP, "p50"));
          outcome
              .nanoseconds()
              .ifPresent(times -> {
                plot.percentiles(name, times);
                report.raw("rate-" + rate + "-" + name, times);
              });
        });
  }
}
