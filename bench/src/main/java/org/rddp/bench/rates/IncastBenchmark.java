package org.rddp.bench.rates;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rddp.analysis.SwitchFigures;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.link.LinkProcess;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench incast}. */
@Command(
    name = "incast",
    description =
        "Congestion control in a data centre: many senders to one, a queue that marks, and flows"
            + " beside the kernel's. Needs root.")
public final class IncastBenchmark extends NamedBenchmark {
  private static final String KERNEL = "kernel TCP, CUBIC";
  private static final String KERNEL_ECN = "kernel TCP, CUBIC, ECN";
  private static final String CUBIC = "rddp, CUBIC";
  private static final String CUBIC_ECN = "rddp, CUBIC, ECN";
  private static final String DCTCP = "rddp, DCTCP";
  private static final String BESIDE = "rddp beside kernel TCP, both CUBIC";
  private static final int SENDERS = 32;
  private static final int OCTETS = 64 << 10;
  private static final double GBPS = 1;
  private static final int MICROS = 50;

  /** Flows take turns in filling the queue, over some tens of round trips. */
  private static final int FLOW_MILLIS = 4000;

  private static final int FLOW_MICROS = 500;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(4);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "The first tables are of rddp alone, in virtual time. Then 32 connections through one link"
            + " of 1 Gb/s in real time, a message of 64 KiB over each at once, again and again: two"
            + " ports of net_af_packet on veth, and one thread that carries frames between them, with"
            + " a queue of 256 KiB that marks beyond 64 KiB, for all contenders. The link adds 0.1 ms"
            + " to the round trip, and its thread some tens of microseconds. Kernel: the sockets of"
            + " two network namespaces, polled by one thread. rddp: RDMA Writes by a daemon with an"
            + " interface at each end. Threads of the link, the engine and the programs have priority over"
            + " ordinary ones; the kernel's TCP works in the link's. Retransmission timeouts are 5 ms at the"
            + " least (`minimum-timeout`, `tcp_rto_min_us`; the kernel counts in ticks of 1 to 10 ms). The"
            + " kernel's DCTCP is not among the contenders.");
    progress.log("virtual time");
    report.add(ReportTable.of(SwitchFigures.incastTable(quick())));
    report.add(ReportTable.of(SwitchFigures.besideTable(quick())));
    report.add(ReportTable.of(SwitchFigures.faultTable(quick())));
    try (LinkProcess link = new LinkProcess()) {
      incast(report, link, progress);
      flows(report, link, progress);
    }
  }

  private static Contender rddp(String name, String congestion, boolean ecn) {
    return rddp(name, IncastRddpRig.class, ecn)
        .with("congestion", congestion)
        .with("minimum-timeout", "5ms")
        .with("peer-acknowledgment-delay", "1ms");
  }

  /** With an engine that has priority over ordinary threads, as the link has. */
  private static Contender rddp(String name, Class<? extends Rig> rig, boolean ecn) {
    return Contender.of(name, rig)
        .with("ecn", Boolean.toString(ecn))
        .with("idle", "park")
        .with("priority", "fifo 1")
        .withFlags("-Drddp.crc32c=jdk");
  }

  private static Contender kernel(String name, boolean ecn) {
    return Contender.of(name, IncastKernelRig.class).with("ecn", Boolean.toString(ecn));
  }

  private void incast(BenchmarkReport report, LinkProcess link, Progress progress)
      throws Exception {
    List<Contender> contenders = new ArrayList<>();
    for (Contender each :
        List.of(
            kernel(KERNEL, false),
            kernel(KERNEL_ECN, true),
            rddp(CUBIC, "cubic", false),
            rddp(CUBIC_ECN, "cubic", true),
            rddp(DCTCP, "dctcp", true))) {
      contenders.add(link.handle().addTo(each.with("connections", SENDERS)));
    }
    IncastTask task = new IncastTask(OCTETS, quick() ? 300 : 1000, GBPS, MICROS);
    ReportTable table =
        new ReportTable(
                "incast_link",
                "Incast of " + SENDERS + " connections over a link",
                "All messages of an incast need 17.7 ms of the link. Queue: the octets that a frame"
                    + " finds in front of it, on average. Dropped and marked: frames of all rounds.")
            .column("contender", "contender")
            .column("p50", "message p50, ms")
            .column("p99", "p99, ms")
            .column("queue", "queue, KiB")
            .column("longest", "longest, KiB")
            .column("dropped", "dropped")
            .column("marked", "marked");
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(Json.from(task));
      progress.budget().expect(2);
      ComparisonResult found = contest.run("incast", Json.from(task), quick() ? 3 : 7);
      report.conditions(table, "incast", found.conditions());
      for (Contender each : contenders) {
        ContenderResult result = found.of(each.name());
        table.add(
            each.name(),
            result.cell("p50", 1e-6),
            result.cell("p99", 1e-6),
            result.cell("queue", 1.0 / 1024),
            result.cell("longest", 1.0 / 1024),
            result.cell("dropped", 1),
            result.cell("marked", 1));
      }
      addGoals(report, found);
    }
    report.add(table);
  }

  private static void addGoals(BenchmarkReport report, ComparisonResult found) {
    for (String[] pair :
        new String[][] {{CUBIC, KERNEL}, {CUBIC_ECN, KERNEL_ECN}, {DCTCP, KERNEL_ECN}}) {
      String what = pair[0] + ", times " + pair[1];
      String name = pair[0].toLowerCase(Locale.ROOT).replaceAll("[^a-z]+", "_");
      report.add(
          Goal.atMost(
                  1,
                  "incast_p99_" + name,
                  "incast, p99 of a message: " + what,
                  found.ratio(pair[0], pair[1], "p99"))
              .measuredIn(found, pair));
      report.add(
          Goal.atMost(
                  1,
                  "incast_queue_" + name,
                  "incast, average queue: " + what,
                  found.ratio(pair[0], pair[1], "queue"))
              .measuredIn(found, pair));
    }
  }

  private void flows(BenchmarkReport report, LinkProcess link, Progress progress) throws Exception {
    Contender both = link.handle().addTo(rddp(BESIDE, FlowsRig.class, false));
    LossyTask task =
        new LossyTask(OCTETS, quick() ? FLOW_MILLIS / 4 : FLOW_MILLIS, 0, GBPS / 2, FLOW_MICROS);
    ReportTable table =
        new ReportTable(
                "flows",
                "A flow of rddp beside one of the kernel",
                "Both at once over a link of 0.5 Gb/s with a queue of 512 KiB, a round trip of 1 ms,"
                    + " without ECN. Payload in Mb/s.")
            .column("contender", "contender")
            .column("rddp", "rddp")
            .column("kernel", "kernel")
            .column("share", "rddp / kernel");
    try (Comparison contest = new Comparison(List.of(both), progress)) {
      ComparisonResult found = contest.run("flows", Json.from(task), quick() ? 3 : 7);
      report.conditions(table, "flows", found.conditions());
      ContenderResult result = found.of(BESIDE);
      table.add(
          BESIDE, result.cell("rddp", 1000), result.cell("kernel", 1000), result.cell("share", 1));
      report.add(
          Goal.atLeast(
                  0.8,
                  "flows_share",
                  "a flow of rddp beside one of the kernel: goodput, times the kernel's",
                  found.figure(BESIDE, "share"))
              .measuredIn(found, BESIDE));
      report.add(
          Goal.atMost(
                  1.25, "flows_share_most", "the same, at the most", found.figure(BESIDE, "share"))
              .measuredIn(found, BESIDE));
    }
    report.add(table);
  }
}
