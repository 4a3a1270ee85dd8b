package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.rates.KernelStreamRig;
import org.rddp.bench.rates.StreamTasks;
import org.rddp.bench.rates.TwoDaemonsStreamRig;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.Quantity;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench linux}. */
@Command(
    name = "linux",
    description =
        "Two daemons on 'linux:' devices, as on two hosts with ordinary cards, beside kernel TCP."
            + " Needs root.")
public final class LinuxBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp, two daemons, linux:";
  private static final String WAITING = "rddp, two daemons, linux:, blocking";
  private static final String BLOCKING = "kernel TCP, blocking";
  private static final String POLLING = "kernel TCP, busy-polling";
  private static final String STREAM = "kernel TCP";
  private static final double GIGA = 1e9;
  private static final int MTU = 1500;
  private static final List<Integer> SIZES = List.of(16 << 10, 64 << 10, 1 << 20);

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(4);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "What two hosts with ordinary cards get, on one machine: two daemons as docs/two-hosts.md"
            + " configures them, whose `linux:` devices are the ends of a veth link between two network"
            + " namespaces, MTU 1500, CRC on, engines that sleep when idle. Round trips: both programs on"
            + " one thread, which polls and yields, or, blocking, on a thread each, which waits in a call for"
            + " a Send. Goodput: both on one thread, which waits in a call for completions."
            + " Kernel TCP goes over such a link with all offloads, each end on a"
            + " CPU of its own, TCP_NODELAY; it checks no CRC, and veth checks nothing. RDMA Writes and"
            + " tasks as under 'Round trips' and 'Goodput'."
            + TwoDaemons.ON_TWO_CORES);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    measureRoundTrips(report, progress.part(0.4));
    measureGoodput(report, progress);
  }

  private void measureRoundTrips(BenchmarkReport report, Progress progress) throws Exception {
    ReportTable table =
        report.add(
            new ReportTable(
                    "round_trips",
                    "Round trips of 64 octets between two daemons",
                    "Microseconds; the last column is rddp's p50 over the contender's.")
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("ratio", "p50, rddp / this"));
    RttTask task =
        RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, 1000, 20_000).within(quick() ? 300 : 1000);
    List<Contender> contenders =
        List.of(
            onVeth(RDDP, TwoDaemonsRig.class),
            onVeth(WAITING, WaitingRig.class),
            Contender.of(BLOCKING, SocketRig.class).with("blocking", "yes"),
            Contender.of(POLLING, SocketRig.class));
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(Json.from(task.within(100)));
      progress.budget().expect(1);
      ComparisonResult found = contest.run("64 octets", Json.from(task), quick() ? 3 : 9);
      report.conditions(table, found.title(), found.conditions());
      found
          .all()
          .forEach((name, each) ->
              table.add(
                  name,
                  each.cells(MICROSECONDS, "p50", "p99", "p999"),
                  found.ratio(RDDP, name, "p50")));
      for (String figure : List.of("p50", "p99")) {
        report.add(
            Goal.atMost(
                    1,
                    "linux_" + figure,
                    "64-octet blocking round trip over linux:, "
                        + figure
                        + ", over blocking kernel TCP",
                    found.ratio(WAITING, BLOCKING, figure))
                .measuredIn(found, WAITING, BLOCKING));
      }
    }
  }

  private void measureGoodput(BenchmarkReport report, Progress progress) throws Exception {
    ReportTable table =
        report.add(
            new ReportTable(
                    "goodput",
                    "Goodput between two daemons",
                    "Payload, by the size of a Write, or of a write() of the kernel's; medians of rounds.")
                .column("contender", "contender"));
    int millis = quick() ? 300 : 1000;
    List<Contender> contenders =
        List.of(
            onVeth(RDDP, TwoDaemonsStreamRig.class).with("mtu", MTU).with("waits", "yes"),
            Contender.of(STREAM, KernelStreamRig.class).with("mtu", MTU).with("offloads", "true"));
    List<Object> own = new ArrayList<>(List.of(RDDP));
    List<Object> kernels = new ArrayList<>(List.of(STREAM));
    List<Object> ratios = new ArrayList<>(List.of("rddp / kernel TCP"));
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(StreamTasks.stream(SIZES.getLast(), 100));
      progress.budget().expect(SIZES.size());
      for (int octets : SIZES) {
        String size = StreamTasks.size(octets);
        table.column("octets_" + octets, size);
        ComparisonResult found =
            contest.run(size, StreamTasks.stream(octets, millis), quick() ? 3 : 9);
        report.conditions(table, found.title(), found.conditions());
        own.add(Quantity.cell(found.of(RDDP), "gbps", GIGA, "b/s"));
        kernels.add(Quantity.cell(found.of(STREAM), "gbps", GIGA, "b/s"));
        ratios.add(found.ratio(RDDP, STREAM, "gbps"));
        if (octets > SIZES.getFirst()) {
          report.add(
              Goal.atLeast(
                      0.7,
                      "linux_goodput_" + octets,
                      "goodput of " + size + " over linux:, times kernel TCP with offloads on",
                      found.ratio(RDDP, STREAM, "gbps"))
                  .measuredIn(found, RDDP, STREAM));
        }
      }
    }
    table.add(own.toArray());
    table.add(kernels.toArray());
    table.add(ratios.toArray());
  }

  private static Contender onVeth(String name, Class<? extends Rig> rig) {
    return Contender.of(name, rig).with("link", TwoDaemons.Link.VETH.name());
  }
}
