package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.ThreadScheduling;

@Timeout(20)
class EngineProcessorsTest {
  private final Set<Integer> engines = new HashSet<>();
  private final EngineProcessors processors = new EngineProcessors(engines::contains);
  private final int[] all = allowed();

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
    engines.add(all[0]);
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
  void shouldMoveOneThreadOnlyAtATime() throws Exception {
    engines.add(all[0]);
    boolean moved;
    do {
      ThreadScheduling.move(all[0]);
      moved = processors.leave();
    } while (moves() && !moved);
    FutureTask<Boolean> other =
        new FutureTask<>(() -> {
          ThreadScheduling.move(all[0]);
          return processors.leave();
        });
    Thread.ofPlatform().start(other);
    assertThat(other.get()).isFalse();
  }

  @Test
  void shouldLeaveThreadsWhereAllProcessorsHaveEngines() throws Exception {
    engines.addAll(Set.of(all[0], all[all.length - 1]));
    ThreadScheduling.move(all[0]);
    assertThat(processors.leave()).isFalse();
  }

  @Test
  void shouldLeaveThreadsWhoseProcessorsSomebodyHasChosen() throws Exception {
    engines.add(all[0]);
    ThreadScheduling.pin(all[0]);
    assertThat(processors.leave()).isFalse();
    assertThat(allowed()).containsExactly(all[0]);
    ThreadScheduling.move(all[0]);
  }
}
