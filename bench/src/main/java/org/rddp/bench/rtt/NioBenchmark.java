package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench nio}. */
@Command(
    name = "nio",
    description = "Round trips of Netty and of blocking channels over rddp, beside kernel TCP.")
public final class NioBenchmark extends NamedBenchmark {
  private static final String NETTY = "rddp, Netty";
  private static final String NETTY_KERNEL = "kernel TCP, Netty's epoll";
  private static final String RDDP = "rddp";

  static List<Contender> contenders() {
    return List.of(
        Contender.of(NETTY, NettyRig.class).with(RDDP, "yes"),
        Contender.of(NETTY_KERNEL, NettyRig.class),
        Contender.of("rddp, blocking channels", SocketRig.class)
            .with("blocking", "yes")
            .with(RDDP, "yes"),
        Contender.of("kernel TCP, blocking channels", SocketRig.class).with("blocking", "yes"));
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Each end has one CPU, and answers messages as they come. rddp: one daemon with its default"
            + " configuration, whose engine has the CPU of the end that answers; its two interfaces are"
            + " joined by net_ring. Kernel TCP: two network namespaces joined by veth, TCP_NODELAY.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    List<Contender> contenders =
        contenders().stream().map(each -> each.withFlags("-Drddp.crc32c=jdk")).toList();
    RttTask task =
        RttTask.closed(Verb.SEND, SmallMessages.OCTETS, 0, 100_000).within(quick() ? 200 : 1000);
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(task.within(100).toJson());
      progress.budget().expect(1);
      ComparisonResult found = contest.run("64 octets", task.toJson(), quick() ? 5 : 15);
      report.add(
          Goal.atMost(
                  0.8,
                  "nio_netty_p50",
                  "Netty, p50, over Netty's epoll",
                  found.ratio(NETTY, NETTY_KERNEL, "p50"))
              .measuredIn(found, NETTY, NETTY_KERNEL));
      ReportTable table =
          report.add(
              new ReportTable("nio", "Channels, messages of 64 octets", "Microseconds.")
                  .column("contender", "contender")
                  .column("p50", "p50")
                  .column("p99", "p99")
                  .column("p999", "p99.9"));
      report.conditions(table, found.title(), found.conditions());
      found
          .all()
          .forEach((name, each) -> table.add(name, each.cells(MICROSECONDS, "p50", "p99", "p999")));
    }
  }
}
