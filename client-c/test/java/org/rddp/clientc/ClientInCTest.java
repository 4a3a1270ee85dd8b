package org.rddp.clientc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.TestDaemon;

/**
 * Runs librddp's tests as processes against a daemon, with librddp under AddressSanitizer and
 * UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread).
 */
@Timeout(120)
class ClientInCTest {
  private static Process start(String test, TestDaemon daemon, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of("target", test).toString());
    command.add(daemon.socket().toString());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static void run(String test, String... arguments) throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      Process process = start(test, daemon, arguments);
      try (BufferedReader output = process.inputReader()) {
        assertThat(output.lines().toList()).last().isEqualTo("done");
      }
      assertThat(process.waitFor()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldCarryOutEveryOperation(String sanitizer) throws Exception {
    run("operations_test-" + sanitizer);
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
  void shouldNoticeTheEndOfTheDaemon(String sanitizer) throws Exception {
    TestDaemon daemon = new TestDaemon();
    Process process = start("lost_test-" + sanitizer, daemon);
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).isEqualTo("ready");
      daemon.close();
      assertThat(output.lines().toList()).last().isEqualTo("done");
    }
    assertThat(process.waitFor()).isZero();
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
