package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** Kills the process of one end; the other end continues, or reports why it cannot. */
@Timeout(60)
class ProcessDeathTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private Path socket;
  private Process child;

  @BeforeEach
  void name() {
    socket = directory.resolve("rddpd.sock");
  }

  @AfterEach
  void reap() throws Exception {
    if (child != null) {
      child.destroyForcibly().waitFor();
    }
  }

  /** Starts a JVM that runs the class until it is killed; returns when the JVM is ready. */
  private void spawn(Class<?> program) throws IOException {
    child =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    program.getName(),
                    socket.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output = child.inputReader(StandardCharsets.UTF_8);
    assertThat(output.readLine()).isEqualTo("ready");
  }

  /** A program that listens, accepts, and writes without polling enough. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      Rddp session = Rddp.connect(Path.of(arguments[0]));
      MemoryRegion memory = session.allocate(1 << 20, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
      Listener listener = session.listen(4242);
      System.out.println("ready");
      Connection connection = listener.await(LONG).accept();
      long request = 0;
      while (true) {
        if (!connection.postReceive(request++, memory, 0, 100)) {
          session.poll(completion -> {}, 1);
        }
      }
    }
  }

  @Test
  void shouldFreeAllResourcesOfAKilledProgram() throws Exception {
    try (FakeDaemon daemon = FakeDaemon.start(socket);
        Rddp survivor = Rddp.connect(socket)) {
      spawn(Writer.class);
      assertThat(daemon.sessionCount()).isEqualTo(2);
      Connection connection =
          survivor.connect(new InetSocketAddress("10.0.0.1", 4242), PrivateData.NONE, LONG);

      child.destroyForcibly();
      assertThat(connection.awaitClosed(LONG)).isTrue();
      assertThat(connection.closeReason()).isEqualTo(Reason.RESET);
      Eventually.isTrue(() -> daemon.sessionCount() == 1);
      try (Rddp another = Rddp.connect(socket);
          MemoryRegion memory = another.allocate(1 << 20);
          Listener listener = another.listen(4242)) {
        assertThat(memory.length()).isEqualTo(1 << 20);
        assertThat(listener.address().getPort()).isEqualTo(4242);
      }
    }
  }

  @Test
  void shouldThrowFromEveryCallWhenTheDaemonIsKilled() throws Exception {
    spawn(FakeDaemon.class);
    try (Rddp session = Rddp.connect(socket)) {
      MemoryRegion memory = session.allocate(1000, Access.LOCAL_WRITE);
      Listener listener = session.listen(0);
      assertThat(session.daemonPid()).isEqualTo(child.pid());

      child.destroyForcibly();
      while (catchThrowable(() -> session.await(LONG)) == null) {
        // The wake-up of an earlier event.
      }
      assertThatThrownBy(() -> session.poll(completion -> {}, 1))
          .isInstanceOf(SessionLostException.class)
          .hasMessageContaining("the daemon is gone");
      assertThatThrownBy(() -> session.await(LONG)).isInstanceOf(SessionLostException.class);
      assertThatThrownBy(() -> session.allocate(1)).isInstanceOf(SessionLostException.class);
      assertThatThrownBy(listener::poll).isInstanceOf(SessionLostException.class);
      assertThatThrownBy(() -> listener.await(LONG)).isInstanceOf(SessionLostException.class);
      assertThatThrownBy(
              () -> session.connect(new InetSocketAddress("10.0.0.1", 1), PrivateData.NONE, LONG))
          .isInstanceOf(SessionLostException.class);
      memory.segment().fill((byte) 1);
      memory.close();
      listener.close();
    }
    assertThatThrownBy(() -> Rddp.connect(socket))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("start the daemon");
  }

  @Test
  void shouldEndConnectionsAndWaitsWhenTheDaemonIsKilled() throws Exception {
    spawn(FakeDaemon.class);
    try (Rddp session = Rddp.connect(socket)) {
      Listener listener = session.listen(0);
      MemoryRegion memory = session.allocate(1000, Access.LOCAL_WRITE);
      Connection[] accepted = new Connection[1];
      Thread acceptor =
          Thread.ofPlatform().start(() -> accepted[0] = listener.await(LONG).accept());
      Connection connection = session.connect(listener.address(), PrivateData.NONE, LONG);
      acceptor.join();
      Throwable[] thrown = new Throwable[2];
      Thread waitsForPeer =
          Thread.ofPlatform()
              .start(() -> thrown[0] = catchThrowable(() -> listener.await(Duration.ofDays(1))));
      Thread waitsForReply =
          Thread.ofPlatform()
              .start(() ->
                  thrown[1] =
                      catchThrowable(() ->
                          session.connect(
                              listener.address(), PrivateData.NONE, Duration.ofDays(1))));

      child.destroyForcibly();
      waitsForPeer.join();
      waitsForReply.join();
      assertThat(thrown[1]).isInstanceOf(SessionLostException.class);
      assertThat(connection.awaitClosed(LONG)).isTrue();
      assertThat(accepted[0].isOpen()).isFalse();
      assertThatThrownBy(() -> connection.postReceive(1, memory, 0, 1))
          .isInstanceOf(SessionLostException.class);
      connection.close();
    }
  }
}
