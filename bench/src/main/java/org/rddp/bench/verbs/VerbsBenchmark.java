package org.rddp.bench.verbs;

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
import org.rddp.bench.report.ReportTable;
import org.rddp.rig.ProgramPair.Verb;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench verbs}. */
@Command(
    name = "verbs",
    description =
        "What libibverbs over rddp costs, beside the Java client and librddp; perftest's programs"
            + " beside 'rddp perf'.")
public final class VerbsBenchmark extends NamedBenchmark {
  private static final String JAVA = "Java client";
  private static final String LIBRDDP = "librddp";
  private static final String VERBS = "librddp-verbs";
  private static final String PERF = "rddp perf";
  private static final String PERFTEST = "perftest";
  private static final List<String> CLIENTS = List.of(JAVA, LIBRDDP, VERBS);

  /** Writes of a batch whose posts and completions are timed. */
  private static final int BATCH = 64;

  private static final double MICROSECONDS = 1e-3;

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(4);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    report.method(METHOD);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    progress.budget().expect(4 + (quick() ? 1 : 3));
    measureCost(report, progress);
    measureLoops(report, progress);
    measureTools(report, progress);
  }

  private static List<Contender> clients(String idle) {
    return List.of(
        Contender.of(JAVA, JavaLoopsRig.class).with("idle", idle),
        Contender.of(LIBRDDP, CLoopsRig.class).with("idle", idle),
        Contender.of(VERBS, CLoopsRig.class).with("idle", idle).with("verbs", "yes"));
  }

  private void measureCost(BenchmarkReport report, Progress progress) throws Exception {
    ReportTable table =
        report.add(
            new ReportTable(
                    "cost",
                    "A post and a completion",
                    "Nanoseconds of the program's thread for one signalled write of 8 octets, posted"
                        + " while the engine sleeps (`idle = \"interrupt\"`), and for its completion,"
                        + " once all of a batch of 64 are there.")
                .column("client", "")
                .column("post", "a post")
                .column("completion", "a completion")
                .column("sum", "both")
                .column("over_java", "both, this less the Java client"));
    try (Comparison contest = new Comparison(clients("interrupt"), progress)) {
      contest.warmUp(Json.from(LoopTask.cost(BATCH, 50)));
      ComparisonResult found =
          contest.run(
              "cost", Json.from(LoopTask.cost(BATCH, quick() ? 200 : 500)), quick() ? 5 : 11);
      report.conditions(table, "cost", found.conditions());
      for (String client : CLIENTS) {
        table.add(
            client,
            found.of(client).cells(1, "post_ns", "completion_ns", "sum_ns"),
            found
                .figure(client, "sum_ns")
                .flatMap(own -> found.figure(JAVA, "sum_ns").map(own::less)));
      }
      report.add(
          Goal.atMost(
                  30,
                  "verbs_cost",
                  "ns of a post and a completion over libibverbs, more than by the Java client",
                  found
                      .figure(VERBS, "sum_ns")
                      .flatMap(own -> found.figure(JAVA, "sum_ns").map(own::less)))
              .measuredIn(found, JAVA, VERBS));
    }
  }

  private void measureLoops(BenchmarkReport report, Progress progress) throws Exception {
    ReportTable trips =
        report.add(
            new ReportTable(
                    "trips",
                    "Round trips, both programs on one thread",
                    "Microseconds; every request is signalled. CPU time is the programs' own, which"
                        + " poll.")
                .column("task", "")
                .column("client", "")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("cpu", "CPU")
                .column("over_java", "p50, this / Java client"));
    ReportTable streams =
        report.add(
            new ReportTable("streams", "Writes one way", "MTU 1500, CRC on.")
                .column("task", "")
                .column("client", "")
                .column("gbps", "Gb/s")
                .column("cpu", "CPU a write, us")
                .column("over_java", "Gb/s, this / Java client"));
    try (Comparison contest = new Comparison(clients("spin"), progress)) {
      contest.warmUp(Json.from(LoopTask.trips(Verb.WRITE, 64, 5_000, 100)));
      for (Verb verb : quick() ? List.of(Verb.WRITE) : List.of(Verb.WRITE, Verb.SEND)) {
        String title = "64 octets, " + (verb == Verb.WRITE ? "write" : "send");
        ComparisonResult found =
            contest.run(title, Json.from(LoopTask.trips(verb, 64, 20_000, 500)), quick() ? 5 : 9);
        report.conditions(trips, title, found.conditions());
        for (String client : CLIENTS) {
          trips.add(
              title,
              client,
              found.of(client).cells(MICROSECONDS, "p50", "p99", "cpu_ns"),
              found.ratio(client, JAVA, "p50"));
        }
      }
      String title = "64 KiB, 16 outstanding";
      ComparisonResult found =
          contest.run(title, Json.from(LoopTask.stream(65_536, 16, 300)), quick() ? 3 : 9);
      report.conditions(streams, title, found.conditions());
      for (String client : CLIENTS) {
        streams.add(
            title,
            client,
            found.of(client).cell("gbps", 1),
            found.of(client).cell("cpu_ns", MICROSECONDS),
            found.ratio(client, JAVA, "gbps"));
      }
    }
  }

  private void measureTools(BenchmarkReport report, Progress progress) throws Exception {
    ReportTable table =
        report.add(
            new ReportTable(
                    "tools",
                    "Unmodified programs",
                    "perftest's programs, and `rddp echo` with `rddp perf`, which is the Java client's:"
                        + " two processes and a daemon with `idle = \"interrupt\"`. Latencies are half"
                        + " round trips, in microseconds. On two cores three threads that poll take"
                        + " turns.")
                .column("task", "")
                .column("program", "")
                .column("found", "p50, or Gb/s")
                .column("p99", "p99")
                .column("engine", "engine's CPU, %")
                .column("over_java", "this / rddp perf"));
    List<Contender> contenders =
        List.of(
            Contender.of(PERF, ToolRig.class).with("idle", "interrupt").with("java", "yes"),
            Contender.of(PERFTEST, ToolRig.class).with("idle", "interrupt"));
    try (Comparison contest = new Comparison(contenders, progress)) {
      for (ToolTask task : quick() ? TOOLS.subList(0, 1) : TOOLS) {
        String title = "%s %s, %d octets".formatted(task.test(), task.operation(), task.octets());
        ComparisonResult found = contest.run(title, Json.from(task), quick() ? 1 : 3);
        report.conditions(table, title, found.conditions());
        String figure = task.isLatency() ? "p50" : "gbps";
        for (String program : List.of(PERF, PERFTEST)) {
          table.add(
              title,
              program,
              found.of(program).cell(figure, task.isLatency() ? MICROSECONDS : 1),
              found.figure(program, "p99").map(each -> each.times(MICROSECONDS)),
              found.of(program).cell("engine_cpu", 100),
              found.ratio(program, PERF, figure));
        }
      }
    }
  }

  private static final List<ToolTask> TOOLS =
      List.of(
          new ToolTask("lat", "write", 64, 2_000),
          new ToolTask("lat", "send", 64, 2_000),
          new ToolTask("bw", "write", 65_536, 5_000));

  /** How it is measured, for the report. */
  private static final String METHOD =
      """
      One daemon whose two interfaces are joined by net_ring, MTU 1500, CRC on; the engine has one CPU. First, the same loops
      by the Java client, by librddp in C, and by C over libibverbs and librdmacm with librddp-verbs preloaded: both programs
      on one thread, which has the other CPU. Then unmodified programs, each in a process of its own on any CPU. siw and rxe
      need kernel modules: where the machine has none, a virtual machine would be what is measured, so they are not here.\
      """;
}
