package org.rddp.bench.rates;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.NamedBenchmark;
import org.rddp.bench.method.Contest;
import org.rddp.bench.method.Entrant;
import org.rddp.bench.method.Outcome;
import org.rddp.bench.method.Outcomes;
import org.rddp.bench.method.Progress;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.Report;
import org.rddp.bench.report.Table;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench rate}. */
@Command(
    name = "rate",
    description = "Short messages a second, by how many are outstanding, and what one costs.")
public final class RateBenchmark extends NamedBenchmark {
  private static final int[] OUTSTANDING = {1, 16, 64, 256};
  private static final String RDDP = "rddp";
  private static final String PACKED = "rddp, packing";
  private static final String KERNEL = "kernel TCP";
  private static final String BATCHED = "kernel TCP, 64 messages a write()";
  private static final double MILLION = 1e-6;

  /** For picocli. */
  public RateBenchmark() {}

  @Override
  protected void measure(Report report, Progress progress) throws Exception {
    int rounds = quick() ? 3 : 9;
    int millis = quick() ? 250 : 1000;
    report.method(
        "RDMA Writes one way with so many outstanding: posted and not yet found in the sink's memory"
            + " by its program. rddp: both engines on one core, both programs on the other. Kernel"
            + " TCP: Java NIO over veth with offloads on, TCP_NODELAY, each end polling on a core, one"
            + " write() a message; and batched, as far as the number outstanding allows.");
    List<Entrant> entrants =
        List.of(
            Entrant.of(RDDP, RddpStreamRig.class),
            Entrant.of(PACKED, RddpStreamRig.class).with("packing", "true"),
            kernel(KERNEL, 1),
            kernel(BATCHED, 64));
    int[] sizes = quick() ? new int[] {64} : new int[] {8, 16, 32, 64};
    Outcomes allocation;
    Map<String, Outcomes> found = new LinkedHashMap<>();
    try (Contest contest = new Contest(entrants, progress)) {
      contest.warmUp(Tasks.outstanding(64, 64, quick() ? 2500 : 5000));
      contest.warmUp(Tasks.outstanding(64, 1, quick() ? 500 : 1000));
      for (int octets : sizes) {
        for (int outstanding : OUTSTANDING) {
          String title = title(octets, outstanding);
          Outcomes outcomes =
              contest.run(title, Tasks.outstanding(octets, outstanding, millis), rounds);
          report.conditions(title, outcomes.conditions());
          found.put(title, outcomes);
        }
      }
      allocation =
          contest.run(
              "one long run", Tasks.outstanding(64, 64, quick() ? 3000 : 60_000), 1, List.of(RDDP));
    }
    addGoals(report, found.get(title(64, 64)), allocation.of(RDDP));
    addTables(report, found);
  }

  private static Entrant kernel(String name, int batch) {
    return Entrant.of(name, KernelStreamRig.class)
        .with("mtu", 1500)
        .with("offloads", "true")
        .with("batch", batch);
  }

  private static String title(int octets, int outstanding) {
    return octets + " octets, " + outstanding + " outstanding";
  }

  private void addGoals(Report report, Outcomes found, Outcome allocation) {
    report.add(
        Goal.atLeast(
            2,
            "rate",
            "writes of 64 octets, 64 outstanding, one way: million a second",
            found.figure(RDDP, "rate").map(series -> series.times(MILLION))));
    report.add(
        Goal.atLeast(
                4,
                "rate_beside_kernel",
                "the same: times kernel TCP with one write() a message and TCP_NODELAY",
                found.ratio(RDDP, KERNEL, "rate"))
            .remark(
                found
                    .ratio(RDDP, BATCHED, "rate")
                    .map(ratio -> "batched: " + ratio)
                    .orElse("batched: not measured")));
    String length = quick() ? "3 s" : "60 s";
    report.add(
        Goal.atMost(
            0.01,
            "allocation_engine",
            "octets that the engine allocates a message, " + length,
            allocation.figure("engine_octets")));
    report.add(
        Goal.atMost(
            0.01,
            "allocation_program",
            "octets that both programs allocate a message, the rig included, " + length,
            allocation.figure("program_octets")));
    report.add(
        Goal.atMost(
            0, "collections", "collections of garbage in that run", allocation.figure("gc")));
  }

  private static void addTables(Report report, Map<String, Outcomes> found) {
    List<String> names = List.of(RDDP, PACKED, KERNEL, BATCHED);
    Table rates = new Table("rate", "Messages a second", "In millions.").column("task", "");
    Table cost =
        new Table(
            "cpu_per_message",
            "CPU time per message",
            "Of all threads of both ends, in ns. rddp's two threads poll: what they do not use of"
                + " their cores is counted, too.");
    cost.column("task", "");
    for (String name : names) {
      rates.column(name, name);
      cost.column(name, name);
    }
    found.forEach((title, outcomes) -> {
      List<Object> rate = new ArrayList<>(List.of(title));
      List<Object> spent = new ArrayList<>(List.of(title));
      for (String name : names) {
        rate.add(outcomes.of(name).cell("rate", MILLION));
        spent.add(outcomes.of(name).cell("cpu_ns", 1));
      }
      rates.add(rate.toArray());
      cost.add(spent.toArray());
    });
    report.add(rates);
    report.add(cost);
  }
}
