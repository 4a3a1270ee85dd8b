package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp top}, printed and on a terminal, with a daemon that has one connection. */
@Timeout(60)
class TopCommandTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int PORT = 7471;
  private static final int OCTETS = 100_000;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion source = here.allocate(OCTETS);
  private final MemoryRegion sink = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  private Connection out;

  @BeforeEach
  void connect() {
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    InetSocketAddress two = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
    out = here.connect(two, PrivateData.NONE, TIMEOUT);
    accepted.join();
  }

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  /** Sends a message and then samples the connections: each sample has more octets than before. */
  private TopSample sendAndSample() {
    assertThat(out.postWrite(1, source, 0, OCTETS, sink.stag(), 0)).isTrue();
    TestDaemon.await(() -> here.poll(completion -> {}, 1) == 1, "the write completes");
    return new TopSample(
        here.list(ListSubject.CONNECTIONS).stream()
            .map(line -> JsonParser.parseString(line).getAsJsonObject())
            .toList(),
        List.of());
  }

  @Test
  void shouldPrintOnceWhereThereIsNoTerminal() {
    StringWriter printed = new StringWriter();
    CommandLine line = Main.commandLine().setOut(new PrintWriter(printed));
    assertThat(
            line.execute(
                "top", "--once", "--interval", "0.1", "--socket", daemon.socket().toString()))
        .isZero();
    assertThat(printed.toString().lines())
        .hasSize(5)
        .startsWith("2 connections by rate, 0 messages/s, 0 retransmissions/s")
        .anyMatch(text -> text.contains("10.0.0.2:7471") && text.contains("established"));
  }

  @Test
  void shouldShowRatesOnATerminalAndObeyKeys() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    PipedOutputStream keys = new PipedOutputStream();
    try (PipedInputStream input = new PipedInputStream(keys);
        Terminal terminal =
            new ExternalTerminal("test", "ansi", input, shown, StandardCharsets.UTF_8)) {
      TopScreen screen = new TopScreen(terminal, 50, TopOrder.RATE);
      CompletableFuture<Void> end =
          CompletableFuture.runAsync(() -> {
            try {
              screen.run(this::sendAndSample, "test");
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      TestDaemon.await(
          () -> text(shown).matches("(?s).*sent +[0-9.]+ (MiB|KiB)/s [ ▁]*█.*"),
          "a rate with a bar is shown");
      keys.write('s');
      keys.flush();
      TestDaemon.await(
          () -> text(shown).contains("2 connections by sent"), "it sorts by the next column");
      keys.write('q');
      keys.flush();
      end.join();
    }
    assertThat(text(shown)).contains("10.0.0.2:7471", "q: end");
  }

  private static String text(ByteArrayOutputStream shown) {
    return shown.toString(StandardCharsets.UTF_8);
  }
}
