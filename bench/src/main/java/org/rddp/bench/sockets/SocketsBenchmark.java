package org.rddp.bench.sockets;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.Quantity;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench sockets}. */
@Command(
    name = "sockets",
    description =
        "redis-benchmark and iperf3 over 'rddp sockets', beside kernel TCP: latency, rates, and"
            + " where the time goes.")
public final class SocketsBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp";
  private static final String SLEEPING = "rddp, RDDP_SOCKETS_SPIN=0";
  private static final String APART = "kernel TCP, a CPU each";
  private static final String ANYWHERE = "kernel TCP, any CPU";
  private static final String LOOPBACK = "kernel TCP, loopback";
  private static final double MICROSECONDS = 1e-3;
  private static final int MANY = 50;

  static List<Contender> contenders() {
    return List.of(
        Contender.of(RDDP, SocketsRig.class).with("way", "rddp"),
        Contender.of(SLEEPING, SocketsRig.class).with("way", "rddp").with("spin", "0"),
        Contender.of(APART, SocketsRig.class).with("way", "veth").with("pinned", "yes"),
        Contender.of(ANYWHERE, SocketsRig.class).with("way", "veth"),
        Contender.of(LOOPBACK, SocketsRig.class).with("way", "loopback"));
  }

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(4);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(METHOD);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    ReportTable latency = report.add(latencyTable());
    ReportTable rates = report.add(rateTable());
    ReportTable parts = report.add(partTable());
    progress.budget().expect(3);
    try (Comparison contest = new Comparison(contenders(), progress)) {
      contest.warmUp(SocketsTask.redis(1, 10_000).toJson());
      int rounds = quick() ? 1 : 7;
      ComparisonResult one =
          run(
              report,
              latency,
              contest,
              "redis-benchmark -c 1",
              SocketsTask.redis(1, 20_000),
              rounds);
      one.all()
          .forEach((name, each) ->
              latency.add(
                  name,
                  each.cells(MICROSECONDS, "mean", "p50", "p99", "max"),
                  one.ratio(RDDP, name, "mean")));
      ComparisonResult many =
          run(
              report,
              rates,
              contest,
              "redis-benchmark -c " + MANY,
              SocketsTask.redis(MANY, 100_000),
              rounds);
      addRates(rates, many, "rate", 1, "/s");
      ComparisonResult stream =
          run(report, rates, contest, "iperf3", SocketsTask.iperf(quick() ? 1 : 2), rounds);
      addRates(rates, stream, "gbps", 1e9, "b/s");
      addParts(parts, one);
      addParts(parts, many);
      addGoals(report, one, many, stream);
    }
  }

  private static ComparisonResult run(
      BenchmarkReport report,
      ReportTable table,
      Comparison contest,
      String title,
      SocketsTask task,
      int rounds)
      throws IOException, InterruptedException {
    ComparisonResult found = contest.run(title, task.toJson(), rounds);
    report.conditions(table, title, found.conditions());
    return found;
  }

  private static ReportTable latencyTable() {
    return new ReportTable(
            "latency",
            "One connection",
            "Microseconds of `redis-benchmark -c 1`, GET. The mean is the time from one request to the"
                + " next, the others are as redis-benchmark prints them.")
        .column("contender", "")
        .column("mean", "mean")
        .column("p50", "p50")
        .column("p99", "p99")
        .column("max", "longest")
        .column("ratio", "mean, rddp / this");
  }

  private static ReportTable rateTable() {
    return new ReportTable(
            "rates",
            "Fifty connections, and a stream",
            "Requests a second of `redis-benchmark -c 50`, GET; and octets that the receiver of iperf3"
                + " has had.")
        .column("task", "")
        .column("contender", "")
        .column("rate", "rate")
        .column("ratio", "rddp / this");
  }

  private static ReportTable partTable() {
    return new ReportTable(
            "parts",
            "Where the time goes",
            "Microseconds of CPU time for a request, in steps of 10 ms of a round: the client's and the"
                + " server's in user space and in the kernel, and the engine's. With one connection they"
                + " take turns: what the sum lacks, all have slept or waited for a wake-up, and what it has"
                + " beyond, one has looked for octets while another worked. Without looking"
                + " (RDDP_SOCKETS_SPIN=0), it is work alone.")
        .column("task", "")
        .column("contender", "")
        .column("mean", "a request")
        .column("client_user", "client, user")
        .column("client_system", "client, kernel")
        .column("server_user", "server, user")
        .column("server_system", "server, kernel")
        .column("engine", "engine");
  }

  private static void addRates(
      ReportTable table, ComparisonResult found, String figure, double factor, String unit) {
    found
        .all()
        .forEach((name, each) ->
            table.add(
                found.title(),
                name,
                Quantity.cell(each, figure, factor, unit),
                found.ratio(RDDP, name, figure)));
  }

  private static void addParts(ReportTable table, ComparisonResult found) {
    found
        .all()
        .forEach((name, each) ->
            table.add(
                found.title(),
                name,
                each.cells(
                    MICROSECONDS,
                    "mean",
                    "client_user",
                    "client_system",
                    "server_user",
                    "server_system",
                    "engine")));
  }

  private static void addGoals(
      BenchmarkReport report,
      ComparisonResult one,
      ComparisonResult many,
      ComparisonResult stream) {
    report.add(
        Goal.atMost(
                0.5,
                "sockets_latency",
                "redis-benchmark -c 1 over rddp sockets, mean, over kernel TCP's",
                one.ratio(RDDP, APART, "mean"))
            .measuredIn(one, RDDP, APART));
    report.add(
        Goal.atLeast(
                1,
                "sockets_rate",
                "redis-benchmark -c 50 over rddp sockets, requests a second, beside kernel TCP",
                many.ratio(RDDP, APART, "rate"))
            .measuredIn(many, RDDP, APART));
    report.add(
        Goal.atLeast(
                1,
                "sockets_stream",
                "iperf3 over rddp sockets, beside kernel TCP",
                stream.ratio(RDDP, APART, "gbps"))
            .measuredIn(stream, RDDP, APART));
  }

  /** How it is measured, for the report. */
  private static final String METHOD =
      """
      Unmodified programs in processes of their own, both ends on this machine; a round starts the server, and the client that
      measures. rddp: one daemon whose two interfaces are joined by net_ring, MTU 1500, CRC on, `idle = "interrupt"`, its engine
      on one CPU; the scheduler places the programs. Kernel TCP goes over veth between two network namespaces: with a CPU for the
      server and one for the client, as on two hosts, which is what the goals compare with; or wherever the scheduler puts them.
      Or it goes over the loopback, where two programs that take turns share a CPU and no interrupt is raised: that is what a
      machine offers to programs that never leave it, and says nothing about two hosts.\
      """;
}
