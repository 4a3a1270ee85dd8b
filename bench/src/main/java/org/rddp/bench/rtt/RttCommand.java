package org.rddp.bench.rtt;

import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.rig.ProgramPair.Verb;
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

  /** Contenders of the goals. */
  private static final List<String> FEW = List.of(RDDP, FLOOR, FRAMES, FRAMES_C, TCP, AERON_IPC);

  /** A round of the warm-up: its limit in ms, and its round trips. */
  private static final int WARM_UP = 100;

  private static final int WARM_UP_COUNT = 20_000;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Contenders, by what their names begin with, beside 'rddp'. Default: all.")
  private List<String> only = List.of();

  static List<Contender> entrants() {
    return List.of(
        Contender.of(RDDP, RddpRig.class),
        Contender.of(TWO_DAEMONS, TwoDaemonsRig.class),
        Contender.of(FLOOR, FloorRig.class),
        Contender.of(RINGS, FloorRig.class).with("rings_alone", "yes"),
        Contender.of(FRAMES, FramesRig.class),
        Contender.of(FRAMES_C, FramesRig.class).with("c", "yes"),
        Contender.of(TCP, SocketRig.class),
        Contender.of(TCP_PLAIN, SocketRig.class).with("plain", "yes"),
        Contender.of(TCP_BLOCKING, SocketRig.class).with("blocking", "yes"),
        Contender.of(NETTY, NettyRig.class).with("transport", "epoll"),
        Contender.of(AERON_UDP, AeronRig.class).with("udp", "yes"),
        Contender.of(AERON_IPC, AeronRig.class));
  }

  @Override
  protected Duration defaultBudget() {
    return Duration.ofMinutes(8);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) throws Exception {
    checkNames();
    report.method(METHOD);
    report.method(Comparison.WARM_UP_DESCRIPTION);
    if (quick()) {
      report.method(
          "Shortened: without two daemons, blocking sockets, offloads off, Netty and Aeron over"
              + " UDP; rddp takes the JDK's CRC32c and does not look whether vectors are quicker.");
    }
    String[] flags = quick() ? new String[] {"-Drddp.crc32c=jdk"} : new String[0];
    List<Contender> entrants =
        entrants().stream().filter(this::wanted).map(each -> each.withFlags(flags)).toList();
    try (Comparison contest = new Comparison(entrants, progress)) {
      contest.warmUp(
          Json.from(
              RttTask.closed(Verb.WRITE, SmallMessages.OCTETS, 0, WARM_UP_COUNT).within(WARM_UP)));
      SmallMessages small = new SmallMessages(report, quick());
      RoundTripsByLength byLength = new RoundTripsByLength(report, quick());
      RoundTripsAtFixedRates rates = new RoundTripsAtFixedRates(report, quick());
      progress.budget().expect(SmallMessages.WEIGHT + byLength.steps() + rates.steps());
      ComparisonResult found = small.measure(contest);
      RttGoals.add(report, found);
      byLength.measure(contest);
      rates.measure(contest);
    }
  }

  private void checkNames() {
    List<String> names = entrants().stream().map(Contender::name).toList();
    for (String asked : only) {
      if (names.stream().noneMatch(name -> name.startsWith(asked))) {
        throw usageError(
            "--only: no contender is called '" + asked + "': " + String.join("; ", names));
      }
    }
  }

  private boolean wanted(Contender entrant) {
    return only.isEmpty()
        ? !quick() || FEW.contains(entrant.name())
        : entrant.name().equals(RDDP) || only.stream().anyMatch(entrant.name()::startsWith);
  }

  /** How round trips are measured, for the report. */
  private static final String METHOD =
      """
      A message goes to another program and back; both ends of every message are checked. Closed-loop: each round trip begins
      when the one before has ended. Two CPUs: the thread that measures has one, the other end (or the engine) the other. rddp:
      one daemon whose two interfaces are joined by net_ring, which copies short frames; both stacks on one engine thread, both programs on
      one thread; MTU 1500, CRC on. Two daemons: three processes (net_vhost and net_virtio_user; engines idle as by default,
      the programs' thread yields), three busy threads on two CPUs that take turns. The floor is rddp's layout without its protocol: the same
      threads, rings and device. Raw frames: a thread for each end of the same device. Kernel TCP, Netty and Aeron's UDP: two
      network namespaces, joined by veth; TCP_NODELAY; offloads off means checksums, TSO, GSO and GRO. Aeron's drivers work on
      the ends' own threads (UDP), or sleep beside (IPC).\
      """;
}
