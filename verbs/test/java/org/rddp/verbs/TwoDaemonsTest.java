package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.ProgramInC;

/** Queue pairs that connect by number between two daemons, each in a process of its own. */
@Timeout(180)
class TwoDaemonsTest {
  @TempDir Path folder;

  private DaemonProcess one;
  private DaemonProcess two;

  @BeforeEach
  void startDaemons() throws IOException {
    assumeTrue(
        Files.exists(RdmaPrograms.LIBRARY), "built where libibverbs-dev and librdmacm-dev are");
    one = DaemonProcess.startLinked(folder, 0);
    two = DaemonProcess.startLinked(folder, 1);
  }

  @AfterEach
  void endDaemons() {
    if (one != null) {
      one.close();
    }
    if (two != null) {
      two.close();
    }
  }

  private ProgramInC start(String test) throws IOException {
    return ProgramInC.startTest(
        test, DaemonProcess.socket(folder, 0), DaemonProcess.socket(folder, 1).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldConnectInAnyOrderAndAfterADaemonWasKilled(String sanitizer) throws Exception {
    try (ProgramInC program = start("two_daemons_test-" + sanitizer)) {
      assertThat(program.line()).isEqualTo("kill");
      two.kill();
      program.write("done\n");
      assertThat(program.line()).isEqualTo("start");
      two = DaemonProcess.startLinked(folder, 1);
      program.write("done\n");
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldConnectAndEndAtRandom(String sanitizer) throws Exception {
    try (ProgramInC program = start("numbers_random_test-" + sanitizer)) {
      program.finishTest();
    }
  }
}
