package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.UnixSocket;

/** The daemon tells a service manager what it does: a socket of the test takes systemd's place. */
@Timeout(60)
class SdNotifierTest {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int ROOM = 4096;
  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall RECV = SystemCall.bind("recv", "l:illi");

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  @TempDir private Path folder;
  private Path path;
  private Descriptor socket;

  @BeforeEach
  void open() throws IOException {
    path = folder.resolve("notify");
    socket = Descriptor.of(SOCKET.call(AF_UNIX, SOCK_DGRAM, 0));
    UnixSocket.bind(socket, path);
  }

  @AfterEach
  void close() {
    socket.close();
  }

  private String received() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room = arena.allocate(ROOM);
      long octets = RECV.call(socket.number(), room.address(), ROOM, 0);
      byte[] text = room.asSlice(0, octets).toArray(ValueLayout.JAVA_BYTE);
      return new String(text, StandardCharsets.UTF_8);
    }
  }

  private SdNotifier of(Map<String, String> environment) {
    return SdNotifier.of(environment, new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @Test
  void shouldTellThatTheDaemonIsReadyWorksAndStops() throws Exception {
    Process daemon =
        ChildJvm.start(
            DeathTest.Server.class,
            Map.of("NOTIFY_SOCKET", path.toString(), "WATCHDOG_USEC", "200000"));
    try {
      String at = ChildJvm.firstLine(daemon);
      assertThat(received()).isEqualTo("READY=1\nSTATUS=programs connect at " + at);
      assertThat(received()).isEqualTo("WATCHDOG=1");
      assertThat(received()).isEqualTo("WATCHDOG=1");

      daemon.getOutputStream().close();
      String state = received();
      while (state.equals("WATCHDOG=1")) {
        state = received();
      }
      assertThat(state).startsWith("STOPPING=1\n");
      assertThat(daemon.waitFor()).isZero();
    } finally {
      daemon.destroyForcibly();
    }
  }

  @Test
  void shouldTellWhichProcessIsTheServicesFromNowOn() throws Exception {
    Map<String, String> environment = Map.of("NOTIFY_SOCKET", path.toString());
    String folderName = folder.toString();
    Process old = ChildJvm.start(ReplacedDaemon.Main.class, environment, folderName, "first");
    assertThat(ChildJvm.firstLine(old)).isEqualTo("ready");
    assertThat(received()).startsWith("READY=1\n");
    Process next = ChildJvm.start(ReplacedDaemon.Main.class, environment, folderName, "next");
    try {
      assertThat(ChildJvm.firstLine(next)).isEqualTo("ready");
      assertThat(received()).isEqualTo("MAINPID=" + next.pid());
      assertThat(received()).startsWith("READY=1\n");
      assertThat(old.waitFor()).isZero();
    } finally {
      old.destroyForcibly();
      next.destroyForcibly();
    }
  }

  @Test
  void shouldKeepTheServiceFromProcessesOfOthers() throws Exception {
    int own = (int) ProcessHandle.current().pid();
    try (SdNotifier manager = of(Map.of("NOTIFY_SOCKET", path.toString()))) {
      assertThat(manager.keepsFrom(own)).isEmpty();
      // A process that has ended, as seen from here.
      assertThat(manager.keepsFrom(Integer.MAX_VALUE)).contains("is not of the service");
    }
    try (SdNotifier manager = of(Map.of())) {
      assertThat(manager.keepsFrom(Integer.MAX_VALUE)).isEmpty();
    }
  }

  @Test
  void shouldNotFeedTheWatchdogOfAnotherProcess() {
    try (SdNotifier manager =
        of(
            Map.of(
                "NOTIFY_SOCKET",
                path.toString(),
                "WATCHDOG_USEC",
                "1000000",
                "WATCHDOG_PID",
                "1"))) {
      assertThat(manager.watchdog()).isZero();
    }
  }

  @Test
  void shouldReadTheTimeOfTheWatchdog() {
    String self = Long.toString(ProcessHandle.current().pid());
    try (SdNotifier manager =
        of(
            Map.of(
                "NOTIFY_SOCKET",
                path.toString(),
                "WATCHDOG_USEC",
                "1500000",
                "WATCHDOG_PID",
                self))) {
      assertThat(manager.watchdog()).isEqualTo(Duration.ofMillis(1500));
    }
  }

  @Test
  void shouldDoNothingWithoutAServiceManager() {
    try (SdNotifier manager = of(Map.of())) {
      manager.ready("");
      assertThat(manager.watchdog()).isZero();
      assertThat(log.size()).isZero();
    }
  }

  @Test
  void shouldSayOnceThatNobodyReceives() {
    socket.close();
    try (SdNotifier manager = of(Map.of("NOTIFY_SOCKET", path.toString()))) {
      manager.feedWatchdog();
      manager.feedWatchdog();
    }
    assertThat(log.toString(StandardCharsets.UTF_8))
        .hasLineCount(1)
        .contains("was not told WATCHDOG=1");
  }

  @Test
  void shouldReportAnAddressThatIsNone() {
    of(Map.of("NOTIFY_SOCKET", "relative")).close();
    assertThat(log.toString(StandardCharsets.UTF_8)).contains("NOTIFY_SOCKET", "relative");
  }

  @Test
  void shouldReachAnAbstractAddress() throws Exception {
    String name = "rddp-test-" + ProcessHandle.current().pid();
    try (Descriptor abstractSocket = Descriptor.of(SOCKET.call(AF_UNIX, SOCK_DGRAM, 0));
        Arena arena = Arena.ofConfined()) {
      byte[] octets = ("\0" + name).getBytes(StandardCharsets.UTF_8);
      MemorySegment address = arena.allocate(2L + octets.length, 2);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(octets, 0, address, ValueLayout.JAVA_BYTE, 2, octets.length);
      SystemCall.bind("bind", "i:ili")
          .call(abstractSocket.number(), address.address(), address.byteSize());
      try (SdNotifier manager = of(Map.of("NOTIFY_SOCKET", "@" + name))) {
        manager.feedWatchdog();
      }
      socket.close();
      socket = abstractSocket.duplicate();
      assertThat(received()).isEqualTo("WATCHDOG=1");
    }
  }
}
