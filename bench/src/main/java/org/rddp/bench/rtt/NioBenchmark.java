package org.rddp.bench.rtt;

import static org.rddp.bench.rtt.SmallMessages.MICROSECONDS;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench nio}. */
@Command(
    name = "nio",
    description =
        "Netty and blocking channels over rddp, beside kernel TCP: round trips on one and on 64"
            + " connections, and a stream.")
public final class NioBenchmark extends NamedBenchmark {
  private static final String NETTY = "rddp, Netty";
  private static final String SLEEPING = "rddp, Netty that never polls";
  private static final String EPOLL = "kernel TCP, Netty's epoll";
  private static final String BUSY_EPOLL = "kernel TCP, Netty's epoll that only polls";
  private static final String IO_URING = "kernel TCP, Netty's io_uring";
  private static final String NIO = "kernel TCP, Netty's NIO";
  private static final List<String> NETTYS =
      List.of(NETTY, SLEEPING, EPOLL, BUSY_EPOLL, IO_URING, NIO);
  private static final String RDDP = "rddp";
  private static final String TRANSPORT = "transport";
  private static final String RATE = "rate";
  private static final String GBPS = "gbps";

  /** Octets of the messages of round trips and of the stream. */
  private static final int[] SHORT = {SmallMessages.OCTETS, 1024};

  private static final int LONG = 65_536;
  private static final int MANY = 64;

  static List<Contender> contenders() {
    return List.of(
        Contender.of(NETTY, NettyRig.class).with(RDDP, "polling"),
        Contender.of(SLEEPING, NettyRig.class).with(RDDP, "sleeping"),
        Contender.of(EPOLL, NettyRig.class).with(TRANSPORT, "epoll"),
        Contender.of(BUSY_EPOLL, NettyRig.class).with(TRANSPORT, "busy-epoll"),
        Contender.of(IO_URING, NettyRig.class).with(TRANSPORT, "io_uring"),
        Contender.of(NIO, NettyRig.class).with(TRANSPORT, "nio"),
        Contender.of("rddp, blocking channels", SocketRig.class)
            .with("blocking", "yes")
            .with(RDDP, "yes"),
        Contender.of("kernel TCP, blocking channels", SocketRig.class).with("blocking", "yes"));
  }

  /** A round of round trips on some connections. */
  static JsonObject roundTrips(int octets, int connections, int count, int millis) {
    JsonObject task = Json.from(RttTask.closed(Verb.SEND, octets, 0, count).within(millis));
    task.addProperty("connections", connections);
    return task;
  }

  /** A round of a stream. */
  static JsonObject stream(int millis) {
    return Json.of("stream", true, "octets", LONG, "millis", millis);
  }

  /** The contenders that can be an event loop's. */
  static List<String> nettys() {
    return NETTYS;
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(METHOD);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    ReportTable one = report.add(latencyTable());
    ReportTable many = report.add(rateTable());
    ReportTable stream = report.add(streamTable());
    List<Contender> contenders =
        contenders().stream().map(each -> each.withFlags("-Drddp.crc32c=jdk")).toList();
    int millis = quick() ? 100 : 400;
    try (Comparison contest = new Comparison(contenders, progress)) {
      contest.warmUp(roundTrips(SmallMessages.OCTETS, MANY, Integer.MAX_VALUE, 100));
      contest.warmUp(stream(100), NETTYS);
      progress.budget().expect(2.0 * SHORT.length + 1);
      for (int octets : SHORT) {
        ComparisonResult found =
            run(
                report,
                one,
                contest,
                octets + " octets",
                roundTrips(octets, 1, Integer.MAX_VALUE, millis),
                contenders.stream().map(Contender::name).toList());
        found
            .all()
            .forEach((name, each) ->
                one.add(
                    found.title(),
                    name,
                    each.cells(MICROSECONDS, "p50", "p99", "p999"),
                    found.ratio(NETTY, name, "p50")));
        if (octets == SmallMessages.OCTETS) {
          addLatencyGoals(report, found);
        }
      }
      for (int octets : SHORT) {
        ComparisonResult found =
            run(
                report,
                many,
                contest,
                octets + " octets on " + MANY,
                roundTrips(octets, MANY, Integer.MAX_VALUE, millis),
                NETTYS);
        addRates(many, found, RATE, 1, "/s");
        if (octets == SmallMessages.OCTETS) {
          addGoal(report, 3, found, RATE, "requests a second with " + MANY + " connections");
        }
      }
      ComparisonResult found =
          run(report, stream, contest, (LONG >> 10) + " KiB", stream(millis), NETTYS);
      addRates(stream, found, GBPS, 1e9, "b/s");
      addGoal(report, 1.2, found, GBPS, "a stream of messages of 64 KiB");
    }
  }

  private ComparisonResult run(
      BenchmarkReport report,
      ReportTable table,
      Comparison contest,
      String title,
      JsonObject task,
      List<String> some)
      throws IOException, InterruptedException {
    ComparisonResult found = contest.run(title, task, quick() ? 3 : 9, some);
    report.conditions(table, title, found.conditions());
    return found;
  }

  private static void addRates(
      ReportTable table, ComparisonResult found, String figure, double factor, String unit) {
    for (String name : NETTYS) {
      table.add(
          found.title(),
          name,
          Quantity.cell(found.of(name), figure, factor, unit),
          found.ratio(NETTY, name, figure));
    }
  }

  private static void addLatencyGoals(BenchmarkReport report, ComparisonResult found) {
    report.add(
        Goal.atMost(
                0.25,
                "nio_netty_p50",
                "64 octets through Netty, p50, over Netty's epoll: event loops that may poll",
                found.ratio(NETTY, EPOLL, "p50"))
            .measuredIn(found, NETTY, EPOLL)
            .remark(beside(found.ratio(NETTY, BUSY_EPOLL, "p50"))));
    report.add(
        Goal.atMost(
                0.8,
                "nio_netty_sleeping_p50",
                "the same: event loops that never poll",
                found.ratio(SLEEPING, EPOLL, "p50"))
            .measuredIn(found, SLEEPING, EPOLL));
  }

  private static String beside(Optional<?> ratio) {
    return ratio.map(each -> "over epoll that only polls: " + each).orElse("");
  }

  private static void addGoal(
      BenchmarkReport report, double bound, ComparisonResult found, String figure, String what) {
    report.add(
        Goal.atLeast(
                bound,
                "nio_netty_" + figure,
                what + " through Netty, beside Netty's epoll",
                found.ratio(NETTY, EPOLL, figure))
            .measuredIn(found, NETTY, EPOLL)
            .remark(beside(found.ratio(NETTY, BUSY_EPOLL, figure))));
  }

  private static ReportTable latencyTable() {
    return new ReportTable("nio", "One connection", "Microseconds of a round trip.")
        .column("task", "")
        .column("contender", "")
        .column("p50", "p50")
        .column("p99", "p99")
        .column("p999", "p99.9")
        .column("ratio", "p50, rddp, Netty / this");
  }

  private static ReportTable rateTable() {
    return new ReportTable(
            "rates",
            MANY + " connections",
            "Requests a second, a message and its answer each, one under way on each connection.")
        .column("task", "")
        .column("contender", "")
        .column(RATE, RATE)
        .column("ratio", "rddp, Netty / this");
  }

  private static ReportTable streamTable() {
    return new ReportTable(
            "stream",
            "A stream",
            "Octets of messages of 64 KiB that have come at the other end, on one connection: Netty is"
                + " given the next as long as it says that the channel is writable.")
        .column("task", "")
        .column("contender", "")
        .column(GBPS, RATE)
        .column("ratio", "rddp, Netty / this");
  }

  /** How it is measured, for the report. */
  private static final String METHOD =
      """
      Netty has one event loop at each end, which answers messages as they come; blocking channels have a thread there. Kernel TCP: two network
      namespaces joined by veth, TCP_NODELAY, and each end has a CPU. rddp: one daemon with its default configuration, whose engine has a
      CPU, while both ends share the other one; its two interfaces are
      joined by net_ring, CRCs are the JDK's, and its threads poll for 50 us before they sleep, whatever the event loops do. An event loop that may poll does so on rddp for 100 us before it sleeps, where that has
      paid lately, as by default; one that never polls is given 0 us. epoll's loop sleeps in epoll_wait at once, as by default, which
      is what the goals compare with; the one that only polls has Netty's strategy BUSY_WAIT, and never sleeps.\
      """;
}
