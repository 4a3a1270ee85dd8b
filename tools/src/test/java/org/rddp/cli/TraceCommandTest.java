package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp trace} with a daemon whose programs write into each other's memory. */
@Timeout(60)
class TraceCommandTest {
  private static final int PORT = 7471;
  private static final int OCTETS = 100_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final TestDaemon daemon = TestDaemon.withLoss(0.02);
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion source = here.allocate(OCTETS);
  private final MemoryRegion sink = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  private final Listener listener = there.listen(PORT);
  private final Connection connection = connect();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  private Connection connect() {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection made =
        here.connect(new InetSocketAddress("10.0.0.2", PORT), PrivateData.NONE, TIMEOUT);
    accepted.join();
    return made;
  }

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return line.execute(
        Stream.concat(
                Stream.of("trace", "--socket", daemon.socket().toString()), Stream.of(arguments))
            .toArray(String[]::new));
  }

  /** Starts the command with the connection, and returns once it traces. */
  private CompletableFuture<Integer> trace(String... options) {
    String[] arguments =
        Stream.concat(Stream.of("%08x".formatted(connection.id())), Stream.of(options))
            .toArray(String[]::new);
    CompletableFuture<Integer> command =
        CompletableFuture.supplyAsync(
            () -> run(arguments), action -> Thread.ofPlatform().start(action));
    TestDaemon.await(() -> command.isDone() || !err.toString().isEmpty(), "the trace runs");
    return command;
  }

  private void write(int times) {
    int[] begun = {0};
    writeUntil(() -> begun[0]++ == times);
  }

  private void writeUntil(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      assertThat(connection.postWrite(7, source, 0, OCTETS, sink.stag(), 0)).isTrue();
      int completed = 0;
      while (completed == 0) {
        assertThat(here.await(TIMEOUT)).isTrue();
        completed = here.poll(completion -> assertThat(completion.isSuccess()).isTrue(), 1);
      }
    }
  }

  private static List<JsonObject> events(List<String> lines) {
    return lines.stream().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
  }

  private static List<JsonObject> of(List<JsonObject> events, String event) {
    return events.stream().filter(each -> each.get("event").getAsString().equals(event)).toList();
  }

  private static long number(JsonObject event, String key) {
    return event.get(key).getAsLong();
  }

  @Test
  void shouldShowRetransmissionsAndHowTheCongestionWindowFollows() throws IOException {
    Path file = folder.resolve("trace.jsonl");
    Path plot = folder.resolve("trace.png");
    CompletableFuture<Integer> command =
        trace("--count", "5000", "--output", file.toString(), "--plot", plot.toString());
    write(40);
    assertThat(command.join()).as(err::toString).isZero();

    List<JsonObject> events = events(Files.readAllLines(file));
    JsonObject first = events.getFirst();
    assertThat(first.get("event").getAsString()).isEqualTo("connection");
    assertThat(number(first, "connection")).isEqualTo(connection.id());
    assertThat(first.get("remote_address").getAsString()).isEqualTo("10.0.0.2");

    List<JsonObject> sent = of(events, "segment-sent");
    List<JsonObject> again = sent.stream().filter(each -> each.has("retransmission")).toList();
    assertThat(again)
        .isNotEmpty()
        .allSatisfy(lost ->
            assertThat(sent)
                .anyMatch(each ->
                    !each.has("retransmission")
                        && number(each, "position") == number(lost, "position")
                        && number(each, "time_ns") < number(lost, "time_ns")));
    assertThat(of(events, "segment-received")).anyMatch(each -> each.has("sack"));
    List<JsonObject> states = of(events, "state");
    assertThat(states.stream().map(each -> each.get("loss_recovery").getAsString()))
        .contains("open", "recovering");
    assertThat(states.stream().map(each -> number(each, "congestion_window_octets")).distinct())
        .hasSizeGreaterThan(5);
    assertThat(ImageIO.read(plot.toFile())).returns(1200, BufferedImage::getWidth);
    assertThat(events).hasSize(5001);
    assertThat(err.toString()).contains("5000 events, 0 left out").contains("plot in " + plot);
  }

  @Test
  void shouldShowRequestsTheirFpdusAndTheEndOfTheConnection() {
    CompletableFuture<Integer> command = trace();
    write(3);
    connection.abort();
    assertThat(command.join()).as(err::toString).isZero();

    List<JsonObject> events = events(out.toString().lines().toList());
    assertThat(of(events, "request-taken"))
        .hasSize(3)
        .allMatch(each -> number(each, "id") == 7 && number(each, "octets") == OCTETS);
    assertThat(of(events, "request-completed"))
        .hasSize(3)
        .allMatch(each ->
            each.get("request").getAsString().equals("write")
                && each.get("status").getAsString().equals("SUCCESS"));
    List<JsonObject> fpdus = of(events, "fpdu-sent");
    assertThat(fpdus)
        .allMatch(each ->
            each.get("message").getAsString().equals("rdma-write")
                && each.get("stag").getAsString().equals("%08x".formatted(sink.stag())));
    assertThat(fpdus.stream().filter(each -> each.get("last").getAsBoolean())).hasSize(3);
    for (int i = 1; i < fpdus.size(); i++) {
      JsonObject before = fpdus.get(i - 1);
      assertThat(number(fpdus.get(i), "position"))
          .isEqualTo(number(before, "position") + number(before, "octets"));
    }
    assertThat(events.getLast().get("reason").getAsString()).isEqualTo("aborted");
    assertThat(err.toString()).contains("; the connection has closed: aborted");
  }

  @Test
  void shouldShowWhatThePeersEndReceives() {
    CompletableFuture<Integer> command = trace("--interface", "two", "--count", "500");
    writeUntil(command::isDone);
    assertThat(command.join()).as(err::toString).isZero();

    List<JsonObject> events = events(out.toString().lines().toList());
    assertThat(of(events, "fpdu-received"))
        .isNotEmpty()
        .allMatch(each -> each.get("message").getAsString().equals("rdma-write"));
    assertThat(of(events, "segment-received")).anyMatch(each -> number(each, "octets") > 1000);
  }

  @Test
  void shouldTellOfEventsThatWereLeftOut() {
    CompletableFuture<Integer> command = trace("--buffer", "4KiB", "--count", "1000");
    writeUntil(command::isDone);
    assertThat(command.join()).as(err::toString).isZero();
    assertThat(of(events(out.toString().lines().toList()), "left-out"))
        .isNotEmpty()
        .allMatch(each -> number(each, "events") > 0);
    assertThat(err.toString()).contains(" left out because the ring was full");
  }

  @Test
  void shouldRefuseASecondTraceOfTheInterface() {
    CompletableFuture<Integer> command = trace("--count", "500");
    assertThat(run("%08x".formatted(connection.id()))).isEqualTo(1);
    assertThat(err.toString()).contains("already traces a connection of one");
    write(5);
    assertThat(command.join()).isZero();
  }

  @Test
  void shouldExplainWhatCannotBeTraced() {
    assertThat(run("ffffffff")).isEqualTo(1);
    assertThat(err.toString()).contains("one has no connection ffffffff");
    assertThat(run("what")).isEqualTo(2);
    assertThat(run("00100000", "--buffer", "5000")).isEqualTo(2);
    assertThat(run("00100000", "--plot", folder.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("'what' is not the number of a connection")
        .contains("--buffer is a power of two from 4KiB to 1GiB, not 5000")
        .contains(folder + " is a directory: give the path of a file");
  }
}
