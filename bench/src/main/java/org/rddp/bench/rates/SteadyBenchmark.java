package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Conditions;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench steady}. */
@Command(
    name = "steady",
    description = "A minute of mixed traffic: what is allocated, and collections of garbage.")
public final class SteadyBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp";
  private static final String MARKERS = "rddp, Markers, packing";
  private static final int MINUTE = 60_000;

  /** Octets a message that count as none: reading the counters allocates some, too. */
  private static final double NONE = 0.01;

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    int seconds = (quick() ? 8_000 : MINUTE) / 1000;
    report.method(
        "For "
            + seconds
            + " s one program writes to, sends to and reads from another, by turns, 64 octets to 64"
            + " KiB, 32 requests outstanding, each with a completion; every receive is posted again."
            + " Daemon and programs are in one process, whose collections count; octets are what the"
            + " JVM says that the engine's thread and the programs' thread have allocated, over"
            + " messages.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    List<Contender> contenders =
        List.of(
            Contender.of(RDDP, SteadyRig.class),
            Contender.of(MARKERS, SteadyRig.class).with("markers", "true").with("packing", "true"));
    List<Contender> jdk =
        contenders.stream().map(each -> each.withFlags("-Drddp.crc32c=jdk")).toList();
    try (Comparison contest = new Comparison(quick() ? jdk : contenders, progress)) {
      JsonObject task = Json.of("millis", 1000 * seconds);
      contest.warmUp(task);
      progress.budget().expect(1);
      String title = seconds + " s";
      ComparisonResult found = contest.run(title, task, 1);
      ReportTable table = report.add(table(found));
      report.conditions(table, title, found.conditions());
      addGoals(report, title, found);
    }
  }

  private static ReportTable table(ComparisonResult found) {
    ReportTable table =
        new ReportTable("steady", "A long run", "Octets are those of each message.")
            .column("entrant", "")
            .column("messages", "messages")
            .column("rate", "a second")
            .column("gbps", "Gb/s")
            .column("engine_octets", "allocated by the engine")
            .column("program_octets", "by the programs")
            .column("gc", "collections");
    found
        .all()
        .forEach((name, each) ->
            table.add(
                name,
                each.cells(
                    1, "messages", "rate", "gbps", "engine_octets", "program_octets", "gc")));
    return table;
  }

  private static void addGoals(BenchmarkReport report, String title, ComparisonResult found) {
    found
        .all()
        .keySet()
        .forEach(name -> addGoals(report, title + ", " + name, found.of(name), found.conditions()));
  }

  private static void addGoals(
      BenchmarkReport report, String what, ContenderResult found, Conditions conditions) {
    String key = what.contains(MARKERS) ? "_markers" : "";
    report.add(
        Goal.atMost(
                NONE,
                "steady_engine" + key,
                "octets that the engine allocates a message, mixed traffic, " + what,
                found.figure("engine_octets"))
            .measuredUnder(conditions));
    report.add(
        Goal.atMost(
                NONE,
                "steady_programs" + key,
                "octets that the programs allocate a message, " + what,
                found.figure("program_octets"))
            .measuredUnder(conditions));
    report.add(
        Goal.atMost(
                0,
                "steady_collections" + key,
                "collections of garbage, " + what,
                found.figure("gc"))
            .measuredUnder(conditions));
  }
}
