package org.rddp.bench.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;

@Timeout(180)
class SocketsRigTest {
  private static final String PRINTED =
      """
      WARNING: Could not fetch server CONFIG
      "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
      "GET","100000.00","0.009","0.004","0.007","0.015","0.023","0.231"
      """;

  private static final Map<String, String> FIGURES =
      Map.of("redis", "rate", "iperf3", "gbps", "ping", "p50");

  @Test
  void shouldReadTheFiguresOfRedisBenchmark() throws IOException {
    assertThat(new RedisProgram().sample(PRINTED).figures())
        .containsEntry("mean", 10_000.0)
        .containsEntry("rate", 100_000.0)
        .containsEntry("p50", 3_500.0)
        .containsEntry("p99", 19_500.0)
        .containsEntry("max", 231_000.0);
  }

  @Test
  void shouldReadWhatTheReceiverOfIperfHasHad() throws IOException {
    String printed =
        "{\"end\":{\"sum_sent\":{\"bits_per_second\":3e9},\"sum_received\":{\"bits_per_second\":2e9}}}";
    assertThat(new IperfProgram().sample(printed).figures()).containsEntry("gbps", 2.0);
  }

  @Test
  void shouldReadTheFiguresOfPgbench() throws IOException {
    String printed =
        """
        latency average = 0.250 ms
        initial connection time = 3.120 ms
        tps = 4000.5 (without initial connection time)
        """;
    assertThat(new PgbenchProgram().sample(printed).figures())
        .containsEntry("rate", 4000.5)
        .containsEntry("mean", 250_000.0);
  }

  @Test
  void shouldReadTheFiguresOfWrkUnlessItHasHadErrors() throws IOException {
    String printed = "Requests/sec:  41000.25\nTransfer/sec:      9.70MB\n";
    assertThat(new WrkProgram().sample(printed).figures()).containsEntry("rate", 41_000.25);
    assertThatThrownBy(
            () -> new WrkProgram().sample("  Socket errors: connect 0, read 3\n" + printed))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("read 3");
  }

  @Test
  void shouldReadTheFiguresOfALoop() throws IOException {
    assertThat(new LoopProgram("ping").sample("mean 10.5\np50 9.0\n").figures())
        .containsEntry("mean", 10.5)
        .containsEntry("p50", 9.0);
  }

  @Test
  void shouldShowWhatProgramsHavePrintedInsteadOfFigures() {
    assertThatThrownBy(() -> new RedisProgram().sample("Could not connect to Redis"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Could not connect to Redis");
    assertThatThrownBy(() -> new IperfProgram().sample("{\"error\":\"unable to connect\"}"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unable to connect");
    assertThatThrownBy(() -> new IperfProgram().sample("refused"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refused");
  }

  @Test
  void shouldMeasureBothWaysOrSayWhatTheyNeed() throws Exception {
    List<Contender> contenders =
        List.of(
            Contender.of("kernel", SocketsRig.class).with("way", "loopback"),
            Contender.of("rddp", SocketsRig.class)
                .with("way", "rddp")
                .withFlags("-Drddp.without-vectors=true"));
    Progress silent =
        new Progress(
            new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));
    try (Comparison contest = new Comparison(contenders, silent)) {
      for (SocketsTask task :
          List.of(SocketsTask.redis(2, 100), SocketsTask.iperf(1), SocketsTask.loop("ping", 100))) {
        for (ContenderResult each : contest.run("test", Json.from(task), 1).all().values()) {
          assertThat(each.samples().isEmpty() && each.reason().startsWith("failed"))
              .as(each.reason())
              .isFalse();
          assumeTrue(!each.samples().isEmpty(), each.reason());
          assertThat(each.figure(FIGURES.get(task.program())).orElseThrow().median()).isPositive();
        }
      }
    }
  }
}
