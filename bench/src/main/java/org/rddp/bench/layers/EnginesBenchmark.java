package org.rddp.bench.layers;

import com.google.gson.JsonObject;
import java.util.ArrayList;
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

/** {@code bin/rddp bench engines}. */
@Command(
    name = "engines",
    description = "Engines that share an interface: what a message costs by their number.")
public final class EnginesBenchmark extends NamedBenchmark {
  private static final int[] COUNTS = {1, 2, 4, 8};
  private static final String ALONE = name(1, 1);
  private static final String TWO_THREADS = name(2, 2);
  private static final double MEBIBYTE = 1 << 20;

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Writes of 64 octets to and fro, 32 at once, between engines of two interfaces in one process:"
            + " each engine of one interface has a peer among those of the other, and a link of its own"
            + " to it, as a card's queues that steer well. Both engines of a link and their programs run"
            + " on one thread, so nothing waits. CPU time of a write is that of both programs and both"
            + " engines.");
    List<Contender> contenders = new ArrayList<>();
    for (int count : COUNTS) {
      contenders.add(contender(count, 1));
    }
    contenders.add(contender(2, 2));
    contenders.add(contender(8, 2));
    report.method(Comparison.WARM_UP_DESCRIPTION);
    JsonObject task = Json.of("millis", quick() ? 200 : 500);
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(task);
      progress.budget().expect(1);
      ComparisonResult found = contest.run("engines", task, quick() ? 5 : 15);
      addGoals(report, found);
      ReportTable table =
          report.add(
              new ReportTable("engines", "By engines", "")
                  .column("engines", "")
                  .column("rate", "writes a second")
                  .column("cpu", "CPU time of a write, ns")
                  .column("heap", "heap of an engine, MiB"));
      report.conditions(table, "engines", found.conditions());
      found
          .all()
          .forEach((name, each) ->
              table.add(
                  name,
                  each.cell("rate", 1),
                  each.cell("cpu_ns", 1),
                  each.cell("heap_of_engine", 1 / MEBIBYTE)));
    }
  }

  private static void addGoals(BenchmarkReport report, ComparisonResult found) {
    for (int count : COUNTS) {
      if (count > 1) {
        String name = name(count, 1);
        report.add(
            Goal.atMost(
                    1.03,
                    "engines_" + count,
                    "CPU time of a write with "
                        + count
                        + " engines on one thread, times that of one",
                    found.ratio(name, ALONE, "cpu_ns"))
                .measuredIn(found, name, ALONE));
      }
    }
    report.add(
        Goal.atLeast(
                1.8,
                "engines_two_threads",
                "writes a second of two engines on two cores, times those of one",
                found.ratio(TWO_THREADS, ALONE, "rate"))
            .measuredIn(found, TWO_THREADS, ALONE));
  }

  private static Contender contender(int engines, int threads) {
    return Contender.of(name(engines, threads), EnginesRig.class)
        .with("engines", engines)
        .with("threads", threads)
        .withFlags("-Drddp.crc32c=jdk");
  }

  private static String name(int engines, int threads) {
    return engines
        + (engines == 1 ? " engine" : " engines")
        + (threads == 1 ? "" : " on " + threads + " threads");
  }
}
