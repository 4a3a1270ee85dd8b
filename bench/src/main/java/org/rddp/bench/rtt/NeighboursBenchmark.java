package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.RigMain;
import org.rddp.bench.rates.GoodputBesideNeighbours;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench neighbours}. */
@Command(
    name = "neighbours",
    description =
        "Round trips and goodput beside busy threads of other processes, and kernel TCP's.")
public final class NeighboursBenchmark extends NamedBenchmark {
  static final String RDDP = "rddp, blocking send and receive";
  static final String TCP = "kernel TCP, blocking";

  private static final int[] COUNTS = {0, 1, 2, 4};

  /** Numbers of neighbours with goals. */
  private static final List<Integer> GOALS = List.of(1, 2);

  /** The share of the budget that round trips have; goodput has the rest. */
  private static final double ROUND_TRIPS = 0.6;

  /** A rate that both sides keep up with beside a few neighbours. */
  private static final int PER_SECOND = 250;

  static List<Contender> contenders() {
    return List.of(
        Contender.of(RDDP, WaitingRig.class),
        Contender.of(TCP, SocketRig.class).with("blocking", "yes"));
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Others use the cores as well: so many processes of one endless loop each, on any core, with the"
            + " priority and in the scheduling group of what is measured. They start and end with each"
            + " round; the column of their CPUs is CPU time that all of them had over the time of the"
            + " round. rddp and kernel TCP as under 'Blocking calls', in turns. Closed-loop: each round trip"
            + " begins when the one before has ended. At a rate: "
            + PER_SECOND
            + " a second, each timed from when it should have begun, so that a wait delays those after it"
            + " in the figures, too. The program sleeps until then where the one before has ended; time by"
            + " which it wakes late does not count. The goals are for those.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    List<Contender> contenders =
        contenders().stream().map(each -> each.withFlags("-Drddp.crc32c=jdk")).toList();
    RttTask closed =
        RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, 0, 100_000).within(quick() ? 300 : 1000);
    int millis = quick() ? 1000 : 4000;
    RttTask paced =
        RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, 0, PER_SECOND * millis / 1000)
            .within(millis)
            .atRate(PER_SECOND);
    ReportTable table = table(report);
    Progress part = progress.part(ROUND_TRIPS);
    try (Comparison contest = new Comparison(contenders, part)) {
      contest.warmUp(Json.from(closed.within(100)));
      part.budget().expect(2 * COUNTS.length);
      for (int count : COUNTS) {
        measure(report, table, contest, "closed-loop", count, Json.from(closed));
        ComparisonResult found =
            measure(report, table, contest, PER_SECOND + " a second", count, Json.from(paced));
        if (GOALS.contains(count)) {
          addGoals(report, found, count);
        }
      }
    }
    new GoodputBesideNeighbours(report, quick()).measure(progress);
  }

  private static ReportTable table(BenchmarkReport report) {
    return report.add(
        new ReportTable(
                "round_trips",
                "Round trips of 64 octets",
                "Microseconds; the last two columns are rddp's figure over kernel TCP's of the same"
                    + " round.")
            .column("neighbours", "busy neighbours")
            .column("load", "round trips")
            .column("contender", "contender")
            .column("neighbours_cpus", "their CPUs")
            .column("p50", "p50")
            .column("p999", "p99.9")
            .column("p50_ratio", "p50, rddp / this")
            .column("p999_ratio", "p99.9, rddp / this"));
  }

  private ComparisonResult measure(
      BenchmarkReport report,
      ReportTable table,
      Comparison contest,
      String load,
      int count,
      JsonObject task)
      throws IOException, InterruptedException {
    ComparisonResult found =
        contest.run(load + ", beside " + count, RigMain.beside(count, task), quick() ? 3 : 7);
    report.conditions(table, found.title(), found.conditions());
    found
        .all()
        .forEach((name, each) ->
            table.add(
                count,
                load,
                name,
                each.cells(1, "neighbours_cpus"),
                each.cells(MICROSECONDS, "p50", "p999"),
                found.ratio(RDDP, name, "p50"),
                found.ratio(RDDP, name, "p999")));
    return found;
  }

  private static void addGoals(BenchmarkReport report, ComparisonResult found, int count) {
    report.add(
        Goal.atMost(
                1,
                "neighbours_" + count + "_p50",
                "64-octet round trip beside " + count + " busy, p50, over blocking kernel TCP",
                found.ratio(RDDP, TCP, "p50"))
            .measuredIn(found, RDDP, TCP));
    report.add(
        Goal.atMost(
                1,
                "neighbours_" + count + "_p999",
                "the same, p99.9",
                found.ratio(RDDP, TCP, "p999"))
            .measuredIn(found, RDDP, TCP));
  }
}
