package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.daemon.engine.Engine;

/** Metrics and health of a running daemon, over HTTP. */
@Timeout(60)
class MetricsTest {
  private static final Pattern ADDRESS = Pattern.compile("metrics at (http://127.0.0.1:\\d+)/");

  private final TestDaemon daemon = new TestDaemon("[metrics]\nlisten = \"0\"");
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
    daemon.close();
  }

  @Test
  void shouldServeEveryCounterWithItsInterfaceAndADescription() throws Exception {
    try (Rddp one = daemon.connect("one")) {
      String text = get("/metrics").body();

      for (String counter : TestDaemon.counters(one).keySet()) {
        String name = counter.substring(counter.indexOf('.') + 1);
        assertThat(text).containsPattern("# HELP rddp_" + name + "(_total)? [A-Z]");
      }
      assertThat(text).contains("# TYPE rddp_requests_total counter");
      TestDaemon.await(() -> value("rddp_engine_turns_total{interface=\"two\"}") > 0, "turns");
      TestDaemon.await(() -> value("rddp_sessions") == 1, "the session");
      assertThat(value("rddp_packets{interface=\"one\"}")).isEqualTo(4096);
    }
  }

  @Test
  void shouldCountTheTimeOfEachRequestByOperation() throws Exception {
    try (ConnectedPrograms programs = new ConnectedPrograms(daemon);
        MemoryRegion source = programs.here.allocate(64, Access.LOCAL_WRITE);
        MemoryRegion sink = programs.there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
      assertThat(programs.out.postWrite(1, source, 0, 64, sink.stag(), sink.baseTo())).isTrue();
      ConnectedPrograms.completions(programs.here, 1);

      assertThat(value(count("write", "one"))).isEqualTo(1);
      assertThat(value(count("write", "two"))).isEqualTo(0);
      assertThat(value(count("read", "one"))).isEqualTo(0);
      assertThat(value("rddp_turn_seconds_count{interface=\"one\"}")).isGreaterThan(0);
    }
  }

  private static String count(String operation, String port) {
    return "rddp_request_seconds_count{interface=\"%s\",operation=\"%s\"}"
        .formatted(port, operation);
  }

  @Test
  void shouldServeEveryMetricOfTheDashboard() throws Exception {
    String dashboard = Files.readString(Path.of("../docs/grafana-dashboard.json"));
    String text = get("/metrics").body();

    List<String> named =
        Pattern.compile("\\b(rddp|process|jvm)_\\w+")
            .matcher(dashboard)
            .results()
            .map(MatchResult::group)
            // Counters of DPDK's ports; the test's devices are none.
            .filter(metric -> !metric.startsWith("rddp_port_"))
            .distinct()
            .toList();
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(named)
        .allSatisfy(metric -> assertThat(text).containsPattern("(?m)^" + metric + "[{ ]"));
  }

  @Test
  void shouldServeMetricsOfTheProcess() {
    assertThat(value("process_open_fds")).isGreaterThan(0);
  }

  @Test
  void shouldRaiseAnAlarmWhenAnEngineMakesNoTurnForASecond() throws Exception {
    Engine engine = daemon.daemon().engines().getFirst();
    CountDownLatch end = new CountDownLatch(1);
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);

    try {
      engine.execute(() -> await(end));
      TestDaemon.await(() -> value("rddp_engine_stalled{interface=\"two\"}") == 1, "the alarm");

      HttpResponse<String> health = get("/healthz");
      assertThat(health.statusCode()).isEqualTo(503);
      assertThat(health.body()).startsWith("the thread rddp-engine has made no turn for ");
      assertThat(get("/readyz").statusCode()).isEqualTo(503);
      // The log follows the metric.
      awaitLogged("CountDownLatch.await");
      assertThat(daemon.log())
          .contains("ALARM: the engine of interfaces one, two has made no turn for ")
          .contains(" s, in that of one; the calls of its thread rddp-engine");
    } finally {
      end.countDown();
    }
    TestDaemon.await(() -> value("rddp_engine_stalled{interface=\"two\"}") == 0, "the end");
    assertThat(value("rddp_engine_stalls_total{interface=\"one\"}")).isEqualTo(1);
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    awaitLogged("the engine of interfaces one, two makes turns again");
  }

  private void awaitLogged(String words) {
    TestDaemon.await(() -> daemon.log().contains(words), "the log says " + words);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldNotStartWhereThePortIsInUse() {
    String port = Integer.toString(URI.create(address()).getPort());

    assertThatThrownBy(() -> new TestDaemon("[metrics]\nlisten = \"" + port + "\""))
        .hasMessageContaining("cannot serve metrics at 127.0.0.1:" + port)
        .hasMessageContaining("'listen' under [metrics]");
  }

  @Test
  void shouldAnswerOnlyGetAndKnownPaths() throws Exception {
    assertThat(get("/metricsx").statusCode()).isEqualTo(404);
    assertThat(get("/").statusCode()).isEqualTo(404);
    HttpRequest post =
        HttpRequest.newBuilder(URI.create(address() + "/metrics"))
            .POST(BodyPublishers.ofString("x"))
            .build();
    assertThat(http.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
  }

  private String address() {
    AtomicReference<String> found = new AtomicReference<>();
    TestDaemon.await(
        () -> {
          Matcher matcher = ADDRESS.matcher(daemon.log());
          if (matcher.find()) {
            found.set(matcher.group(1));
          }
          return found.get() != null;
        },
        "the log says where the metrics are");
    return found.get();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(address() + path)).build(), BodyHandlers.ofString());
  }

  /** The value of a sample now. */
  private double value(String sample) {
    try {
      return get("/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith(sample + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
          .findFirst()
          .orElseThrow(() -> new AssertionError("there is no sample " + sample));
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
