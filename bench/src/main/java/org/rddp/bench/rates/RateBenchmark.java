package org.rddp.bench.rates;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.Quantity;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench rate}. */
@Command(
    name = "rate",
    description = "Short messages a second, by how many are outstanding, and what one costs.")
public final class RateBenchmark extends NamedBenchmark {
  private static final int[] OUTSTANDING = {1, 16, 64, 256};
  private static final int[] SIZES = {8, 16, 32, 64};
  private static final String RDDP = "rddp";
  private static final String PACKED = "rddp, packing";
  private static final String TWO_DAEMONS = "rddp, two daemons";
  private static final String KERNEL = "kernel TCP";
  private static final String BATCHED = "kernel TCP, 64 messages a write()";

  /** The goals' octets, and messages outstanding. */
  private static final int OCTETS = 64;

  /** Weight of this step beside a cell of the table. */
  private static final double LONG_RUN = 4;

  private static final int LONG_MILLIS = 60_000;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(5);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "RDMA Writes one way with so many outstanding: posted and not yet found in the sink's memory"
            + " by its program. rddp: both engines on one core, both programs on the other. Two"
            + " daemons: three processes (net_vhost and net_virtio_user, engines that idle as by"
            + " default, packing on), three busy threads on two cores. Kernel TCP: Java NIO over veth with"
            + " offloads on, TCP_NODELAY, each end polling on a core, one write() a message; and"
            + " batched, as far as the number outstanding allows.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    int[] sizes = quick() ? new int[] {OCTETS} : SIZES;
    Map<String, ComparisonResult> found = new LinkedHashMap<>();
    ReportTable rates =
        table(
            "rate",
            "Messages a second",
            "The last columns are more than 1 where rddp sends more."
                + (quick() ? "" : TwoDaemons.ON_TWO_CORES));
    rates
        .column("ratio", "a second, rddp / kernel TCP")
        .column("batched_ratio", "a second, rddp / batched");
    // Short messages use the JDK's CRC in any case, so a shortened run does not try vectors.
    String[] flags = quick() ? new String[] {"-Drddp.crc32c=jdk"} : new String[0];
    List<Contender> contenders = contenders().stream().map(each -> each.withFlags(flags)).toList();
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(StreamTasks.outstanding(OCTETS, OCTETS, 100));
      progress.budget().expect(sizes.length * OUTSTANDING.length + LONG_RUN);
      for (int octets : sizes) {
        for (int outstanding : OUTSTANDING) {
          String title = title(octets, outstanding);
          ComparisonResult outcomes =
              contest.run(
                  title,
                  StreamTasks.outstanding(octets, outstanding, quick() ? 150 : 400),
                  quick() ? 5 : 9);
          report.conditions(rates, title, outcomes.conditions());
          found.put(title, outcomes);
        }
      }
      addGoals(report, found.get(title(OCTETS, OCTETS)));
      ComparisonResult longRun =
          contest.run(
              "one long run",
              StreamTasks.outstanding(OCTETS, OCTETS, quick() ? 3000 : LONG_MILLIS),
              1,
              List.of(RDDP),
              LONG_RUN);
      addGoalsOfLongRun(report, longRun);
      report.conditions("one long run", longRun.conditions());
    } finally {
      addTables(report, rates, found);
    }
  }

  private List<Contender> contenders() {
    List<Contender> all = new ArrayList<>();
    all.add(Contender.of(RDDP, RddpStreamRig.class));
    all.add(Contender.of(PACKED, RddpStreamRig.class).with("packing", "true"));
    if (!quick()) {
      all.add(Contender.of(TWO_DAEMONS, TwoDaemonsStreamRig.class).with("mtu", 1500));
    }
    all.add(kernel(KERNEL, 1));
    all.add(kernel(BATCHED, OCTETS));
    return all;
  }

  private static Contender kernel(String name, int batch) {
    return Contender.of(name, KernelStreamRig.class)
        .with("mtu", 1500)
        .with("offloads", "true")
        .with("batch", batch);
  }

  private static String title(int octets, int outstanding) {
    return octets + " octets, " + outstanding + " outstanding";
  }

  private static void addGoals(BenchmarkReport report, ComparisonResult found) {
    report.add(
        Goal.atLeast(
                2e6,
                "rate",
                "writes of 64 octets, 64 outstanding, one way",
                found.figure(RDDP, "rate"))
            .withUnit("/s")
            .measuredIn(found, RDDP));
    report.add(
        Goal.atLeast(
                4,
                "rate_beside_kernel",
                "the same: times kernel TCP with one write() a message and TCP_NODELAY",
                found.ratio(RDDP, KERNEL, "rate"))
            .remark(
                found
                    .ratio(RDDP, BATCHED, "rate")
                    .map(ratio -> "times kernel TCP with 64 messages a write(): " + ratio)
                    .orElse("batched: not measured"))
            .measuredIn(found, RDDP, KERNEL));
  }

  private void addGoalsOfLongRun(BenchmarkReport report, ComparisonResult found) {
    ContenderResult allocation = found.of(RDDP);
    String length = quick() ? "3 s" : "60 s";
    report.add(
        Goal.atMost(
                0.01,
                "allocation_engine",
                "octets that the engine allocates a message, " + length,
                allocation.figure("engine_octets"))
            .measuredUnder(found.conditions()));
    report.add(
        Goal.atMost(
                0.01,
                "allocation_program",
                "octets that both programs allocate a message, the rig included, " + length,
                allocation.figure("program_octets"))
            .measuredUnder(found.conditions()));
    report.add(
        Goal.atMost(0, "collections", "collections of garbage in that run", allocation.figure("gc"))
            .measuredUnder(found.conditions()));
  }

  private ReportTable table(String name, String title, String text) {
    ReportTable table = new ReportTable(name, title, text).column("task", "");
    for (Contender each : contenders()) {
      table.column(each.name(), each.name());
    }
    return table;
  }

  private void addTables(
      BenchmarkReport report, ReportTable rates, Map<String, ComparisonResult> found) {
    ReportTable cost =
        table(
            "cpu_per_message",
            "CPU time per message",
            "Of all threads of both ends. rddp's two threads poll: what they do not use of their"
                + " cores is counted, too.");
    report.add(rates);
    report.add(cost);
    Plot plot =
        report.add(
            new Plot("by-outstanding", "Writes of 64 octets", "messages outstanding", "a second"));
    found.forEach((title, outcomes) -> {
      List<Object> rate = new ArrayList<>(List.of(title));
      List<Object> spent = new ArrayList<>(List.of(title));
      for (Contender each : contenders()) {
        ContenderResult outcome = outcomes.of(each.name());
        rate.add(Quantity.cell(outcome, "rate", 1, "/s"));
        spent.add(Quantity.cell(outcome, "cpu_ns", 1e-9, "s"));
      }
      rate.add(outcomes.ratio(RDDP, KERNEL, "rate"));
      rate.add(outcomes.ratio(RDDP, BATCHED, "rate"));
      rates.add(rate.toArray());
      cost.add(spent.toArray());
    });
    for (Contender each : contenders()) {
      for (int outstanding : OUTSTANDING) {
        ComparisonResult outcomes = found.get(title(OCTETS, outstanding));
        if (outcomes != null) {
          plot.logarithmic().point(each.name(), outstanding, outcomes.figure(each.name(), "rate"));
        }
      }
    }
  }
}
