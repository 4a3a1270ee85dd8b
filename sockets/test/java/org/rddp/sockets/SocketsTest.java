package org.rddp.sockets;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/**
 * Runs tests in C as processes against a daemon, with the library under AddressSanitizer and
 * UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread), which follows no forked
 * process.
 */
@Timeout(120)
class SocketsTest {
  /** The parts of the name before the sanitizer say what is tested: see test/*.c. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sockets_test-address",
        "sockets_test-thread",
        "epoll_test-address",
        "epoll_test-thread",
        "fork_test-address"
      })
  void shouldBehaveAsTheManualPagesSay(String test) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program =
            ProgramInC.start(
                test,
                Map.of(
                    "RDDP_SOCKET",
                    daemon.socket().toString(),
                    "RDDP_SOCKETS_LOG",
                    "1",
                    "TSAN_OPTIONS",
                    "report_thread_leaks=0",
                    "ASAN_OPTIONS",
                    "detect_leaks=0"),
                List.of())) {
      program.finishTest();
    }
  }
}
