package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

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
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench waiting}. */
@Command(
    name = "waiting",
    description =
        "Round trips of programs that wait in blocking calls, beside blocking kernel TCP.")
public final class WaitingBenchmark extends NamedBenchmark {
  static final String READ = "rddp, blocking read";
  static final String SEND = "rddp, blocking send and receive";
  private static final String TCP = "kernel TCP, blocking";

  static List<Contender> contenders() {
    return List.of(
        Contender.of(READ, WaitingRig.class).with("read", "yes"),
        Contender.of(SEND, WaitingRig.class),
        Contender.of(TCP, SocketRig.class).with("blocking", "yes"));
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(
        "Programs as they are written first: each call waits for its end. rddp: one daemon with its"
            + " default configuration, whose engine and whose programs poll for some microseconds and"
            + " then sleep; its two interfaces are joined by net_ring. The near program has one CPU, the"
            + " engine and the far program the other. A read needs no call of the far program; a send is"
            + " received and answered by it. Kernel TCP: a blocking socket at each end, each on a CPU of"
            + " its own, two network namespaces joined by veth, TCP_NODELAY. CPU time is that of both"
            + " ends and of the daemon, or of the kernel as far as it works for them.");
    report.method(Comparison.WARM_UP_DESCRIPTION);
    List<Contender> contenders =
        contenders().stream().map(each -> each.withFlags("-Drddp.crc32c=jdk")).toList();
    RttTask task =
        RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, 0, 100_000).within(quick() ? 200 : 1000);
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(Json.from(task.within(100)));
      progress.budget().expect(1);
      ComparisonResult found = contest.run("64 octets", Json.from(task), quick() ? 5 : 15);
      addGoals(report, found);
      ReportTable table =
          report.add(
              new ReportTable("waiting", "Blocking calls of 64 octets", "Microseconds.")
                  .column("contender", "contender")
                  .column("p50", "p50")
                  .column("p99", "p99")
                  .column("p999", "p99.9")
                  .column("cpu", "CPU time"));
      report.conditions(table, found.title(), found.conditions());
      found
          .all()
          .forEach((name, each) ->
              table.add(name, each.cells(MICROSECONDS, "p50", "p99", "p999", "cpu_ns")));
    }
  }

  private static void addGoals(BenchmarkReport report, ComparisonResult found) {
    for (String name : List.of(READ, SEND)) {
      String key = name.equals(READ) ? "read" : "send";
      report.add(
          Goal.atMost(
                  0.5,
                  "waiting_" + key + "_p50",
                  name.substring("rddp, ".length()) + ", p50, over blocking kernel TCP to and fro",
                  found.ratio(name, TCP, "p50"))
              .measuredIn(found, name, TCP));
      report.add(
          Goal.atMost(
                  1,
                  "waiting_" + key + "_cpu",
                  "the same, CPU time",
                  found.ratio(name, TCP, "cpu_ns"))
              .measuredIn(found, name, TCP));
    }
  }
}
