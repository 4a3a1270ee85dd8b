package org.rddp.client.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.ring.Doorbells;

@Timeout(20)
class EngineProcessorsTest {
  private final Doorbells[] sections = {bells(), bells()};
  private final EngineProcessors processors = new EngineProcessors(sections);
  private final int[] all = allowed();

  private static Doorbells bells() {
    return new Doorbells(Arena.ofAuto().allocate(Doorbells.OCTETS, 64).address());
  }

  private static int[] allowed() {
    try {
      return ThreadScheduling.allowedProcessors();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether this is a machine where threads are moved. */
  private boolean moves() {
    return all.length == 2 && Runtime.getRuntime().availableProcessors() == 2;
  }

  @Test
  void shouldMoveTheThreadToTheProcessorWithoutAnEngine() throws Exception {
    sections[0].runsOn(all[0]);
    sections[1].runsOn(all[0]);
    boolean moved;
    do {
      ThreadScheduling.move(all[0]);
      moved = processors.leave();
      // The kernel may have moved it before.
    } while (moves() && !moved);
    assertThat(moved).isEqualTo(moves());
    assertThat(allowed()).isEqualTo(all);
  }

  @Test
  void shouldLeaveThreadsWhereAllProcessorsHaveEngines() throws Exception {
    sections[0].runsOn(all[0]);
    sections[1].runsOn(all[all.length - 1]);
    ThreadScheduling.move(all[0]);
    assertThat(processors.leave()).isFalse();
  }

  @Test
  void shouldLeaveThreadsWhoseProcessorsSomebodyHasChosen() throws Exception {
    sections[0].runsOn(all[0]);
    ThreadScheduling.pin(all[0]);
    assertThat(processors.leave()).isFalse();
    assertThat(allowed()).containsExactly(all[0]);
    ThreadScheduling.move(all[0]);
  }
}
