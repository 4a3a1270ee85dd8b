package org.rddp.bench.sockets;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
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
        "redis-benchmark, pgbench, wrk and iperf3 over 'rddp sockets', beside kernel TCP: latency,"
            + " rates, memory, and where the time goes.")
public final class SocketsBenchmark extends NamedBenchmark {
  private static final String RDDP = "rddp";
  private static final String SLEEPING = "rddp, RDDP_SOCKETS_SPIN=0";
  private static final String APART = "kernel TCP, a CPU each";
  private static final String ANYWHERE = "kernel TCP, any CPU";
  private static final String LOOPBACK = "kernel TCP, loopback";
  private static final double MICROSECONDS = 1e-3;
  private static final int MANY = 50;
  private static final int FEW = 8;

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
    return Duration.ofMinutes(9);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(METHOD);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    ReportTable latency = report.add(latencyTable());
    ReportTable rates = report.add(rateTable());
    ReportTable loops = report.add(loopTable());
    ReportTable parts = report.add(partTable());
    progress.budget().expect(9);
    try (Comparison contest = new Comparison(contenders(), progress)) {
      contest.warmUp(Json.from(SocketsTask.redis(1, 10_000)));
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
      int seconds = quick() ? 1 : 2;
      ComparisonResult web =
          run(report, rates, contest, "wrk -c " + FEW, SocketsTask.wrk(FEW, seconds), rounds);
      addRates(rates, web, "rate", 1, "/s");
      ComparisonResult octet =
          run(report, loops, contest, "one octet", SocketsTask.loop("ping", 20_000), rounds);
      addRates(loops, octet, "p50", 1e-9, "s");
      ComparisonResult opened =
          run(report, loops, contest, "connections", SocketsTask.loop("connect", 2_000), rounds);
      addRates(loops, opened, "rate", 1, "/s");
      ComparisonResult wait =
          run(report, loops, contest, "epoll_wait", SocketsTask.loop("wait", 20_000), rounds);
      addRates(loops, wait, "wait", 1e-9, "s");
      ComparisonResult memory =
          run(report, loops, contest, "memory", SocketsTask.loop("memory", 1000), rounds);
      addRates(loops, memory, "octets", 1, "B");
      // Last: a contender that cannot run it, without PostgreSQL, runs nothing after it.
      ComparisonResult database = null;
      for (int connections : new int[] {1, FEW}) {
        database =
            run(
                report,
                rates,
                contest,
                "pgbench -S -c " + connections,
                SocketsTask.pgbench(connections, seconds),
                rounds);
        addRates(rates, database, "rate", 1, "/s");
      }
      addParts(parts, one);
      addParts(parts, many);
      addGoals(report, one, many, stream, database);
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
    ComparisonResult found = contest.run(title, Json.from(task), rounds);
    report.conditions(table, title, found.conditions());
    return found;
  }

  private static ReportTable latencyTable() {
    return new ReportTable(
            "latency",
            "One connection",
            "Microseconds of `redis-benchmark -c 1`, GET. The mean is the time from one request to the"
                + " next. redis-benchmark counts in steps of 8 us, whose middle stands here for p50 and p99;"
                + " the longest is as it prints it.")
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
            "Requests a second, and a stream",
            "Requests a second of `redis-benchmark -c 50`, GET; transactions a second of `pgbench -S`,"
                + " on PostgreSQL; requests a second of wrk on nginx with one worker; and bits a second"
                + " that the receiver of iperf3 has had.")
        .column("task", "")
        .column("contender", "")
        .column("rate", "rate")
        .column("ratio", "rddp / this");
  }

  private static ReportTable loopTable() {
    return new ReportTable(
            "loops",
            "One octet, connections, a wait, memory",
            "p50 of one octet there and back; connections a second that carry such an octet, one after"
                + " the other; what `epoll_wait` takes over eight connections and eight"
                + " pipes, one of which is ready; and how much more memory is in use, of programs, shared,"
                + " and of the kernel's objects, for each of 1,000 connections, with both ends and the"
                + " daemon.")
        .column("task", "")
        .column("contender", "")
        .column("figure", "figure")
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
      ComparisonResult stream,
      ComparisonResult database) {
    report.add(
        Goal.atMost(
                0.2,
                "sockets_latency",
                "redis-benchmark -c 1 over rddp sockets, p50, over kernel TCP's",
                one.ratio(RDDP, APART, "p50"))
            .measuredIn(one, RDDP, APART));
    report.add(
        Goal.atLeast(
                2.5,
                "sockets_rate",
                "redis-benchmark -c 50 over rddp sockets, requests a second, beside kernel TCP",
                many.ratio(RDDP, APART, "rate"))
            .measuredIn(many, RDDP, APART));
    report.add(
        Goal.atLeast(
                1.2,
                "sockets_stream",
                "iperf3 over rddp sockets, beside kernel TCP",
                stream.ratio(RDDP, APART, "gbps"))
            .measuredIn(stream, RDDP, APART));
    report.add(
        Goal.atLeast(
                1.3,
                "sockets_database",
                "pgbench -S -c " + FEW + " over rddp sockets, beside kernel TCP",
                database.ratio(RDDP, APART, "rate"))
            .measuredIn(database, RDDP, APART));
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
