package org.rddp.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Rddp;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp perf} with {@code rddp echo}, over a whole daemon. */
@Timeout(120)
class PerfCommandTest {
  private static final String SERVER = TestDaemon.ADDRESS_TWO + ":7471";
  private static TestDaemon daemon;
  private static Thread echo;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void serve() {
    daemon = new TestDaemon();
    String command = "echo --interface two --perf-memory 20MiB --socket " + daemon.socket();
    CommandLine line = Main.commandLine().setOut(new PrintWriter(new StringWriter()));
    echo = new Thread(() -> line.execute(command.split(" ")), "echo");
    echo.start();
    try (Rddp session = daemon.connect("one")) {
      TestDaemon.await(() -> listens(session), "the server listens");
    }
  }

  private static boolean listens(Rddp session) {
    InetSocketAddress server = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
    try (Connection _ = session.connect(server, PrivateData.NONE, Duration.ofSeconds(10))) {
      return true;
    } catch (ConnectionFailedException e) {
      return false;
    }
  }

  @AfterAll
  static void stop() throws InterruptedException {
    echo.interrupt();
    echo.join();
    daemon.close();
  }

  private int run(String arguments) {
    CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String all = "perf " + arguments + " --socket " + daemon.socket();
    return line.execute(all.split(" +"));
  }

  private JsonObject measure(String arguments) {
    assertThat(run(arguments + " --warm-up 0 --json")).as(err::toString).isZero();
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }

  private static JsonObject result(JsonObject all, int index) {
    return all.getAsJsonArray("results").get(index).getAsJsonObject();
  }

  @ParameterizedTest
  @CsvSource({
    "write, 64, half",
    "write, 1, half",
    "send, 1, half",
    "send, 5000, half",
    "read, 100, full",
    "atomic, 8, full"
  })
  void shouldMeasureLatency(String verb, int size, String roundTrip) {
    JsonObject all = measure("lat " + verb + " " + SERVER + " -n 50 -s " + size);
    assertThat(all.get("round_trip").getAsString()).isEqualTo(roundTrip);
    assertThat(all.get("loop").getAsString()).isEqualTo("closed");
    assertThat(all.get("operation").getAsString()).isEqualTo(verb);
    JsonObject result = result(all, 0);
    assertThat(result.get("size_octets").getAsInt()).isEqualTo(size);
    assertThat(result.get("iterations").getAsInt()).isEqualTo(50);
    assertThat(result.get("min_ns").getAsDouble()).isPositive();
    assertThat(result.get("p50_ns").getAsDouble())
        .isBetween(result.get("min_ns").getAsDouble(), result.get("max_ns").getAsDouble());
  }

  @Test
  void shouldMeasureFullRoundTripsOnRequest() {
    JsonObject all = measure("lat write " + SERVER + " -n 5 --full");
    assertThat(all.get("round_trip").getAsString()).isEqualTo("full");
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "send", "read", "atomic"})
  void shouldMeasureThroughput(String verb) {
    JsonObject all = measure("bw " + verb + " " + SERVER + " -n 200 -t 16");
    JsonObject result = result(all, 0);
    assertThat(result.get("iterations").getAsInt()).isEqualTo(200);
    assertThat(result.get("messages").getAsInt()).isEqualTo(200);
    assertThat(result.get("average_gbit_per_s").getAsDouble()).isPositive();
    assertThat(result.get("messages_per_s").getAsDouble()).isPositive();
    assertThat(all.get("ord").getAsInt()).as("agreed on by both ends").isEqualTo(16);
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "send", "read", "atomic"})
  void shouldMeasureBothDirectionsOverSeveralConnections(String verb) {
    JsonObject all = measure("bw " + verb + " " + SERVER + " -n 200 -t 8 -b -q 3");
    JsonObject result = result(all, 0);
    assertThat(result.get("iterations").getAsInt()).isEqualTo(200);
    assertThat(result.get("messages").getAsInt()).isEqualTo(400);
    assertThat(all.get("connections").getAsInt()).isEqualTo(3);
    assertThat(all.get("bidirectional").getAsBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lat send", "lat read", "bw write", "bw send -b"})
  void shouldWaitForEvents(String what) {
    JsonObject all = measure(what + " " + SERVER + " -n 20 -s 64 -e");
    assertThat(all.get("waiting").getAsString()).isEqualTo("events");
    assertThat(result(all, 0).get("iterations").getAsInt()).isEqualTo(20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lat write", "lat send", "bw write", "bw send"})
  void shouldSendInline(String what) {
    JsonObject all = measure(what + " " + SERVER + " -n 50 -s 100 -I 168 -Q 5 -t 10");
    assertThat(all.get("inline_octets").getAsInt()).isEqualTo(168);
    assertThat(result(all, 0).get("signal_every").getAsInt()).isEqualTo(5);
    assertThat(result(all, 0).get("iterations").getAsInt()).isEqualTo(50);
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "send", "read", "atomic"})
  void shouldBeginOperationsAtAFixedRate(String verb) {
    JsonObject all = measure("lat " + verb + " " + SERVER + " -n 50 --rate 2000");
    assertThat(all.get("loop").getAsString()).isEqualTo("open");
    assertThat(all.get("round_trip").getAsString()).isEqualTo("full");
    assertThat(all.get("intended_rate_per_s").getAsDouble()).isEqualTo(2000);
    JsonObject result = result(all, 0);
    assertThat(result.get("iterations").getAsInt()).isEqualTo(50);
    // The last one began 49 intervals of 0.5 ms after the first at the earliest.
    assertThat(result.get("duration_s").getAsDouble()).isGreaterThanOrEqualTo(49 * 0.0005);
  }

  /** Coordinated omission: operations that could not begin in time would be missing. */
  @Test
  void shouldCountOperationsThatWereDueAndNotSent() {
    JsonObject all = measure("lat read " + SERVER + " -D 0.02 --rate 1e8 -t 2");
    JsonObject result = result(all, 0);
    int notSent = result.get("due_not_sent").getAsInt();
    assertThat(notSent + result.get("iterations").getAsInt()).isGreaterThanOrEqualTo(2_000_000);
    // Almost all are late, and uniformly so: half of them wait for half of the time.
    assertThat(result.get("p50_ns").getAsDouble()).isGreaterThan(9e6);
  }

  @Test
  void shouldPrintTheColumnsOfPerftest() {
    assertThat(run("lat write " + SERVER + " -n 5 --warm-up 0")).isZero();
    assertThat(out.toString().lines().toList())
        .satisfiesExactly(
            head ->
                assertThat(head)
                    .contains("RDMA Write", "half round trips", "closed loop", "1 outstanding"),
            columns ->
                assertThat(columns)
                    .contains("#bytes", "#iterations", "t_min[usec]", "t_typical[usec]")
                    .contains("t_stdev[usec]", "99.9% percentile[usec]", "daemon[%CPU]"),
            line -> assertThat(line.trim().split(" +")).hasSize(11).startsWith("64", "5"));
  }

  @Test
  void shouldPrintTheColumnsOfPerftestForThroughput() {
    assertThat(run("bw read " + SERVER + " -n 5 --warm-up 0 -s 1KiB")).isZero();
    assertThat(out.toString())
        .contains("throughput of RDMA Read", "BW peak[Gb/sec]", "BW average[Gb/sec]");
    assertThat(out.toString().lines().toList().getLast().trim().split(" +"))
        .hasSize(7)
        .startsWith("1024", "5");
  }

  @Test
  void shouldWriteFilesOfOneSize(@TempDir Path folder) throws IOException {
    JsonObject all = measure("lat write " + SERVER + " -n 50 --write " + folder);
    assertThat(JsonParser.parseString(Files.readString(folder.resolve("lat-write.json"))))
        .isEqualTo(all);
    assertPng(folder.resolve("lat-write.png"));
    List<String> percentiles = Files.readAllLines(folder.resolve("lat-write-64.hgrm"));
    assertThat(percentiles.getFirst()).contains("Value", "Percentile", "TotalCount");
    String largest =
        percentiles.stream().filter(line -> line.startsWith("#[Max")).findFirst().orElseThrow();
    double micros = result(all, 0).get("max_ns").getAsDouble() / 1000;
    assertThat(largest).contains(String.format(Locale.ROOT, "%.3f", micros)).contains("50]");
  }

  @Test
  void shouldMeasureAndPlotAllSizes(@TempDir Path folder) {
    JsonObject all = measure("lat read " + SERVER + " -n 1 -a --write " + folder);
    assertThat(all.getAsJsonArray("results")).hasSize(23);
    for (int i = 0; i < 23; i++) {
      int size = 2 << i;
      assertThat(result(all, i).get("size_octets").getAsInt()).isEqualTo(size);
      assertThat(folder.resolve("lat-read-" + size + ".hgrm")).isNotEmptyFile();
    }
    assertPng(folder.resolve("lat-read.png"));
  }

  @Test
  void shouldPlotThroughput(@TempDir Path folder) {
    measure("bw write " + SERVER + " -n 5 --write " + folder);
    assertPng(folder.resolve("bw-write.png"));
  }

  private static void assertPng(Path file) {
    assertThat(file).content(ISO_8859_1).startsWith("\u0089PNG");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lat write --write /nosuch | there is no directory /nosuch",
        "lat write -e | lat write cannot wait for events",
        "lat write -b | --bidirectional is for bw",
        "bw write --full | --full is for lat",
        "lat atomic -s 16 | an atomic has 8 octets",
        "bw write -a -s 16 | --size and --all exclude each other",
        "bw write -t 4 -Q 5 | --signal-every is at most --outstanding, 4",
        "bw write -t 0 | --outstanding is 1 or more, not 0",
        "lat read -D 0 | --duration is a number of seconds",
        "lat read --rate -1 | --rate is up to 1e9 a second, not -1.0",
        "lat push | write|read|send|atomic"
      })
  void shouldExplainWrongArguments(String arguments, String message) {
    assertThat(run(arguments.replaceFirst("^(\\S+ \\S+)", "$1 " + SERVER))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bw write -t 4000 | 4000 operations outstanding on a connection are too many",
        "bw write -I 169 | a request has no room for 169 octets, only for 168",
        "bw write -s 21MiB | the echo server has 20971520 octets left for measurements"
      })
  void shouldExplainWhatALimitDoesNotAllow(String arguments, String message) {
    assertThat(run(arguments.replaceFirst("^(\\S+ \\S+)", "$1 " + SERVER))).isEqualTo(1);
    assertThat(err.toString()).contains(message);
  }

  /** SIGTERM takes the same way through the JVM as Ctrl-C. */
  @Test
  void shouldPrintWhatThereIsWhenItIsEnded() throws Exception {

    Process process =
        CommandProcess.of(
                "perf",
                "lat",
                "read",
                SERVER,
                "--warm-up",
                "0",
                "--duration",
                "1000",
                "--socket",
                daemon.socket().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader reader = process.inputReader()) {
      assertThat(reader.readLine()).contains("latency of RDMA Read");
      assertThat(reader.readLine()).contains("#bytes");
      process.toHandle().destroy(); // Process.destroy() would close its output.
      assertThat(reader.readLine().trim()).startsWith("64 ");
      assertThat(reader.readLine()).isNull();
    }
    process.waitFor();
  }
}
