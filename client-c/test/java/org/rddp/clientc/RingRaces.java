package org.rddp.clientc;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Map;
import org.rddp.ipc.ring.DaemonRings;

/**
 * The daemon's end of races on rings that it shares with a program in C (test/race/rings_race.c):
 * batches of rounds, each on rings of its own. Both ends go through the rounds of a batch at the
 * same time; before and behind it they wait for each other.
 */
final class RingRaces implements AutoCloseable {
  /** Rounds of a batch, and octets of the rings of one: as in test/race/shared.h. */
  private static final int ROUNDS = 256;

  private static final int RINGS_OCTETS = 1536;

  private static final long DAEMON_STEP = 0;
  private static final long PROGRAM_STEP = 128;
  private static final long RACE = 256;
  private static final long DAEMON_ROUND = 384;
  private static final long PROGRAM_ROUND = 512;
  private static final long RESULTS = 4096;
  private static final long RINGS = 8192;
  private static final int END = 5;
  private static final int LONGEST_MEETING = 500;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment shared;
  private final DaemonRings[] rings = new DaemonRings[ROUNDS];
  private final int[] results = new int[ROUNDS];
  private long step;
  private long round;

  /** The memory of all rounds, in a new file. */
  RingRaces(Path file) throws IOException {
    shared = SharedFile.map(file, RINGS + (long) ROUNDS * RINGS_OCTETS, arena);
  }

  /**
   * Runs a batch, and counts what came out.
   *
   * @param outcomes how often each has been, such as "1, 3": what {@link RingRace#outcome} says
   */
  @SuppressWarnings("EnumOrdinal") // the same order as that of enum race in rings_race.c
  void run(RingRace race, Map<String, Integer> outcomes) {
    shared.asSlice(RESULTS).fill((byte) 0); // a state word of the batch before is no state
    for (int i = 0; i < ROUNDS; i++) {
      MemorySegment memory = shared.asSlice(RINGS + (long) i * RINGS_OCTETS, RINGS_OCTETS);
      rings[i] = new DaemonRings(memory, race.submissionSlots(), race.completionSlots());
      race.layOut(rings[i]);
    }
    LONG.setOpaque(shared, RACE, (long) race.ordinal());
    keepStep();
    for (DaemonRings each : rings) {
      race.setUp(each);
    }
    LONG.setRelease(shared, DAEMON_STEP, ++step);
    for (int i = 0; i < ROUNDS; i++) {
      meet(++round);
      results[i] = race.run(rings[i]);
    }
    awaitProgram();
    for (int i = 0; i < ROUNDS; i++) {
      int first = shared.get(ValueLayout.JAVA_INT, RESULTS + i * 8L);
      int second = shared.get(ValueLayout.JAVA_INT, RESULTS + i * 8L + 4);
      outcomes.merge(race.outcome(results[i], first, second), 1, Integer::sum);
    }
  }

  /** Tells the program that there are no more batches. */
  void end() {
    LONG.setOpaque(shared, RACE, (long) END);
    LONG.setRelease(shared, DAEMON_STEP, ++step);
  }

  private void keepStep() {
    LONG.setRelease(shared, DAEMON_STEP, ++step);
    awaitProgram();
  }

  private void awaitProgram() {
    while ((long) LONG.getAcquire(shared, PROGRAM_STEP) < step) {
      SharedFile.yieldUnlessInterrupted();
    }
  }

  /** Waits a little for the program to be at a round, too. */
  private void meet(long at) {
    LONG.setRelease(shared, DAEMON_ROUND, at);
    for (int i = 0; i < LONGEST_MEETING; i++) {
      if ((long) LONG.getAcquire(shared, PROGRAM_ROUND) >= at) {
        return;
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
