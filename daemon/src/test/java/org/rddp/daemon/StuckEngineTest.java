package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;

/** One of two engines, each with a thread of its own, does not come back from a turn. */
@Timeout(60)
class StuckEngineTest {
  private static final String ADDRESS = "10.0.1.1";

  @TempDir private Path folder;

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<Rddp> sessions = new ArrayList<>();
  private Daemon daemon;

  /** A device with nothing at the other end, for one thread. */
  private static FrameDevice single() {
    return LoopedDevice.pair(
        new NativePacketPool(2048, 1514), new NativePacketPool(2048, 1514), 1500, 512)[0];
  }

  @BeforeEach
  void start() throws Exception {
    String text =
        """
        [control]
        socket = "%s"
        drain-timeout = "0s"
        [engine]
        engines = "per-port"
        stuck-timeout = "1s"
        [[interface]]
        name = "stuck"
        device = "ring:x"
        address = "10.0.0.1/24"
        [[interface]]
        name = "other"
        device = "ring:x"
        address = "%s/24"
        """
            .formatted(folder.resolve("rddpd.sock"), ADDRESS);
    daemon =
        Daemon.start(
            ConfigurationFile.parse("test", text),
            new GivenPorts(List.of(single(), single())),
            new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void close() {
    released.countDown();
    sessions.forEach(Rddp::close);
    daemon.close();
  }

  private Rddp connect(String interfaceName) {
    Rddp session =
        Rddp.connect(
            folder.resolve("rddpd.sock"), RddpOptions.defaults().withInterfaceName(interfaceName));
    sessions.add(session);
    return session;
  }

  private void stick() {
    daemon
        .engines()
        .getFirst()
        .execute(() -> {
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private String log() {
    return log.toString(StandardCharsets.UTF_8);
  }

  private static void awaitLoss(Rddp session) {
    Throwable failure = null;
    while (failure == null) {
      failure = catchThrowable(() -> session.await(TIMEOUT));
    }
    assertThat(failure).isInstanceOf(SessionLostException.class);
  }

  /** Writes over a connection to the interface's own address. */
  private static void exchange(Rddp session) {
    try (Listener listener = session.listen(0);
        MemoryRegion memory = session.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress own = new InetSocketAddress(ADDRESS, listener.address().getPort());
      try (Connection out = session.connect(own, PrivateData.NONE, TIMEOUT);
          Connection in = accepted.join()) {
        assertThat(out.postWrite(1, memory, 0, 8, memory.stag(), 8)).isTrue();
        assertThat(completions(session, 1)).containsExactly("write 1 SUCCESS 8");
        assertThat(in.remoteAddress().getAddress().getHostAddress()).isEqualTo(ADDRESS);
      }
    }
  }

  @Test
  void shouldTakeOnlyItsOwnSessionsAlong() {
    Rddp lost = connect("stuck");
    Rddp other = connect("other");

    stick();
    awaitLoss(lost);

    exchange(other);
    exchange(connect("other"));
    assertThatThrownBy(() -> connect("stuck"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.RESOURCES))
        .hasMessageContaining("the engine of stuck is stuck; the daemon's log says where");
    assertThat(log())
        .contains("ALARM: the engine of interface stuck has made no turn for ")
        .contains("CountDownLatch.await")
        .contains("ALARM: the engine of interface stuck is stuck; its sessions end (1)");
  }

  @Test
  void shouldBeLeftOutOfLists() {
    connect("stuck");
    Rddp other = connect("other");
    stick();

    assertThat(other.list(ListSubject.SESSIONS))
        .extracting(each -> JsonParser.parseString(each).getAsJsonObject())
        .extracting(each -> each.get("interface").getAsString())
        .containsOnly("other");
    exchange(other);
  }

  @Test
  void shouldServeSessionsAgainOnceItGoesOn() {
    Rddp lost = connect("stuck");
    stick();
    awaitLoss(lost);
    released.countDown();

    TestDaemon.await(
        () -> log().contains("the engine of interface stuck makes turns again"), "it goes on");
    Rddp next = connect("stuck");
    try (MemoryRegion memory = next.allocate(64, Access.LOCAL_WRITE)) {
      assertThat(memory.stag()).isNotZero();
    }
  }

  @Test
  void shouldNotKeepTheWatchdogFromBeingFed() {
    AtomicInteger fed = new AtomicInteger();
    try (Watchdog watchdog =
        new Watchdog(daemon.threads(), Duration.ofHours(1), fed::incrementAndGet)) {
      Rddp lost = connect("stuck");
      stick();
      awaitLoss(lost);
      TestDaemon.await(
          () -> {
            watchdog.check();
            return fed.get() >= 3;
          },
          "the watchdog is fed");
    }
  }

  @Test
  void shouldNotKeepTheDaemonFromEnding() throws Exception {
    Rddp lost = connect("stuck");
    stick();
    awaitLoss(lost);

    daemon.close();

    assertThat(daemon.awaitEnd()).isNull();
    assertThat(log())
        .contains("the thread rddp-stuck does not stop; the daemon ends without it; its calls, ")
        .contains("the daemon has ended");
  }
}
