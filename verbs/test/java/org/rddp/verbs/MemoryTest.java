package org.rddp.verbs;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/**
 * Runs the tests of registered memory (test/memory) as processes against a daemon, under
 * AddressSanitizer and UndefinedBehaviorSanitizer (address) and under ThreadSanitizer (thread).
 */
@Timeout(120)
class MemoryTest {
  private static void run(String test, String... arguments) throws Exception {
    // Without the headers of libibverbs nothing of this module is built.
    assumeThat(Files.exists(ProgramInC.built(test))).isTrue();
    try (TestDaemon daemon = new TestDaemon();
        ProgramInC program = ProgramInC.startTest(test, daemon.socket(), arguments)) {
      program.finishTest();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldRegisterEveryKindOfMemory(String sanitizer) throws Exception {
    run("kinds_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldReadTheListOfMappingsOfOlderKernels(String sanitizer) throws Exception {
    run("kinds_test-" + sanitizer, "text");
    run("shares_test-" + sanitizer, "text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldKeepMemoryWhateverTheProgramDoesWithIt(String sanitizer) throws Exception {
    run("life_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldLetOtherProcessesSeeWhatArrives(String sanitizer) throws Exception {
    run("shares_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldRefuseWhatCannotBeRegistered(String sanitizer) throws Exception {
    run("refusals_test-" + sanitizer);
  }

  /** For longer: rddp.memory=600s and rddp.seed. */
  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  @Timeout(1200)
  void shouldLoseNothingWhenThreadsRegisterUnmapAndForkAtRandom(String sanitizer)
      throws Exception {
    String work = System.getProperty("rddp.memory", "1500");
    run("random_test-" + sanitizer, System.getProperty("rddp.seed", "1"), work);
  }

  /** ThreadSanitizer delays signals, so threads under it cannot be stopped by one. */
  @ParameterizedTest
  @CsvSource({
    "address, protection",
    "address, tracing",
    "address, signal",
    "thread, protection",
    "thread, tracing"
  })
  void shouldLoseNoWriteOfAnotherThread(String sanitizer, String way) throws Exception {
    run("ways_test-" + sanitizer, way);
  }

  /** ThreadSanitizer delays signals until the pages have been replaced. */
  @ParameterizedTest
  @ValueSource(strings = {"alone", "protection", "tracing", "signal"})
  void shouldLoseNoWriteOfASignalHandler(String way) throws Exception {
    run("signals_test-address", way);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldStopThreadsThatWaitForWorkersOfTheKernelAsTheyEnd(String sanitizer) throws Exception {
    run("exits_test-" + sanitizer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"address", "thread"})
  void shouldLetNobodyElseTraceTheProgramAndKeepItsOwnChoice(String sanitizer) throws Exception {
    run("permission_test-" + sanitizer);
  }
}
