package org.rddp.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/**
 * Runs tests in C as processes against a daemon, with the library under AddressSanitizer and
 * UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread), which follows no forked
 * process, and lets no signal handler run while a thread receives.
 */
@Timeout(120)
class SocketsTest {
  @TempDir private Path folder;

  private static ProgramInC start(String test, Path socket, String... arguments)
      throws IOException {
    return ProgramInC.start(
        test,
        Map.of(
            "RDDP_SOCKET",
            socket.toString(),
            "RDDP_SOCKETS_LOG",
            "1",
            "TSAN_OPTIONS",
            "report_thread_leaks=0",
            "ASAN_OPTIONS",
            "detect_leaks=0"),
        List.of(arguments));
  }

  /** The next line of a program's own, not the library's. */
  private static String said(ProgramInC program) throws IOException {
    String line = program.line();
    while (line != null && line.startsWith("rddp sockets")) {
      line = program.line();
    }
    return line;
  }

  /** The parts of the name before the sanitizer say what is tested: see test/*.c. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sockets_test-address",
        "sockets_test-thread",
        "streams_test-address",
        "streams_test-thread",
        "signals_test-address",
        "moved_test-address",
        "moved_test-thread",
        "epoll_test-address",
        "epoll_test-thread",
        "nested_test-address",
        "nested_test-thread",
        "ways_test-address",
        "ways_test-thread",
        "deep_test-address",
        "deep_test-thread",
        "fork_test-address",
        "again_test-address",
        "descriptors_test-address",
        "sharing_test-address",
        "connecting_test-address",
        "connecting_test-thread",
        "flow_test-address",
        "flow_test-thread",
        "shutdown_test-address",
        "shutdown_test-thread",
        "numbers_test-address",
        "numbers_test-thread",
        "odd_test-address",
        "listening_test-address",
        "interrupted_test-address"
      })
  void shouldBehaveAsTheManualPagesSay(String test) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program = start(test, daemon.socket())) {
      program.finishTest();
    }
  }

  @Test
  void shouldSayThatASessionIsRefused() throws Exception {
    try (TestDaemon daemon = TestDaemon.withKeys("", "[limits]\nsessions = 1\nuser-share = 100");
        ProgramInC program = start("sessions_test-address", daemon.socket())) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldLeaveHostsWithoutRddpToTheKernelWhereARuleSaysSo(String sanitizer) throws Exception {
    try (TestDaemon daemon = TestDaemon.withoutStreamsAtTwo();
        ProgramInC program = start("ways_test-" + sanitizer, daemon.socket(), "strange")) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldGoOnOnceTheRingsHaveRoomAgain(String sanitizer) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(folder);
        ProgramInC program =
            start(
                "full_test-" + sanitizer,
                DaemonProcess.socket(folder),
                Long.toString(daemon.pid()))) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldGoOnWithTheNextDaemon(String sanitizer) throws Exception {
    try (DaemonProcess first = DaemonProcess.start(folder);
        ProgramInC program = start("lost_test-" + sanitizer, DaemonProcess.socket(folder))) {
      assertThat(said(program)).isEqualTo("ready");
      first.kill();
      program.write("it has ended\n");
      assertThat(said(program)).isEqualTo("lost");
      try (DaemonProcess _ = DaemonProcess.start(folder)) {
        program.write("there is another\n");
        program.finishTest();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldConnectProgramsOfTwoDaemons(String sanitizer) throws Exception {
    String test = "two_daemons_test-" + sanitizer;
    try (DaemonProcess _ = DaemonProcess.startLinked(folder, 0);
        DaemonProcess _ = DaemonProcess.startLinked(folder, 1);
        ProgramInC server = start(test, DaemonProcess.socket(folder, 1), "server")) {
      String port = said(server);
      try (ProgramInC client = start(test, DaemonProcess.socket(folder, 0), "client", port)) {
        client.finishTest();
      }
      try (ProgramInC _ = start(test, DaemonProcess.socket(folder, 0), "killed", port)) {
        assertThat(said(server)).isEqualTo("connected");
      }
      server.finishTest();
    }
  }
}
