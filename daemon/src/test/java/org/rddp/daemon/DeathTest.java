package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;

/** Kills processes with SIGKILL: a program during a transfer, and the daemon. */
@Timeout(120)
class DeathTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);

  /** Writes into the peer's memory until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      try (Rddp session =
          Rddp.connect(Path.of(arguments[0]), RddpOptions.defaults().withInterfaceName("one"))) {
        Connection connection = session.connect(TWO, PrivateData.NONE, TIMEOUT);
        int stag = Integer.parseInt(arguments[1]);
        MemoryRegion source = session.allocate(1 << 20);
        System.out.println("writing");
        while (true) {
          boolean full = !connection.postWrite(0, source, 0, 1 << 20, stag, 0);
          if (session.poll(completion -> {}, 16) == 0 && full) {
            session.await(TIMEOUT);
          }
        }
      }
    }
  }

  /** A daemon that runs until it is killed. */
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws IOException {
      TestDaemon daemon = new TestDaemon();
      System.out.println(daemon.socket());
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
      daemon.close();
    }
  }

  private static Connection accept(Listener listener) {
    return listener.await(TIMEOUT).accept();
  }

  @Test
  void shouldFreeAllResourcesOfAKilledProgramAndServeTheNext() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp there = daemon.connect("two")) {
      MemoryRegion sink = there.allocate(1 << 20, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      Listener listener = there.listen(PORT);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> accept(listener));
      Process writer =
          ChildJvm.start(Writer.class, daemon.socket().toString(), Integer.toString(sink.stag()));
      assertThat(ChildJvm.firstLine(writer)).isEqualTo("writing");
      Connection in = accepted.get(20, TimeUnit.SECONDS);
      TestDaemon.await(() -> counter(there, "one.completions") > 3, "writes complete");

      writer.destroyForcibly().waitFor();

      assertThat(in.awaitClosed(TIMEOUT)).isTrue();
      TestDaemon.await(() -> counter(there, "sessions") == 1, "its session has ended");
      TestDaemon.await(() -> counter(there, "one.stags") == 0, "its regions are gone");
      TestDaemon.await(() -> counter(there, "memory_bytes") == 1 << 20, "its memory is freed");
      TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is back");
      TestDaemon.await(
          () -> counter(there, "one.connections_closed") == 1, "its connection has ended");
      assertThat(counter(there, "one.connections_opened")).isEqualTo(1);
      assertThat(counter(there, "one.engine_faults")).isZero();
      assertThat(there.list(ListSubject.ERRORS))
          .noneMatch(error -> error.contains("ended, or closed") || error.contains("has ended\""))
          .anyMatch(error -> error.contains("its program has ended or aborted it"));
      shouldServe(daemon, there, listener, sink);
    }
  }

  private static void shouldServe(
      TestDaemon daemon, Rddp there, Listener listener, MemoryRegion sink) {
    try (Rddp next = daemon.connect("one")) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> accept(listener));
      Connection out = next.connect(TWO, PrivateData.NONE, TIMEOUT);
      accepted.join();
      MemoryRegion source = next.allocate(64);
      source.segment().fill((byte) 9);
      assertThat(out.postWrite(1, source, 0, 64, sink.stag(), 0)).isTrue();
      TestDaemon.await(
          () -> sink.segment().asSlice(0, 64).mismatch(source.segment()) == -1,
          "the next program's write arrives at " + there.interfaceName());
    }
  }

  private static long counter(Rddp session, String name) {
    try {
      Map<String, Long> counters = TestDaemon.counters(session);
      return counters.get(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldReportTheDaemonsDeath() throws Exception {
    Process server = ChildJvm.start(Server.class);
    Path socket = Path.of(ChildJvm.firstLine(server));
    Rddp session = Rddp.connect(socket, RddpOptions.defaults());
    MemoryRegion region = session.allocate(64);
    server.destroyForcibly().waitFor();

    Throwable failure = null;
    while (failure == null) {
      failure = catchThrowable(() -> session.await(Duration.ofSeconds(5)));
    }

    assertThat(failure).isInstanceOf(SessionLostException.class);
    assertThat(region.segment().byteSize()).isEqualTo(64);
    session.close();
    Files.deleteIfExists(socket);
    Files.deleteIfExists(socket.resolveSibling(socket.getFileName() + ".next"));
    Files.deleteIfExists(socket.getParent());
  }
}
