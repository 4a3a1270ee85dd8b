package org.rddp.bench.rtt;

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

/** {@code bin/rddp bench replace}. */
@Command(
    name = "replace",
    description = "What programs and peers notice while a daemon is replaced. Needs root.")
public final class ReplaceBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp daemon --replace";
  private static final double MILLISECONDS = 1e-6;
  private static final double MICROSECONDS = 1e-3;

  /** About what one takes, with the seconds before and after, in ms. */
  private static final int EACH = 8000;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(4);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Two daemons on `linux:` devices, the ends of a veth link between two network namespaces, MTU 1500; a"
            + " program of each, which waits in blocking calls, and a 64-octet Send to and fro each ms. The near"
            + " daemon is replaced again and again (`rddp daemon --replace`). Silence is the longest time without a"
            + " frame from it, as its peer's kernel stamps them, from the start of the new process until that is"
            + " ready. Round trips are those of the median replacement: the longest one in the last half second of"
            + " that time, and p99 in the second before the start, while the new process prepares, and in the second"
            + " after the longest.");
    ReportTable table =
        report.add(
            new ReportTable("replace", "A daemon is replaced", "Medians of rounds.")
                .column("what", "what")
                .column("silence_p50", "silence, p50, ms")
                .column("silence_p99", "silence, p99, ms")
                .column("longest", "longest round trip, ms")
                .column("before", "p99 before, us")
                .column("preparing", "p99 while it prepares, us")
                .column("after", "p99 after, us"));
    int replacements = quick() ? 3 : 10;
    try (Comparison contest =
        new Comparison(List.of(Contender.of(RDDP, ReplaceRig.class)), progress)) {
      progress.budget().expect(1);
      ComparisonResult found =
          contest.runCold(
              "replacements",
              Json.of("replacements", replacements, "millis", replacements * EACH),
              quick() ? 1 : 3);
      report.conditions(table, found.title(), found.conditions());
      ContenderResult own = found.of(RDDP);
      table.add(
          RDDP,
          own.cell("silence_p50", MILLISECONDS),
          own.cell("silence_p99", MILLISECONDS),
          own.cell("longest", MILLISECONDS),
          own.cell("before", MICROSECONDS),
          own.cell("preparing", MICROSECONDS),
          own.cell("after", MICROSECONDS));
      report.add(
          Goal.atMost(
                  30,
                  "replace_silence_p50",
                  "silence of a daemon that is replaced, p50 in ms",
                  milliseconds(found, "silence_p50"))
              .measuredIn(found, RDDP));
      report.add(
          Goal.atMost(
                  250,
                  "replace_silence_p99",
                  "silence of a daemon that is replaced, p99 in ms",
                  milliseconds(found, "silence_p99"))
              .measuredIn(found, RDDP));
      report.add(
          Goal.atMost(
                  3,
                  "replace_longest",
                  "longest round trip while a daemon is replaced, over the silence's p50",
                  over(found, "longest", "silence_p50"))
              .measuredIn(found, RDDP));
      report.add(
          Goal.atMost(
                  3,
                  "replace_after",
                  "p99 of round trips in the second after a replacement, over that before",
                  over(found, "after", "before"))
              .measuredIn(found, RDDP));
    }
  }

  private static Optional<Series> milliseconds(ComparisonResult found, String figure) {
    return found.figure(RDDP, figure).map(series -> series.times(MILLISECONDS));
  }

  private static Optional<Series> over(ComparisonResult found, String over, String under) {
    return found
        .figure(RDDP, over)
        .flatMap(above -> found.figure(RDDP, under).map(below -> above.over(below)));
  }
}
