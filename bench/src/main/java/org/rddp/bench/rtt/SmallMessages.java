package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.RttCommand.RDDP;

import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;

/** Round trips of 64 octets by all contenders, for the goals. */
final class SmallMessages {
  static final int OCTETS = 64;

  /** Weight of this step beside one length of one verb. */
  static final double WEIGHT = 6;

  static final double MICROSECONDS = 1e-3;

  private static final int MOST = 1_500;
  private static final int QUICK_MOST = 250;

  private final BenchmarkReport report;
  private final int rounds;
  private final int count;
  private final int most;

  SmallMessages(BenchmarkReport report, boolean quick) {
    this.report = report;
    this.rounds = quick ? 7 : 15;
    this.count = quick ? 5_000 : 50_000;
    this.most = quick ? QUICK_MOST : MOST;
  }

  ComparisonResult measure(Comparison contest) throws Exception {
    RttTask task = RttTask.closed(Verb.WRITE, OCTETS, count / 10, count).within(most);
    List<String> all = RttCommand.entrants().stream().map(Contender::name).toList();
    ComparisonResult found = contest.run("64 octets", Json.from(task), rounds, all, WEIGHT);
    ReportTable table =
        report.add(
            new ReportTable(
                    "small",
                    "64 octets to and fro",
                    "Microseconds, medians of "
                        + found.rounds()
                        + " rounds of up to "
                        + count
                        + " round trips, with quartiles; each round begins with "
                        + count / 10
                        + " that are not counted. rddp writes. The last columns are rddp's figure over"
                        + " the contender's of the same round: less than 1 where rddp is quicker."
                        + TwoDaemons.ON_TWO_CORES)
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("rddp_over_p50", "p50, rddp / this")
                .column("rddp_over_p99", "p99, rddp / this"));
    report.conditions(table, found.title(), found.conditions());
    Plot plot =
        report.add(Plot.ofPercentiles("small", "64 octets to and fro, all rounds together"));
    found.all().forEach((name, outcome) -> add(table, plot, found, name, outcome));
    return found;
  }

  private void add(
      ReportTable table, Plot plot, ComparisonResult found, String name, ContenderResult outcome) {
    table.add(
        name,
        outcome.cell("p50", MICROSECONDS),
        outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
        outcome.figure("p999").map(each -> each.times(MICROSECONDS)),
        found.ratio(RDDP, name, "p50"),
        found.ratio(RDDP, name, "p99"));
    outcome
        .nanoseconds()
        .ifPresent(times -> {
          plot.percentiles(name, times);
          report.raw(name, times);
        });
  }
}
