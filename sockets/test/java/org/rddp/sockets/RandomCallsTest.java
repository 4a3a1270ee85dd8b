package org.rddp.sockets;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/** Runs random calls against a model, over the kernel and over rddp with the same seeds. */
@Timeout(180)
class RandomCallsTest {
  private static final String SECONDS = "5";
  private static final String SEED = "1";

  @ParameterizedTest
  @ValueSource(strings = {"random_test-address", "random_test-thread"})
  void shouldDeliverEveryOctetInOrder(String test) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program =
            ProgramInC.start(
                test,
                Map.of(
                    "RDDP_SOCKET",
                    daemon.socket().toString(),
                    "ASAN_OPTIONS",
                    "detect_leaks=0",
                    "TSAN_OPTIONS",
                    "report_thread_leaks=0:die_after_fork=0"),
                List.of(SECONDS, SEED))) {
      program.finishTest();
    }
  }
}
