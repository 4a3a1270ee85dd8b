package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.RttCommand.RDDP;
import static org.rddp.bench.rtt.RttCommand.TCP;
import static org.rddp.bench.rtt.RttCommand.TWO_DAEMONS;
import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Series;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;

/** Round trips of each verb by the length of the message. */
final class RoundTripsByLength {
  private static final int[] SIZES = {8, 64, 256, 1024, 4096, 16_384, 65_536};
  private static final int[] QUICK_SIZES = {8, 1024, 65_536};
  private static final int[] QUICK_VERBS = {1024};
  private static final int PIECE = 8192;
  private static final int LEAST = 100;
  private static final int MOST = 500;

  /** Contenders with verbs; messages of the others are compared with writes. */
  private static final List<String> VERBS = List.of(RDDP, TWO_DAEMONS);

  private static final List<String> BESIDE_OTHER_VERBS = List.of(RDDP, TWO_DAEMONS, TCP);

  private final BenchmarkReport report;
  private final boolean quick;
  private final ReportTable table;
  private final Plot plot;

  RoundTripsByLength(BenchmarkReport report, boolean quick) {
    this.report = report;
    this.quick = quick;
    table =
        new ReportTable(
                "sizes",
                "By length",
                "Medians of the rounds, microseconds. The last column is the contender's p50 over"
                    + " kernel TCP's: less than 1 where it is quicker."
                    + TwoDaemons.ON_TWO_CORES)
            .column("verb", "")
            .column("octets", "octets")
            .column("contender", "contender")
            .column("p50", "p50")
            .column("p99", "p99")
            .column("over_tcp", "p50, this / kernel TCP");
    plot = new Plot("sizes", "p50 by length", "octets", "microseconds").logarithmic();
  }

  int steps() {
    int count = 0;
    for (Verb verb : Verb.values()) {
      count += sizes(verb).length;
    }
    return count;
  }

  private int[] sizes(Verb verb) {
    return !quick ? SIZES : verb == Verb.WRITE ? QUICK_SIZES : QUICK_VERBS;
  }

  void measure(Comparison contest) throws Exception {
    report.add(table);
    report.add(plot);
    for (Verb verb : Verb.values()) {
      for (int octets : sizes(verb)) {
        measure(contest, verb, octets);
      }
    }
  }

  private void measure(Comparison contest, Verb verb, int octets) throws Exception {
    int count = Math.max(LEAST, (quick ? 1_000 : 10_000) / (1 + octets / PIECE));
    RttTask task = RttTask.closed(verb, octets, count / 10, count).within(MOST);
    String name = verb.name().toLowerCase(Locale.ROOT);
    String title = name + ", " + octets + " octets";
    List<String> some =
        verb == Verb.WRITE
            ? RttCommand.entrants().stream().map(Contender::name).toList()
            : BESIDE_OTHER_VERBS;
    ComparisonResult found = contest.run(title, Json.from(task), quick ? 3 : 9, some);
    report.conditions(table, title, found.conditions());
    found.all().forEach((each, outcome) -> add(verb, octets, each, outcome, found));
  }

  private void add(
      Verb verb, int octets, String contender, ContenderResult outcome, ComparisonResult found) {
    String name = verb.name().toLowerCase(Locale.ROOT);
    Optional<Series> p50 = outcome.figure("p50");
    if (p50.isPresent() || verb == Verb.WRITE) {
      table.add(
          name,
          octets,
          contender,
          outcome.cell("p50", MICROSECONDS),
          outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
          found.ratio(contender, TCP, "p50"));
    }
    boolean verbs = VERBS.contains(contender);
    // A peer without verbs has one line.
    if (verbs || verb == Verb.WRITE) {
      String line = verbs ? contender + ", " + name : contender;
      plot.point(line, octets, p50.map(each -> each.times(MICROSECONDS)));
    }
  }
}
