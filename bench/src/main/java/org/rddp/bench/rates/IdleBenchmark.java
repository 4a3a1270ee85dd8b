package org.rddp.bench.rates;

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

/** {@code bin/rddp bench idle}. */
@Command(
    name = "idle",
    description = "What an idle daemon costs, by how it idles; its start and memory.")
public final class IdleBenchmark extends NamedBenchmark {
  private static final String[] WAYS = {"spin", "yield", "backoff", "park", "interrupt"};

  /** Until HotSpot has compiled what an idle daemon does, in ms. */
  private static final int SETTLING = 3000;

  /** Settling time where it looks once a second only. */
  private static final int LONG_SETTLING = 120_000;

  private static final double MEBIBYTE = 1 << 20;

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "A daemon with two interfaces and one program connected, which does nothing: CPU time of"
            + " all threads, 3 s after its start (`interrupt`: 120 s) and without the trial of CRCs, which otherwise takes"
            + " half a core for up to a minute then. Its start is taken from the start of its process until the program is"
            + " connected. Memory is what is resident, 128 MiB for DPDK included as far as touched;"
            + " huge pages do not count.");
    List<Contender> contenders = new ArrayList<>();
    for (String way : WAYS) {
      contenders.add(
          Contender.of(way, IdleRig.class)
              .with("idle", way)
              .with(
                  IdleRig.SETTLING, way.equals("interrupt") && !quick() ? LONG_SETTLING : SETTLING)
              .withFlags("-Drddp.crc32c=jdk"));
    }
    JsonObject task = Json.of("millis", quick() ? 1000 : 3000);
    try (Comparison contest = new Comparison(contenders, progress)) {
      ComparisonResult found = contest.run("idle", task, quick() ? 3 : 9);
      ReportTable table =
          report.add(
              new ReportTable("idle", "Idle daemons", "CPU in per cent of a core.")
                  .column("idle", "idle =")
                  .column("cpu", "CPU, %")
                  .column("resident", "resident, MiB")
                  .column("start", "start, ms"));
      report.conditions(table, "idle", found.conditions());
      report.add(
          Goal.atMost(
                  0.1,
                  "idle_interrupt_cpu",
                  "idle daemon with idle = \"interrupt\", the default, CPU in per cent of a core",
                  found.figure("interrupt", "cpu").map(share -> share.times(100)))
              .measuredIn(found, "interrupt"));
      found
          .all()
          .forEach((way, each) ->
              table.add(
                  "`" + way + "`",
                  each.cell("cpu", 100),
                  each.cell("resident_octets", 1 / MEBIBYTE),
                  each.cell("start_ms", 1)));
    }
  }
}
