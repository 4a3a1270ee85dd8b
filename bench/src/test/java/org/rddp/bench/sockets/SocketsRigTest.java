package org.rddp.bench.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Progress;

@Timeout(180)
class SocketsRigTest {
  private static final String PRINTED =
      """
      WARNING: Could not fetch server CONFIG
      "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
      "GET","100000.00","0.009","0.004","0.007","0.015","0.023","0.231"
      """;

  @Test
  void shouldReadTheFiguresOfRedisBenchmark() throws IOException {
    assertThat(SocketsRig.redisSample(PRINTED).figures())
        .containsEntry("mean", 10_000.0)
        .containsEntry("rate", 100_000.0)
        .containsEntry("p50", 7_000.0)
        .containsEntry("p99", 23_000.0)
        .containsEntry("max", 231_000.0);
  }

  @Test
  void shouldReadWhatTheReceiverOfIperfHasHad() throws IOException {
    String printed =
        "{\"end\":{\"sum_sent\":{\"bits_per_second\":3e9},\"sum_received\":{\"bits_per_second\":2e9}}}";
    assertThat(SocketsRig.iperfSample(printed).figures()).containsEntry("gbps", 2.0);
  }

  @Test
  void shouldShowWhatProgramsHavePrintedInsteadOfFigures() {
    assertThatThrownBy(() -> SocketsRig.redisSample("Could not connect to Redis"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Could not connect to Redis");
    assertThatThrownBy(() -> SocketsRig.iperfSample("{\"error\":\"unable to connect\"}"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unable to connect");
    assertThatThrownBy(() -> SocketsRig.iperfSample("refused"))
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
                .withFlags("-Drddp.crc32c=jdk"));
    Progress silent =
        new Progress(
            new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));
    try (Comparison contest = new Comparison(contenders, silent)) {
      for (SocketsTask task : List.of(SocketsTask.redis(2, 100), SocketsTask.iperf(1))) {
        for (ContenderResult each : contest.run("test", task.toJson(), 1).all().values()) {
          assertThat(each.samples().isEmpty() && each.reason().startsWith("failed"))
              .as(each.reason())
              .isFalse();
          assumeTrue(!each.samples().isEmpty(), each.reason());
          assertThat(each.figure(task.isRedis() ? "rate" : "gbps").orElseThrow().median())
              .isPositive();
        }
      }
    }
  }
}
