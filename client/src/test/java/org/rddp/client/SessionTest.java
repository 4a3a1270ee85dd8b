package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Reason;

@Timeout(60)
class SessionTest {
  @TempDir private Path directory;
  private Path socket;
  private FakeDaemon daemon;

  @BeforeEach
  void start() throws IOException {
    socket = directory.resolve("rddpd.sock");
    daemon = FakeDaemon.start(socket);
  }

  @AfterEach
  void stop() throws IOException {
    daemon.close();
  }

  @Test
  void shouldReportTheLimitsOfTheSession() throws IOException {
    try (Rddp session = Rddp.connect(socket)) {
      assertThat(session.limits()).isEqualTo(FakeSession.LIMITS);
      assertThat(session.interfaceName()).isEqualTo("test0");
      assertThat(session.address()).isEqualTo(InetAddress.getByName("10.0.0.1"));
      assertThat(session.daemonPid()).isEqualTo(ProcessHandle.current().pid());
    }
  }

  @Test
  void shouldEndAtTheDaemonWhenItIsClosed() {
    Rddp session = Rddp.connect(socket);
    assertThat(daemon.sessionCount()).isEqualTo(1);
    session.close();
    session.close();
    Eventually.isTrue(() -> daemon.sessionCount() == 0);
    assertThat(daemon.lastEnd()).contains("the session was closed");
  }

  @Test
  void shouldThrowFromEveryCallAfterClose() {
    Rddp session = Rddp.connect(socket);
    Listener listener = session.listen(0);
    session.close();
    assertThatThrownBy(() -> session.poll(completion -> {}, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.await(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.allocate(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.listen(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(listener::poll).isInstanceOf(IllegalStateException.class);
    listener.close();
  }

  @Test
  void shouldWakeAWaitingThreadOnClose() throws Exception {
    Rddp session = Rddp.connect(socket);
    Listener listener = session.listen(0);
    Throwable[] thrown = new Throwable[2];
    Thread waiting =
        Thread.ofPlatform().start(() -> thrown[0] = catchThrowable(() -> awaitForEver(session)));
    Thread accepting =
        Thread.ofPlatform()
            .start(() -> thrown[1] = catchThrowable(() -> listener.await(Duration.ofDays(1))));
    session.close();
    waiting.join();
    accepting.join();
    assertThat(thrown[0]).isInstanceOfAny(IllegalStateException.class, RddpException.class);
    assertThat(thrown[1]).isInstanceOfAny(IllegalStateException.class, RddpException.class);
  }

  private static void awaitForEver(Rddp session) {
    while (true) {
      session.await(Duration.ofDays(1));
    }
  }

  @Test
  void shouldExplainHowToStartAMissingDaemon() throws IOException {
    Path nothing = directory.resolve("nothing.sock");
    assertThatThrownBy(() -> Rddp.connect(nothing))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining(nothing.toString())
        .hasMessageContaining("start the daemon");
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> Rddp.connect(file))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("is not the socket of an rddp daemon");
    assertThatThrownBy(() -> Rddp.connect(file.resolve("rddpd.sock")))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("not a directory");
    assertThatThrownBy(() -> Rddp.connect(directory))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("is not the socket of an rddp daemon");
  }

  @Test
  void shouldReportAnotherRelease() {
    assertThatThrownBy(
            () -> Rddp.connect(socket, RddpOptions.defaults().withInterfaceName("version")))
        .isInstanceOf(DaemonUnavailableException.class)
        .hasMessageContaining("another release")
        .hasMessageContaining("this daemon speaks version 1");
  }

  @Test
  void shouldReportAnUnknownInterface() {
    assertThatThrownBy(() -> Rddp.connect(socket, RddpOptions.defaults().withInterfaceName("eth7")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("eth7")
        .extracting(e -> ((RefusedException) e).reason())
        .isEqualTo(Reason.NO_INTERFACE);
  }

  @Test
  void shouldLoseTheSessionIfTheDaemonDoesNotAnswer() {
    RddpOptions impatient =
        RddpOptions.defaults()
            .withProgramName("impatient")
            .withRequestTimeout(Duration.ofMillis(200));
    try (Rddp session = Rddp.connect(socket, impatient)) {
      daemon.turnDeaf();
      assertThatThrownBy(() -> session.allocate(100))
          .isInstanceOf(SessionLostException.class)
          .hasMessageContaining("not answered");
      assertThatThrownBy(() -> session.poll(completion -> {}, 1))
          .isInstanceOf(SessionLostException.class);
    }
  }

  @Test
  void shouldReadTheDaemonsCounters() throws IOException {
    try (Rddp session = Rddp.connect(socket);
        CounterReader counters = session.openCounters()) {
      Map<String, Long> values = new TreeMap<>();
      counters.forEach(values::put);
      assertThat(values).containsExactly(Map.entry("sessions accepted", 1L));
    }
  }

  @Test
  void shouldCapture() throws IOException {
    try (Rddp session = Rddp.connect(socket);
        Capture ring = session.startCapture(1 << 16, 128, false)) {
      assertThat(
              ring.poll((time, length, octets) -> assertThat(octets.byteSize()).isEqualTo(64), 10))
          .isEqualTo(1);
      session.stopCapture();
    }
  }

  @Test
  void shouldRejectNamesWithoutAnAddress() {
    try (Rddp session = Rddp.connect(socket)) {
      assertThatThrownBy(
              () -> session.listen(InetSocketAddress.createUnresolved("nowhere.test", 1), 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nowhere.test");
    }
  }

  @Test
  void shouldEndItsThreads() {
    for (int i = 0; i < 5; i++) {
      Rddp.connect(socket).close();
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("rddp-control");
  }
}
