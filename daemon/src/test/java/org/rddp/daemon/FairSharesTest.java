package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Listener;
import org.rddp.client.MemoryWindow;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** No user and no process takes so much of the daemon that nothing is left for others. */
@Timeout(60)
class FairSharesTest {
  private static final int NOBODY = 65534;
  private static final String ALL_USERS = "mode = \"0666\"\n";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static TestDaemon daemon(String limits) throws IOException {
    return daemon(1, limits);
  }

  private static TestDaemon daemon(int engines, String limits) throws IOException {
    TestDaemon daemon = TestDaemon.withEngines(engines, ALL_USERS + "[limits]\n" + limits);
    Files.setPosixFilePermissions(
        daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    return daemon;
  }

  private static void close(List<? extends AutoCloseable> all) throws Exception {
    for (AutoCloseable each : all) {
      each.close();
    }
  }

  private static void assertLimit(ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
        .hasMessageContaining(text);
  }

  /** Connections that never say Hello. */
  @Test
  @Tag("DDP-8.3.2-05")
  void shouldEndTheOldestSilentProgramWhenRoomIsWanted() throws Exception {
    try (TestDaemon daemon = daemon("")) {
      List<RawProgram> silent = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        silent.add(new RawProgram(daemon.socket()));
      }
      for (int i = 0; i < 5; i++) {
        daemon.connect("one").close();
      }
      assertThatThrownBy(() -> silent.getFirst().receive()).isInstanceOf(EOFException.class);
      assertThat(silent.getLast().socket().receiveFromDaemon()).as("the youngest").isNull();
      TestDaemon.await(() -> daemon.log().contains("others want its place"), "the log says why");
      close(silent);
    }
  }

  /** Programs that have sent Hello do not wait: they are limited by the quota of sessions. */
  @Test
  void shouldOpenManySessionsOfOneProcessAtOnce() throws Exception {
    try (TestDaemon daemon = daemon("sessions = 128\n");
        ExecutorService threads = Executors.newFixedThreadPool(32)) {
      List<Future<Rddp>> connecting = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        connecting.add(threads.submit(() -> daemon.connect("one")));
      }
      List<Rddp> sessions = new ArrayList<>();
      for (Future<Rddp> each : connecting) {
        sessions.add(each.get());
      }
      assertThat(sessions).hasSize(32);
      close(sessions);
    }
  }

  /** Another user connects as well: nobody else loses a place. */
  @Test
  void shouldEndSilentProgramsOfTheUserWhoHasMost() throws Exception {
    try (TestDaemon daemon = daemon("")) {
      RawProgram honest = new RawProgram(daemon.socket());
      List<RawProgram> silent =
          OtherUser.call(
              NOBODY,
              () -> {
                List<RawProgram> all = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                  all.add(new RawProgram(daemon.socket()));
                }
                return all;
              });
      assertThatThrownBy(() -> silent.getFirst().receive()).isInstanceOf(EOFException.class);
      assertThat(honest.hello("one").interfaceName()).isEqualTo("one");
      honest.close();
      close(silent);
    }
  }

  @Test
  @Tag("DDP-8.3.2-05")
  void shouldLeaveSessionsToOtherUsers() throws Exception {
    try (TestDaemon daemon =
        daemon("sessions = 8\nuser-share = 50\nprocess-share = 50\nsession-listeners = 1\n")) {
      List<Rddp> sessions = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        sessions.add(daemon.connect("one"));
      }
      assertLimit(() -> daemon.connect("one"), "4 of 4 sessions of process");
      Rddp other = OtherUser.call(NOBODY, () -> daemon.connect("one"));
      other.close();
      sessions.removeLast().close();
      sessions.add(daemon.connect("one"));
      close(sessions);
    }
  }

  @Test
  @Tag("DDP-8.3.2-05")
  @Tag("RDMAP-8.1.2-06")
  void shouldLeaveMemoryToOtherUsers() throws Exception {
    try (TestDaemon daemon = daemon("memory = \"16MiB\"\nuser-share = 50\nprocess-share = 50\n");
        Rddp first = daemon.connect("one");
        Rddp second = daemon.connect("one");
        Rddp other = OtherUser.call(NOBODY, () -> daemon.connect("one"))) {
      assertThat(first.allocate(6 << 20).length()).isEqualTo(6 << 20);
      assertLimit(() -> second.allocate(6 << 20), "octets of memory of process");
      assertThat(other.allocate(6 << 20).length()).isEqualTo(6 << 20);
    }
  }

  @Test
  @Tag("DDP-8.3.2-05")
  void shouldLeaveListenersToOtherUsers() throws Exception {
    try (TestDaemon daemon =
            daemon("sessions = 4\nsession-listeners = 2\nuser-share = 50\nprocess-share = 50\n");
        Rddp first = daemon.connect("one");
        Rddp second = daemon.connect("one");
        Rddp other = OtherUser.call(NOBODY, () -> daemon.connect("one"))) {
      for (int port = 1; port <= 2; port++) {
        assertThat(first.listen(port).address().getPort()).isEqualTo(port);
        assertThat(second.listen(port + 2).address().getPort()).isEqualTo(port + 2);
      }
      assertLimit(() -> first.listen(9), "2 of 2 listeners of this program");
      assertThat(other.listen(9).address().getPort()).isEqualTo(9);
    }
  }

  /** One session could have all STags of the interface otherwise. */
  @Test
  @Tag("DDP-8.3.2-05")
  void shouldLeaveStagsToOtherUsers() throws Exception {
    // 1 % of the 32768 regions and windows for which the table has room are 328.
    try (TestDaemon daemon =
            daemon("session-regions = 65536\nuser-share = 1\nprocess-share = 1\n");
        Rddp other = OtherUser.call(NOBODY, () -> daemon.connect("one"))) {
      try (Rddp first = daemon.connect("one")) {
        MemoryWindow window = first.allocateWindow();
        for (int i = 1; i < 328; i++) {
          assertThat(first.allocate(1).length()).isEqualTo(1);
        }
        assertLimit(() -> first.allocate(1), "328 of 328 regions and windows of process");
        assertLimit(first::allocateWindow, "328 of 328 regions and windows of process");
        assertThat(other.allocate(1).length()).isEqualTo(1);
        window.close();
        assertThat(first.allocate(1).length()).isEqualTo(1);
      }
      try (Rddp next = daemon.connect("one")) {
        assertThat(next.allocate(1).length()).as("all were given back").isEqualTo(1);
      }
    }
  }

  /** Connections of all sessions of a process count together, whichever engines have them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Tag("DDP-8.3.2-05")
  void shouldLeaveConnectionsOfAnInterfaceToOtherUsers(int engines) throws Exception {
    // 1 % of 16384 connections are 164.
    try (TestDaemon daemon =
            daemon(engines, "sessions = 400\nuser-share = 1\nprocess-share = 1\n");
        Rddp first = daemon.connect("one");
        Rddp second = daemon.connect("one");
        Rddp there = OtherUser.call(NOBODY, () -> daemon.connect("two"));
        Rddp third = OtherUser.call(NOBODY, () -> daemon.connect("one"))) {
      Listener listener = there.listen(7471);
      CompletableFuture<Void> acceptor = CompletableFuture.runAsync(() -> acceptAll(listener));
      for (int i = 0; i < 164; i++) {
        connect(i % 2 == 0 ? first : second);
      }
      assertLimit(() -> connect(first), "on this interface a user 164, a process 164");
      assertLimit(() -> connect(second), "on this interface a user 164, a process 164");
      assertThatThrownBy(() -> connect(third))
          .as("the listener's user has 164, too")
          .isInstanceOf(ConnectionFailedException.class);
      assertThat(acceptor).as("still accepts").isNotDone();
    }
  }

  /** Whether it has asked for the port or got any, and until it closes the listener. */
  @ParameterizedTest
  @ValueSource(ints = {0, 7471})
  void shouldKeepAPortFromOtherUsersOnAllEngines(int asked) throws Exception {
    try (TestDaemon daemon = daemon(2, "");
        Rddp first = OtherUser.call(NOBODY, () -> daemon.connect("one/0"));
        Rddp second = daemon.connect("one/1")) {
      Listener listener = first.listen(asked);
      int port = listener.address().getPort();
      assertThatThrownBy(() -> second.listen(port))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE))
          .hasMessageContaining("in use by another process");
      listener.close();
      assertThat(second.listen(port).address().getPort()).isEqualTo(port);
    }
  }

  /** Accepts until the session is closed. */
  private static void acceptAll(Listener listener) {
    while (true) {
      listener.await(TIMEOUT).accept();
    }
  }

  private static InetSocketAddress two() {
    return new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
  }

  private static void connect(Rddp from) {
    assertThat(from.connect(two(), PrivateData.NONE, TIMEOUT).isOpen()).isTrue();
  }
}
