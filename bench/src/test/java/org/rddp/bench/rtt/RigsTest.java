package org.rddp.bench.rtt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.rig.ProgramPair.Verb;

/**
 * Every contender does a few round trips, and checks what comes back. Those for which this machine
 * lacks rights or devices report it.
 */
class RigsTest {
  private static final int COUNT = 40;

  /** No time: one round of each, and almost no warm-up. */
  private final Progress progress = new Progress(System.err, Budget.of(Duration.ZERO));

  @Test
  void shouldMakeRoundTrips() throws Exception {
    try (Comparison contest = new Comparison(entrants(), progress)) {
      Map<String, ContenderResult> small = run(contest, Verb.WRITE, 64);
      small.forEach(RigsTest::hasRunOrSaysWhy);
      Map<String, ContenderResult> large = run(contest, Verb.WRITE, 16_384);
      large.forEach((name, outcome) -> {
        if (outcome.samples().isEmpty() && !small.get(name).samples().isEmpty()) {
          assertThat(outcome.reason()).as(name).isEqualTo("longer than a frame");
        }
      });
      for (Verb verb : List.of(Verb.SEND, Verb.READ)) {
        run(contest, verb, 1024)
            .forEach((name, outcome) -> {
              if (name.startsWith("rddp")) {
                hasRunOrSaysWhy(name, outcome);
              }
            });
      }
    }
  }

  @Test
  void shouldMakeRoundTripsOfBlockingCalls() throws Exception {
    List<Contender> waiting = withoutTrials(WaitingBenchmark.contenders());
    try (Comparison contest = new Comparison(waiting, progress)) {
      RttTask task = RttTask.closed(Verb.WRITE, 64, 0, COUNT);
      contest
          .run("blocking calls", Json.from(task), 1)
          .all()
          .forEach((name, outcome) -> {
            hasRunOrSaysWhy(name, outcome);
            // 0 for less than a clock tick of 10 ms.
            outcome.figure("cpu_ns").ifPresent(cpu -> assertThat(cpu.median()).isNotNegative());
          });
    }
  }

  @Test
  void shouldMakeRoundTripsOfChannels() throws Exception {
    try (Comparison contest = new Comparison(withoutTrials(NioBenchmark.contenders()), progress)) {
      for (int connections : new int[] {1, 8}) {
        JsonObject task = NioBenchmark.roundTrips(64, connections, COUNT, 2_000);
        List<String> some =
            connections == 1
                ? NioBenchmark.contenders().stream().map(Contender::name).toList()
                : NioBenchmark.nettys();
        run(contest, task, some).forEach(RigsTest::hasRunOrSaysWhy);
      }
      run(contest, NioBenchmark.stream(20), NioBenchmark.nettys())
          .forEach((name, outcome) -> {
            if (hasRun(name, outcome)) {
              assertThat(outcome.figure("gbps").orElseThrow().median()).as(name).isPositive();
            }
          });
    }
  }

  private static List<Contender> entrants() {
    return withoutTrials(RttCommand.entrants());
  }

  /** Without the trial of CRCs, and without the second compiler, which pays only after seconds. */
  private static List<Contender> withoutTrials(List<Contender> all) {
    return all.stream()
        .map(each -> each.withFlags("-Drddp.crc32c=jdk", "-XX:TieredStopAtLevel=1"))
        .toList();
  }

  private static Map<String, ContenderResult> run(Comparison contest, Verb verb, int octets)
      throws Exception {
    RttTask task = RttTask.closed(verb, octets, 3, COUNT);
    ComparisonResult found = contest.run(verb + " of " + octets, Json.from(task), 1);
    return found.all();
  }

  private static Map<String, ContenderResult> run(
      Comparison contest, JsonObject task, List<String> some) throws Exception {
    return contest.run(task.toString(), task, 1, some).all();
  }

  /** Whether it has run; otherwise it says why. */
  private static boolean hasRun(String name, ContenderResult outcome) {
    boolean has = !outcome.samples().isEmpty();
    if (!has) {
      assertThat(outcome.reason())
          .as(name)
          .matches("needs (root|huge pages|DPDK|epoll|io_uring).*|native/build.*");
    }
    return has;
  }

  private static void hasRunOrSaysWhy(String name, ContenderResult outcome) {
    if (hasRun(name, outcome)) {
      assertThat(outcome.nanoseconds().orElseThrow().getTotalCount()).as(name).isEqualTo(COUNT);
    }
  }
}
