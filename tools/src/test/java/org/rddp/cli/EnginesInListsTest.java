package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;

/** Output of commands for a daemon whose interfaces have two engines each. */
@Timeout(60)
class EnginesInListsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int PORT = 7471;

  private final TestDaemon daemon = TestDaemon.withEngines(2);
  private final List<Rddp> sessions = new ArrayList<>();

  @BeforeEach
  void connect() {
    for (int i = 0; i < 2; i++) {
      Rddp here = open("one/" + i);
      Rddp there = open("two/" + i);
      int port = PORT + i;
      Listener listener = there.listen(port);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      Connection out =
          here.connect(
              new InetSocketAddress(TestDaemon.ADDRESS_TWO, port), PrivateData.NONE, TIMEOUT);
      assertThat(accepted.join().remoteAddress()).isEqualTo(out.localAddress());
    }
  }

  private Rddp open(String engine) {
    Rddp session = daemon.connect(engine);
    sessions.add(session);
    return session;
  }

  @AfterEach
  void stop() {
    sessions.forEach(Rddp::close);
    daemon.close();
  }

  private List<String> run(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--socket", daemon.socket().toString()));
    StringWriter printed = new StringWriter();
    int status =
        Main.commandLine().setOut(new PrintWriter(printed)).execute(line.toArray(String[]::new));
    assertThat(status).isZero();
    return printed.toString().lines().toList();
  }

  @Test
  void topShouldNameTheEngineOfEachConnection() {
    List<String> lines = run("top", "--once", "--interval", "0.1");
    assertThat(lines.getFirst()).startsWith("4 connections by rate");
    for (String engine : List.of("one/0", "one/1", "two/0", "two/1")) {
      assertThat(lines).filteredOn(line -> line.contains(" " + engine + " ")).hasSize(1);
    }
    assertThat(lines.get(2)).contains("INTERFACE");
  }

  @Test
  void topShouldPrintUntilItsReaderEndsWhereThereIsNoTerminal() throws IOException {
    PipedWriter pipe = new PipedWriter();
    new PipedReader(pipe).close();
    int status =
        Main.commandLine()
            .setOut(new PrintWriter(pipe))
            .execute("top", "--interval", "0.1", "--socket", daemon.socket().toString());
    assertThat(status).isEqualTo(Output.READER_ENDED);
  }

  @Test
  void topShouldShowTheConnectionsOfAnInterfaceOrOfOneEngine() {
    assertThat(run("top", "--once", "--interval", "0.1", "--interface", "one").getFirst())
        .startsWith("2 connections by rate");
    assertThat(run("top", "--once", "--interval", "0.1", "--interface", "one/1"))
        .hasSize(4)
        .anyMatch(line -> line.contains(" one/1 "));
  }

  @Test
  void statShouldShowTheCountersOfAnInterfaceOrOfOneEngine() {
    assertThat(run("stat", "--once", "--all", "--interface", "one"))
        .anyMatch(line -> line.contains("one/0.tcp_established_connections"))
        .anyMatch(line -> line.contains("one/1.tcp_established_connections"))
        .noneMatch(line -> line.contains("two/"));
    assertThat(run("stat", "--once", "--all", "--interface", "one/1"))
        .anyMatch(line -> line.contains("one/1.tcp_established_connections"))
        .noneMatch(line -> line.contains("one/0."));
  }
}
