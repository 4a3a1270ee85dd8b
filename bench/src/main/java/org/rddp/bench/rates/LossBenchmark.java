package org.rddp.bench.rates;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Series;
import org.rddp.bench.link.LinkProcess;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench loss}. */
@Command(
    name = "loss",
    description =
        "Goodput beside the kernel's CUBIC over a link that loses frames by chance. Needs root.")
public final class LossBenchmark extends NamedBenchmark {
  private static final String KERNEL = "kernel TCP, CUBIC";
  private static final String MARKERS = "rddp, Markers";
  private static final String PLAIN = "rddp, no Markers";
  private static final double[] LOSSES = {0, 0.001, 0.01};
  private static final double GOAL_LOSS = 0.01;

  /** Makes the last segment of a write long enough to hold a Marker, too. */
  private static final int OCTETS = (64 << 10) + 512;

  private static final double GBPS = 1;

  /** A case: delay each way in microseconds, duration, probability of loss. */
  private record Case(int micros, int millis, double loss) {}

  private static final int SHORT = 100;
  private static final int LONG = 5000;
  private static final int QUICK_LONG = 1000;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(5);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    try (LinkProcess link = new LinkProcess()) {
      report.method(
          String.format(
              Locale.ROOT,
              "One way over a link of %.0f Gb/s with a queue of 512 KiB and an MTU of 1500, which all"
                  + " contenders share: two ports of net_af_packet on veth, and one thread that"
                  + " carries frames between them, delays them, and loses some of those with TCP in"
                  + " them, both cases, by their number and the round's seed: the same for each"
                  + " contender. Kernel: blocking sockets in two network namespaces, congestion"
                  + " control `%s` as its sysctl there says, no offloads. rddp: RDMA Writes of 64 KiB"
                  + " by a daemon with an interface at each end, CRC on, congestion control CUBIC."
                  + " A new connection each round; what it does in the first sixth of its time is"
                  + " not counted. The thread of the link takes what a core has: with programs and"
                  + " engines on the same two cores, no loss and little delay the CPU is the limit,"
                  + " and the real round trip is some tens of microseconds longer.",
              GBPS,
              link.congestionControl()));
      report.method(Comparison.WARM_UP_DESCRIPTION);
      List<Contender> contenders = new ArrayList<>();
      contenders.add(link.handle().addTo(Contender.of(KERNEL, LossyKernelRig.class)));
      contenders.add(link.handle().addTo(rddp(MARKERS, true)));
      contenders.add(link.handle().addTo(rddp(PLAIN, false)));
      try (Comparison contest = new Comparison(contenders, progress)) {
        measure(report, contest, progress);
      }
    }
  }

  /** All losses with a short and a long delay, or the cases of the goals. */
  private List<Case> cases() {
    if (quick()) {
      return List.of(
          new Case(QUICK_LONG, 1000, GOAL_LOSS),
          new Case(SHORT, 400, 0),
          new Case(SHORT, 400, GOAL_LOSS));
    }
    List<Case> all = new ArrayList<>();
    for (double loss : LOSSES) {
      all.add(new Case(SHORT, 2000, loss));
    }
    for (double loss : LOSSES) {
      all.add(new Case(LONG, 5000, loss));
    }
    return all;
  }

  private static Contender rddp(String name, boolean markers) {
    return Contender.of(name, LossyRddpRig.class)
        .with("markers", Boolean.toString(markers))
        .withFlags("-Drddp.crc32c=jdk");
  }

  private void measure(BenchmarkReport report, Comparison contest, Progress progress)
      throws Exception {
    int rounds = quick() ? 3 : 7;
    List<Case> cases = cases();
    contest.warmUp(Json.from(task(cases.getFirst())));
    progress.budget().expect(cases.size());
    ReportTable table =
        new ReportTable(
                "loss",
                "Goodput under loss",
                "Payload in Mb/s. Kept: octets of rddp's that came before their turn and had to wait"
                    + " for it, in all rounds; early: the segments that did.")
            .column("round_trip", "round trip added, ms")
            .column("loss", "loss, %")
            .column("kernel", KERNEL)
            .column("markers", MARKERS)
            .column("plain", PLAIN)
            .column("ratio", "Mb/s, Markers / kernel")
            .column("early", "early")
            .column("kept", "kept")
            .column("kept_plain", "kept, no Markers")
            .column("timeouts", "timeouts, Markers");
    for (Case each : cases) {
      String title =
          String.format(
              Locale.ROOT, "%.1f %% loss, %.1f ms", each.loss() * 100, 2 * each.micros() / 1000.0);
      ComparisonResult found = contest.run(title, Json.from(task(each)), rounds);
      report.conditions(table, title, found.conditions());
      addRow(table, each, found);
      if (each.loss() == GOAL_LOSS) {
        addGoals(report, title, found);
      }
    }
    report.add(table);
  }

  private static LossyTask task(Case each) {
    return new LossyTask(OCTETS, each.millis(), each.loss(), GBPS, each.micros());
  }

  private static void addRow(ReportTable table, Case each, ComparisonResult found) {
    ContenderResult markers = found.of(MARKERS);
    table.add(
        2 * each.micros() / 1000.0,
        String.format(Locale.ROOT, "%.1f", each.loss() * 100),
        found.of(KERNEL).cell("gbps", 1000),
        markers.cell("gbps", 1000),
        found.of(PLAIN).cell("gbps", 1000),
        found.ratio(MARKERS, KERNEL, "gbps"),
        sum(markers.figure("early")),
        sum(markers.figure("kept")),
        sum(found.figure(PLAIN, "kept")),
        sum(markers.figure("timeouts")));
  }

  private static Optional<Long> sum(Optional<Series> figure) {
    return figure.map(series -> (long) total(series));
  }

  private static double total(Series series) {
    return Arrays.stream(series.values()).sum();
  }

  private static void addGoals(BenchmarkReport report, String title, ComparisonResult found) {
    String name = title.replaceAll("[^0-9]+", "_");
    report.add(
        Goal.atLeast(
                1,
                "loss_" + name,
                "goodput, " + title + ", Markers: times kernel TCP CUBIC",
                found.ratio(MARKERS, KERNEL, "gbps"))
            .remark(
                found
                    .ratio(PLAIN, KERNEL, "gbps")
                    .map(ratio -> "without Markers: " + ratio)
                    .orElse(""))
            .measuredIn(found, MARKERS, KERNEL));
    report.add(
        Goal.atMost(
                0,
                "loss_kept_" + name,
                "octets kept until their turn, " + title + ", Markers",
                found.figure(MARKERS, "kept").map(series -> Series.of(total(series))))
            .measuredIn(found));
  }
}
