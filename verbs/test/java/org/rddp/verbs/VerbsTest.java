package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/**
 * Runs tests in C as processes against a daemon, with the library under AddressSanitizer and
 * UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread).
 */
@Timeout(120)
class VerbsTest {
  private static final int FOUR_THOUSAND = 4000;

  @BeforeEach
  void needTheLibrary() {
    assumeTrue(
        Files.exists(Path.of("target", "librddp-verbs.so")),
        "built where libibverbs-dev and librdmacm-dev are");
  }

  /** The parts of the name before the sanitizer say what is tested: see test/*.c. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "verbs_test-address",
        "verbs_test-thread",
        "windows_test-address",
        "windows_test-thread",
        "shared_test-address",
        "shared_test-thread",
        "killed_peer_test-address",
        "killed_peer_test-thread",
        "devices_test-address",
        "devices_test-thread",
        "spin_test-address",
        "rereg_test-address",
        "rereg_test-thread",
        "number_test-address",
        "number_test-thread",
        "events_test-address",
        "events_test-thread",
        "requests_test-address",
        "requests_test-thread",
        "few_memory_test-address",
        "few_memory_test-thread"
      })
  void shouldBehaveAsTheManualPagesSay(String test) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program = ProgramInC.startTest(test, daemon.socket())) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @CsvSource({"address, 1", "thread, 1", "address, 2", "thread, 2"})
  void shouldConnectAndEndQueuePairsAtRandom(String sanitizer, int engines) throws Exception {
    try (TestDaemon daemon = TestDaemon.withEngines(engines);
        ProgramInC program =
            ProgramInC.startTest(
                "numbers_random_test-" + sanitizer, daemon.socket(), daemon.socket().toString())) {
      program.finishTest();
    }
  }

  /** 5 s with a daemon that is warm, and 70 s with a load of 17 by other processes. */
  @Test
  @Timeout(300)
  void shouldConnectFourThousandQueuePairs() throws Exception {
    try (TestDaemon daemon = TestDaemon.withConnections(FOUR_THOUSAND);
        ProgramInC program =
            ProgramInC.startTest(
                "many_numbers_test-address",
                daemon.socket(),
                Integer.toString(FOUR_THOUSAND))) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldUseInterfacesWithoutIpv4(String sanitizer) throws Exception {
    try (TestDaemon daemon = TestDaemon.withoutIpv4AtOne();
        ProgramInC program =
            ProgramInC.startTest("devices_test-" + sanitizer, daemon.socket(), "ipv6-only")) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldNotWaitForStandardError(String sanitizer) throws Exception {
    try (TestDaemon daemon = TestDaemon.withPortsOfQueuePairs(4794, 4795);
        ProgramInC program =
            ProgramInC.startTest("refused_number_test-" + sanitizer, daemon.socket())) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldFlushWhenTheDaemonEnds(String sanitizer) throws Exception {
    TestDaemon daemon = new TestDaemon();
    try (ProgramInC program =
        ProgramInC.startTest("lost_verbs_test-" + sanitizer, daemon.socket())) {
      assertThat(program.line()).isEqualTo("ready");
      daemon.close();
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldGoOnWithTheNextDaemon(String sanitizer, @TempDir Path directory) throws Exception {
    TestDaemon daemon = new TestDaemon(directory);
    try (ProgramInC program =
        ProgramInC.startTest("restarted_verbs_test-" + sanitizer, daemon.socket())) {
      String line = program.line();
      while ("end".equals(line) || "start".equals(line)) {
        if ("end".equals(line)) {
          daemon.close();
        } else {
          daemon = new TestDaemon(directory);
        }
        program.write("done\n");
        line = program.line();
      }
      assertThat(line).isEqualTo("done");
      program.finish();
    } finally {
      daemon.close();
    }
  }
}
