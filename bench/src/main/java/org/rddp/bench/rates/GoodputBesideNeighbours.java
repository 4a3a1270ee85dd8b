package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.RigMain;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.ReportTable;

/** Goodput of RDMA Writes beside busy threads of other processes. */
public final class GoodputBesideNeighbours {
  private static final int[] COUNTS = {0, 1, 2};
  private static final int FRAME = 1500;
  private static final int JUMBO = 9000;

  private final BenchmarkReport report;
  private final boolean quick;

  /** Measures for a report; {@code quick} in less than a minute. */
  public GoodputBesideNeighbours(BenchmarkReport report, boolean quick) {
    this.report = report;
    this.quick = quick;
  }

  /** Adds a table and goals. */
  public void measure(Progress progress) throws Exception {
    report.method(
        "Goodput: RDMA Writes of 1 MiB as under 'Goodput', but engines idle as they do by default. Copy"
            + " + CRC + device: the work of one thread on one core, over the time that has passed, which"
            + " includes what the neighbours took. Kernel TCP: with its offloads, and without a CRC.");
    ReportTable table =
        report.add(
            new ReportTable(
                    "goodput_beside_neighbours",
                    "Goodput of writes of 1 MiB",
                    "Gb/s; the last column is rddp's figure over the contender's of the same round.")
                .column("mtu", "MTU")
                .column("neighbours", "busy neighbours")
                .column("contender", "contender")
                .column("neighbours_cpus", "their CPUs")
                .column("gbps", "Gb/s")
                .column("ratio", "rddp / this"));
    measure(table, progress.part(0.5), FRAME);
    measure(table, progress, JUMBO);
  }

  private void measure(ReportTable table, Progress progress, int mtu) throws Exception {
    String rddp = "rddp, MTU " + mtu;
    JsonObject task = StreamTasks.stream(GoodputBenchmark.MEBIBYTE, quick ? 300 : 1000);
    try (Comparison contest = new Comparison(contenders(rddp, mtu), progress)) {
      contest.warmUp(StreamTasks.stream(GoodputBenchmark.MEBIBYTE, 100));
      progress.budget().expect(COUNTS.length);
      for (int count : COUNTS) {
        String title = "goodput at MTU " + mtu + ", beside " + count;
        ComparisonResult found = contest.run(title, RigMain.beside(count, task), quick ? 3 : 7);
        report.conditions(table, title, found.conditions());
        found
            .all()
            .forEach((name, each) ->
                table.add(
                    mtu,
                    count,
                    name,
                    each.cells(1, "neighbours_cpus"),
                    each.cells(1, "gbps"),
                    found.ratio(rddp, name, "gbps")));
        if (count > 0) {
          addGoals(found, rddp, mtu, count);
        }
      }
    }
  }

  private static List<Contender> contenders(String rddp, int mtu) {
    List<Contender> all = new ArrayList<>();
    all.add(Contender.of(rddp, RddpStreamRig.class).with("mtu", mtu).with("idle", "interrupt"));
    all.add(
        Contender.of(kernel(mtu), KernelStreamRig.class).with("mtu", mtu).with("offloads", "true"));
    all.add(
        Contender.of(ceiling(mtu), CeilingRig.class)
            .with("mtu", mtu)
            .with(CeilingRig.ELAPSED, "true"));
    return all;
  }

  private static String kernel(int mtu) {
    return "kernel TCP, MTU " + mtu;
  }

  private static String ceiling(int mtu) {
    return "copy + CRC + device, MTU " + mtu;
  }

  private void addGoals(ComparisonResult found, String rddp, int mtu, int count) {
    String what = "goodput at MTU " + mtu + " beside " + count + " busy: times ";
    String name = "goodput_" + mtu + "_beside_" + count;
    report.add(
        Goal.atLeast(
                0.6,
                name + "_kernel",
                what + "kernel TCP with offloads on",
                found.ratio(rddp, kernel(mtu), "gbps"))
            .measuredIn(found, rddp, kernel(mtu)));
    report.add(
        Goal.atLeast(
                0.5,
                name + "_ceiling",
                what + "copy + CRC + device",
                found.ratio(rddp, ceiling(mtu), "gbps"))
            .measuredIn(found, rddp, ceiling(mtu)));
  }
}
