package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

/** {@code bin/rddp bench connections}. */
@Command(
    name = "connections",
    description = "Round trips and memory by the number of connections, 1 to 10,000.")
public final class ConnectionCountBenchmark extends NamedBenchmark {
  private static final int[] COUNTS = {1, 10, 100, 1_000, 10_000};
  private static final int[] QUICK_COUNTS = {1, 10_000};
  private static final int MOST = 10_000;
  private static final double MEBIBYTE = 1 << 20;

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Writes of 64 octets to and fro between two programs that have so many connections, all"
            + " established: over one of them while the others are idle, and over all of them, each"
            + " as likely to be the next. Both engines on one core, both programs on the other. Memory"
            + " is the process's, which holds the daemon and both programs, so both ends of each"
            + " connection; packets are those in use once nothing is under way.");
    List<Contender> contenders = new ArrayList<>();
    for (int count : quick() ? QUICK_COUNTS : COUNTS) {
      contenders.add(
          Contender.of(name(count), ConnectionsRig.class)
              .with("connections", count)
              .withFlags("-Drddp.crc32c=jdk"));
    }
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int millis = quick() ? 250 : 1000;
    int rounds = quick() ? 5 : 9;
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(task(true, millis));
      progress.budget().expect(2);
      ComparisonResult idle = contest.run("others idle", task(false, millis), rounds);
      ComparisonResult spread = contest.run("over all", task(true, millis), rounds);
      addGoals(report, idle, spread);
      ReportTable table = report.add(table(idle, spread));
      report.conditions(table, "others idle", idle.conditions());
      report.conditions(table, "over all", spread.conditions());
    }
  }

  private static void addGoals(
      BenchmarkReport report, ComparisonResult idle, ComparisonResult spread) {
    report.add(
        Goal.atMost(
                1.3,
                "connections",
                "64-octet round trip on one of 10,000 connections: p50, times that with one",
                idle.ratio(name(MOST), name(1), "p50"))
            .remark(
                spread
                    .ratio(name(MOST), name(1), "p50")
                    .map(ratio -> "over all of them: " + ratio)
                    .orElse(""))
            .measuredIn(idle, name(MOST), name(1)));
    report.add(
        Goal.atMost(
                8,
                "connections_packets",
                "packet buffers that 10,000 connections hold, more than those of one",
                idle.figure(name(MOST), "packets_used"))
            .measuredIn(idle));
  }

  private static ReportTable table(ComparisonResult idle, ComparisonResult spread) {
    ReportTable table =
        new ReportTable("connections", "By connections", "Times in microseconds, memory in MiB.")
            .column("connections", "")
            .column("p50", "p50, others idle")
            .column("p99", "p99")
            .column("spread_p50", "p50 over all")
            .column("spread_p99", "p99")
            .column("packets", "packets in use")
            .column("heap", "heap")
            .column("heap_of_each", "heap of each, KiB")
            .column("resident", "resident")
            .column("connect", "to open one");
    idle.all()
        .forEach((name, found) -> {
          ContenderResult over = spread.of(name);
          table.add(
              name,
              found.cells(1e-3, "p50", "p99"),
              over.cells(1e-3, "p50", "p99"),
              found.cell("packets_used", 1),
              found.cell("heap_octets", 1 / MEBIBYTE),
              found.cell("heap_of_each", 1024 / MEBIBYTE),
              found.cell("resident_octets", 1 / MEBIBYTE),
              found.cell("connect_us", 1));
        });
    return table;
  }

  private static String name(int count) {
    return String.format(Locale.ROOT, "%,d", count) + (count == 1 ? " connection" : " connections");
  }

  private static JsonObject task(boolean spread, int millis) {
    return Json.of("spread", spread, "millis", millis);
  }
}
