package org.rddp.clientc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.daemon.ProgramInC;

/**
 * librddp's end of the rings in a process in C, while this JVM is the daemon's end: the races of
 * jcstress's tests of the module {@code client}, and a long stream. A wake-up that is lost lets the
 * stream stand still.
 */
@Timeout(60)
class RingsInCTest {
  private static final int BATCHES = 400;
  private static final int MOST_BATCHES = 100_000;

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(RingRace.class)
  void shouldSeeOnlyOutcomesThatJcstressAccepts(RingRace race) throws Exception {
    Path file = folder.resolve("races");
    Map<String, Integer> outcomes = new TreeMap<>();
    try (RingRaces races = new RingRaces(file);
        ProgramInC program =
            ProgramInC.start("rings_race", Map.of(), List.of(file.toString()))) {
      // At least until the two ends have overtaken each other.
      for (int i = 0; i < BATCHES || (outcomes.size() < 2 && i < MOST_BATCHES); i++) {
        races.run(race, outcomes);
      }
      races.end();
      program.finishTest();
    }
    assertThat(outcomes).hasSizeGreaterThan(1);
    assertThat(race.acceptable()).containsAll(outcomes.keySet());
  }

  @Test
  void shouldCarryAStreamOfRequestsOverManyLaps() throws Exception {
    int requests = 210_000;
    Path file = folder.resolve("stream");
    try (RingStream stream = new RingStream(file);
        ProgramInC program =
            ProgramInC.start(
                "rings_race", Map.of(), List.of(file.toString(), String.valueOf(requests)))) {
      stream.serve(requests, program);
      program.finishTest();
    }
  }
}
