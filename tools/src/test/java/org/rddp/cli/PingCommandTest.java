package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.AddressText;
import org.rddp.daemon.TestDaemon;
import org.rddp.transfer.EchoServer;
import org.rddp.transfer.FileServer;
import picocli.CommandLine;

/** {@code rddp ping} with servers of this and of another kind. */
@Timeout(120)
class PingCommandTest {
  private static final int PORT = 7471;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp there = daemon.connect("two");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CountDownLatch listening = new CountDownLatch(1);
  private Thread server;

  @AfterEach
  void close() throws InterruptedException {
    if (server != null) {
      server.interrupt();
      server.join();
    }
    there.close();
    daemon.close();
  }

  private int ping(Runnable serve) throws InterruptedException {
    return ping(serve, TestDaemon.ADDRESS_TWO);
  }

  private int ping(Runnable serve, String address) throws InterruptedException {
    start(serve);
    return ping("--interface one", address);
  }

  private void start(Runnable serve) throws InterruptedException {
    server =
        new Thread(
            () -> {
              try {
                serve.run();
              } catch (RddpException interrupted) {
                // The test is over.
              }
            },
            "server");
    server.start();
    listening.await();
  }

  private int ping(String choice, String address) {
    CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String arguments =
        "ping --count 10 --socket %s %s:%d %s".formatted(daemon.socket(), address, PORT, choice);
    return line.execute(arguments.split(" "));
  }

  @Test
  void shouldPrintPercentilesOfRoundTrips() throws InterruptedException {
    EchoServer echo = new EchoServer(there, 64 << 10, said -> listening.countDown());

    assertThat(ping(() -> echo.serve(PORT))).as(err::toString).isZero();

    assertThat(out.toString())
        .contains("10 round trips of 64 octets")
        .contains("50.0000 %")
        .contains("mean");
  }

  @Test
  void shouldMeasureOverIpv6() throws InterruptedException {
    EchoServer echo = new EchoServer(there, 64 << 10, said -> listening.countDown());

    assertThat(ping(() -> echo.serve(PORT), "[" + TestDaemon.IPV6_TWO + "]"))
        .as(err::toString)
        .isZero();

    assertThat(out.toString()).contains("to [2001:db8::2]:" + PORT + " and back");
  }

  @Test
  void shouldUseTheInterfaceThatTheZoneNames() throws InterruptedException {
    String first = AddressText.of(Rddp.interfaces(daemon.socket()).getFirst().ipv6().getLast());
    try (Rddp one = daemon.connect("one")) {
      EchoServer echo = new EchoServer(one, 64 << 10, said -> listening.countDown());
      start(() -> echo.serve(PORT));

      assertThat(ping("", "[" + first + "%two]")).as(err::toString).isZero();
      assertThat(ping("--interface two", "[" + first + "%two]")).as(err::toString).isZero();
      assertThat(out.toString()).contains("to [" + first + "%two]:" + PORT + " and back");
      server.interrupt();
      server.join();
    }
  }

  @Test
  void shouldRefuseAnInterfaceThatIsNotTheZone() {
    assertThat(ping("--interface one", "[fe80::1%two]")).isEqualTo(2);
    assertThat(ping("", "[fe80::1%no-such]")).isEqualTo(1);

    assertThat(err.toString())
        .startsWith("rddp: --interface one is not the zone of [fe80::1%two]:" + PORT)
        .contains("no interface no-such; the daemon's interfaces: one, two");
  }

  @Test
  void shouldSayThatTheProgramIsNoEcho(@TempDir Path folder) throws InterruptedException {
    FileServer files = new FileServer(there, folder, 1 << 20, said -> listening.countDown());

    assertThat(ping(() -> files.serve(PORT, false))).isEqualTo(1);

    assertThat(err.toString())
        .startsWith("rddp: the program at 10.0.0.2:7471 does not send messages back")
        .contains("start 'rddp echo' there");
    assertThat(out.toString()).isEmpty();
  }
}
