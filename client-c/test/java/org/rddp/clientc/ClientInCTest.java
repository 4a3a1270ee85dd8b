package org.rddp.clientc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.ReplacedDaemon;
import org.rddp.daemon.TestDaemon;

/**
 * Runs librddp's tests as processes against a daemon, with librddp under AddressSanitizer and
 * UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread).
 */
@Timeout(120)
class ClientInCTest {
  private static void run(String test, String... arguments) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program = ProgramInC.startTest(test, daemon.socket(), arguments)) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldCarryOutEveryOperation(String sanitizer) throws Exception {
    run("operations_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldUseInterfacesWithoutIpv4(String sanitizer) throws Exception {
    try (TestDaemon daemon = TestDaemon.withoutIpv4(1);
        ProgramInC program = ProgramInC.startTest("ipv6_only_test-" + sanitizer, daemon.socket())) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldConnectQueuePairsByNumber(String sanitizer) throws Exception {
    run("numbers_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldShareMemoryThatTheProgramBrings(String sanitizer) throws Exception {
    run("memory_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldDeliverEveryMessageInOrderOverManyLapsOfTheRings(String sanitizer) throws Exception {
    run("stream_test-" + sanitizer, "20000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldServeSeveralThreadsOfASession(String sanitizer) throws Exception {
    run("threads_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldKeepNothingOfRequestsThatEndBeforeTheyAreTaken(String sanitizer) throws Exception {
    run("requests_test-" + sanitizer, "2000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldNoticeTheEndOfTheDaemon(String sanitizer) throws Exception {
    TestDaemon daemon = new TestDaemon();
    try (ProgramInC program = ProgramInC.startTest("lost_test-" + sanitizer, daemon.socket())) {
      assertThat(program.line()).isEqualTo("ready");
      daemon.close();
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldGoOnWhenTheDaemonIsReplaced(String sanitizer, @TempDir Path folder) throws Exception {
    Path socket = ReplacedDaemon.socket(folder);
    try (ReplacedDaemon daemon = ReplacedDaemon.start(folder);
        ProgramInC program = ProgramInC.startTest("replaced_test-" + sanitizer, socket)) {
      shouldGoOn(program);
      for (int i = 0; i < 2; i++) {
        daemon.replace();
        shouldGoOn(program);
      }
      program.closeInput();
      program.finishTest();
    }
  }

  private static void shouldGoOn(ProgramInC program) throws Exception {
    program.write("go on\n");
    assertThat(program.line()).isEqualTo("goes on");
  }

  @Test
  void shouldInstallForThePrefixOfEachInstallation(@TempDir Path folder) throws Exception {
    for (String prefix : List.of("one", "other")) {
      Path installed = folder.resolve(prefix);
      Process make =
          new ProcessBuilder("make", "-s", "install", "TARGET=" + folder, "PREFIX=" + installed)
              .inheritIO()
              .start();
      assertThat(make.waitFor()).isZero();
      assertThat(installed.resolve("lib/pkgconfig/rddp.pc"))
          .content()
          .startsWith("prefix=" + installed + "\n");
    }
  }
}
