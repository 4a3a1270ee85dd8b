package org.rddp.sockets;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.OftenReplacedDaemon;

/**
 * Runs tests in C as {@link SocketsTest} does, while daemons take each other's place again and again. Not
 * interrupted_test, which filters its system calls, so that its streams cannot go over.
 */
@Timeout(180)
class ReplacementTest {
  @TempDir private Path folder;

  private void run(String test, String... arguments) throws Exception {
    try (OftenReplacedDaemon daemon = new OftenReplacedDaemon(folder)) {
      do {
        try (ProgramInC program =
            ProgramInC.start(
                test,
                Map.of(
                    "RDDP_SOCKET", daemon.socket().toString(),
                    "RDDP_SOCKETS_LOG", "1",
                    "TSAN_OPTIONS", "report_thread_leaks=0:die_after_fork=0",
                    "ASAN_OPTIONS", "detect_leaks=0"),
                List.of(arguments))) {
          program.finishTest();
        }
      } while (daemon.replacements() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sockets_test-address",
        "streams_test-address",
        "signals_test-address",
        "moved_test-address",
        "epoll_test-address",
        "nested_test-address",
        "ways_test-address",
        "deep_test-address",
        "fork_test-address",
        "descriptors_test-address",
        "sharing_test-address",
        "connecting_test-address",
        "flow_test-address",
        "shutdown_test-address",
        "numbers_test-address",
        "odd_test-address",
        "listening_test-address"
      })
  void shouldBehaveAsTheManualPagesSay(String test) throws Exception {
    run(test);
  }

  @ParameterizedTest
  @ValueSource(strings = {"random_test-address", "random_test-thread"})
  void shouldDeliverEveryOctetInOrder(String test) throws Exception {
    run(test, "5", "1");
  }
}
