package org.rddp.bench.rtt;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.bench.NamedBenchmark;
import org.rddp.bench.method.Contest;
import org.rddp.bench.method.Entrant;
import org.rddp.bench.method.Outcomes;
import org.rddp.bench.method.Progress;
import org.rddp.bench.method.Series;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.Plot;
import org.rddp.bench.report.Report;
import org.rddp.bench.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/rddp bench rtt}. */
@Command(
    name = "rtt",
    description = "Round trips of writes, sends and reads, beside kernel TCP, Netty and Aeron.")
public final class RttCommand extends NamedBenchmark {
  static final String RDDP = "rddp";
  static final String TWO_DAEMONS = "rddp, two daemons";
  static final String TCP = "kernel TCP, busy-polling";
  static final String TCP_PLAIN = "kernel TCP, busy-polling, offloads off";
  static final String TCP_BLOCKING = "kernel TCP, blocking";
  static final String NETTY = "Netty, epoll";
  static final String AERON_UDP = "Aeron, UDP";
  static final String AERON_IPC = "Aeron, IPC";
  static final String FLOOR = "floor: rings and frames";
  static final String RINGS = "rings alone";
  static final String FRAMES = "raw frames, Java";
  static final String FRAMES_C = "raw frames, C";

  /** The message that the goals are about. */
  private static final int OCTETS = 64;

  private static final int[] SIZES = {8, 64, 256, 1024, 4096, 16_384, 65_536};
  private static final int[] QUICK_SIZES = {8, 1024, 65_536};
  private static final int[] RATES = {10_000, 50_000, 100_000};
  private static final int[] QUICK_RATES = {20_000};

  /** What a round may take on a busy machine, in ns. */
  private static final long QUICK_ROUND = 250_000_000;

  private static final long ROUND = 2_000_000_000;
  private static final long QUICK_WARM_UP = 1_500_000_000;
  private static final long WARM_UP = 10_000_000_000L;

  private static final double MICROSECONDS = 1e-3;

  private static final double NEAR = 100;

  private static final List<String> VERBS = List.of(RDDP, TWO_DAEMONS);

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Contenders, by what their names begin with, beside 'rddp'. Default: all.")
  private List<String> only = List.of();

  /** For picocli. */
  public RttCommand() {}

  /**
   * All contenders.
   *
   * @param quick whether rddp goes without looking for the quickest CRC, which takes some seconds
   */
  static List<Entrant> entrants(boolean quick) {
    String[] flags = quick ? new String[] {"-Drddp.crc32c=jdk"} : new String[0];
    return List.of(
        Entrant.of(RDDP, RddpRig.class).withFlags(flags),
        Entrant.of(TWO_DAEMONS, TwoDaemonsRig.class).withFlags(flags),
        Entrant.of(FLOOR, FloorRig.class),
        Entrant.of(RINGS, FloorRig.class).with("rings_alone", "yes"),
        Entrant.of(FRAMES, FramesRig.class),
        Entrant.of(FRAMES_C, FramesRig.class).with("c", "yes"),
        Entrant.of(TCP, SocketRig.class),
        Entrant.of(TCP_PLAIN, SocketRig.class).with("plain", "yes"),
        Entrant.of(TCP_BLOCKING, SocketRig.class).with("blocking", "yes"),
        Entrant.of(NETTY, NettyRig.class),
        Entrant.of(AERON_UDP, AeronRig.class).with("udp", "yes"),
        Entrant.of(AERON_IPC, AeronRig.class));
  }

  @Override
  protected void measure(Report report, Progress progress) throws Exception {
    report.method(METHOD);
    List<Entrant> entrants = entrants(quick()).stream().filter(this::wanted).toList();
    try (Contest contest = new Contest(entrants, progress)) {
      contest.warmUp(
          RttTask.closed(RttTask.Verb.WRITE, OCTETS, quick() ? 20_000 : 200_000, 1)
              .within(quick() ? QUICK_WARM_UP : WARM_UP)
              .toJson());
      Outcomes small = small(report, contest);
      goals(report, small);
      sizes(report, contest);
      rates(report, contest);
    }
  }

  private boolean wanted(Entrant entrant) {
    return only.isEmpty()
        || entrant.name().equals(RDDP)
        || only.stream().anyMatch(entrant.name()::startsWith);
  }

  /** How it is done, for the report. */
  private static final String METHOD =
      """
      A message goes to another program and back; both ends of every message are checked. Closed-loop: each round trip begins
      when the one before has ended. Two CPUs: the thread that measures has one, the other end (or the engine) the other. rddp:
      one daemon whose two interfaces are joined by net_ring, which copies; both stacks on one engine thread, both programs on
      one thread; MTU 1500, CRC on. Two daemons: three processes (net_vhost and net_virtio_user; engines back off, the programs'
      thread yields), three busy threads on two CPUs that take turns. The floor is rddp's layout without its protocol: the same
      threads, rings and device. Raw frames: a thread for each end of the same device. Kernel TCP, Netty and Aeron's UDP: two
      network namespaces, joined by veth; TCP_NODELAY; offloads off means checksums, TSO, GSO and GRO. Aeron's drivers work on
      the ends' own threads (UDP), or sleep beside (IPC).\
      """;

  private long most() {
    return quick() ? QUICK_ROUND : ROUND;
  }

  // ---- 64 octets ----

  private Outcomes small(Report report, Contest contest) throws Exception {
    int count = quick() ? 5_000 : 50_000;
    RttTask task = RttTask.closed(RttTask.Verb.WRITE, OCTETS, count / 5, count).within(most());
    Outcomes found = contest.run("64 octets", task.toJson(), quick() ? 5 : 15);
    report.conditions(found.title(), found.conditions());
    Table table =
        report.add(
            new Table(
                    "small",
                    "64 octets to and fro",
                    "Microseconds, medians of "
                        + (quick() ? 5 : 15)
                        + " rounds of "
                        + count
                        + " round trips, with quartiles; each round begins with "
                        + count / 5
                        + " that are not counted. rddp writes. The last columns are the contender's"
                        + " p50 and p99 over rddp's of the same round.")
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("ratio_p50", "p50 / rddp")
                .column("ratio_p99", "p99 / rddp"));
    Plot plot =
        report.add(Plot.ofPercentiles("small", "64 octets to and fro, all rounds together"));
    found
        .all()
        .forEach((name, outcome) -> {
          table.add(
              name,
              outcome.cell("p50", MICROSECONDS),
              outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
              outcome.figure("p999").map(each -> each.times(MICROSECONDS)),
              found.ratio(name, RDDP, "p50"),
              found.ratio(name, RDDP, "p99"));
          outcome
              .nanoseconds()
              .ifPresent(times -> {
                plot.percentiles(name, times);
                report.raw(name, times);
              });
        });
    return found;
  }

  private static void goals(Report report, Outcomes found) {
    boolean near = found.conditions().coreToCore() <= NEAR;
    String distance = near ? "cores are near" : "cores are far";
    report.add(
        Goal.atMost(
                near ? 1 / 7.0 : 1 / 4.0,
                "write_p50_tcp",
                "64-octet write, p50, over kernel TCP busy-polling",
                found.ratio(RDDP, TCP, "p50"))
            .remark(distance));
    report.add(Goal.atMost(0.25, "write_p99_tcp", "the same, p99", found.ratio(RDDP, TCP, "p99")));
    report.add(
        Goal.atMost(1 / 3.0, "write_p999_tcp", "the same, p99.9", found.ratio(RDDP, TCP, "p999")));
    report.add(
        Goal.atMost(
                2,
                "write_p50_floor",
                "64-octet write, p50, over its layout's floor",
                found.ratio(RDDP, FLOOR, "p50"))
            .remark("the same rings, threads and device, no protocol"));
    report.add(
        Goal.atMost(
                1,
                "write_p50_aeron",
                "64-octet write, p50, over Aeron IPC plus raw frames",
                overSum(found, RDDP, AERON_IPC, FRAMES))
            .remark("both cross the cores four times"));
  }

  /** One entrant's p50 over the sum of two others', round by round. */
  static Optional<Series> overSum(Outcomes found, String over, String one, String other) {
    Optional<Series> above = found.figure(over, "p50");
    Optional<Series> first = found.figure(one, "p50");
    Optional<Series> second = found.figure(other, "p50");
    return above.isPresent() && first.isPresent() && second.isPresent()
        ? Optional.of(above.get().over(first.get().plus(second.get())))
        : Optional.empty();
  }

  // ---- By length ----

  private void sizes(Report report, Contest contest) throws Exception {
    Table table =
        report.add(
            new Table(
                    "sizes",
                    "By length",
                    "Median of the rounds' p50, microseconds; over kernel TCP: its p50 over the"
                        + " contender's.")
                .column("verb", "")
                .column("octets", "octets")
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("tcp_ratio", "kernel TCP / this"));
    Plot plot = report.add(new Plot("sizes", "p50 by length", "octets", "microseconds"));
    Lines lines = new Lines();
    for (RttTask.Verb verb : RttTask.Verb.values()) {
      for (int octets : quick() ? QUICK_SIZES : SIZES) {
        sizes(report, contest, table, lines, verb, octets);
      }
    }
    lines.into(plot.logarithmic());
  }

  private void sizes(
      Report report, Contest contest, Table table, Lines lines, RttTask.Verb verb, int octets)
      throws Exception {
    int count = Math.max(100, (quick() ? 1_000 : 10_000) / (1 + octets / 8192));
    RttTask task = RttTask.closed(verb, octets, count / 4, count).within(most());
    String title = verb.name().toLowerCase(java.util.Locale.ROOT) + ", " + octets + " octets";
    // Peers know no verbs: their messages stand beside the writes.
    List<String> some = new ArrayList<>(VERBS);
    if (verb == RttTask.Verb.WRITE) {
      some.addAll(
          List.of(FLOOR, FRAMES, TCP, TCP_PLAIN, TCP_BLOCKING, NETTY, AERON_UDP, AERON_IPC));
    } else {
      some.add(TCP);
    }
    Outcomes found = contest.run(title, task.toJson(), quick() ? 2 : 7, some);
    if (verb == RttTask.Verb.WRITE) {
      report.conditions(title, found.conditions());
    }
    found
        .all()
        .forEach((name, outcome) -> {
          if (outcome.figure("p50").isPresent() || verb == RttTask.Verb.WRITE) {
            table.add(
                verb.name().toLowerCase(java.util.Locale.ROOT),
                octets,
                name,
                outcome.cell("p50", MICROSECONDS),
                outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
                found.ratio(TCP, name, "p50"));
          }
          outcome
              .figure("p50")
              .ifPresent(series ->
                  lines.add(
                      VERBS.contains(name)
                          ? name + ", " + verb.name().toLowerCase(java.util.Locale.ROOT)
                          : name,
                      octets,
                      series.times(MICROSECONDS).median()));
        });
  }

  // ---- At a fixed rate ----

  private void rates(Report report, Contest contest) throws Exception {
    Table table =
        report.add(
            new Table(
                    "open_loop",
                    "At a fixed rate",
                    "64 octets, open-loop: round trips have times at which they are to begin, and"
                        + " count from then, so that a stall is seen by all that it delays."
                        + " Microseconds.")
                .column("rate", "a second")
                .column("contender", "contender")
                .column("p50", "p50")
                .column("p99", "p99")
                .column("p999", "p99.9")
                .column("max", "max"));
    for (int rate : quick() ? QUICK_RATES : RATES) {
      int count = rate / (quick() ? 5 : 2);
      RttTask task =
          RttTask.closed(RttTask.Verb.WRITE, OCTETS, count / 5, count).within(most()).atRate(rate);
      Outcomes found =
          contest.run(
              rate + " a second", task.toJson(), quick() ? 2 : 5, List.of(RDDP, TCP, AERON_UDP));
      report.conditions(found.title(), found.conditions());
      Plot plot =
          report.add(
              Plot.ofPercentiles("rate-" + rate, "64 octets, " + rate + " a second, open-loop"));
      found
          .all()
          .forEach((name, outcome) -> {
            table.add(
                rate,
                name,
                outcome.cell("p50", MICROSECONDS),
                outcome.figure("p99").map(each -> each.times(MICROSECONDS)),
                outcome.figure("p999").map(each -> each.times(MICROSECONDS)),
                outcome.figure("max").map(each -> each.times(MICROSECONDS)));
            outcome
                .nanoseconds()
                .ifPresent(times -> {
                  plot.percentiles(name, times);
                  report.raw("rate-" + rate + "-" + name, times);
                });
          });
    }
  }
}
