package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.ProcessorMask;
import org.rddp.ipc.linux.ThreadScheduling;

@Timeout(20)
class EngineProcessorsTest {
  private static final int TRIES = 100;

  private final Set<Integer> engines = new HashSet<>();
  private long now = 1;
  private final EngineProcessors processors = new EngineProcessors(engines::contains, () -> now);
  private final int[] all = allowed();

  private static int[] allowed() {
    try {
      return ThreadScheduling.allowedProcessors();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether this is a machine where threads are moved. */
  private boolean moves() {
    return all.length == 2
        && Runtime.getRuntime().availableProcessors() == 2
        && !ThreadScheduling.isFiltered();
  }

  private void moveToFirst() throws IOException {
    ThreadScheduling.pin(all[0]);
    ProcessorMask.all().apply();
  }

  /** Whether a thread leaves the first processor; the kernel may move it before, but not always. */
  private boolean leaves() throws IOException {
    boolean moved = false;
    for (int i = 0; i < TRIES && !moved; i++) {
      moveToFirst();
      moved = processors.leave();
    }
    return moved;
  }

  private static boolean onAnotherThread(Callable<Boolean> action) throws Exception {
    FutureTask<Boolean> task = new FutureTask<>(action);
    Thread.ofPlatform().start(task);
    return task.get();
  }

  @Test
  void shouldMoveTheThreadToTheProcessorWithoutAnEngine() throws Exception {
    engines.add(all[0]);
    assertThat(leaves()).isEqualTo(moves());
    assertThat(allowed()).isEqualTo(all);
  }

  @Test
  void shouldMoveOneThreadOnlyAtATime() throws Exception {
    engines.add(all[0]);
    assertThat(leaves()).isEqualTo(moves());
    assertThat(onAnotherThread(this::leaves)).isFalse();
    now += EngineProcessors.BETWEEN_THREADS;
    assertThat(onAnotherThread(this::leaves)).isEqualTo(moves());
  }

  @Test
  void shouldLeaveThreadsWhereAllProcessorsHaveEngines() throws Exception {
    engines.addAll(Set.of(all[0], all[all.length - 1]));
    moveToFirst();
    assertThat(processors.leave()).isFalse();
  }

  @Test
  void shouldMoveThreadsOnlyWhereTheProcessMayUseBothOfTheMachine() {
    assertThat(EngineProcessors.both(new int[] {0, 1}, "0-1\n")).containsExactly(0, 1);
    assertThat(EngineProcessors.both(new int[] {0, 2}, "0,2\n")).containsExactly(0, 2);
    assertThat(EngineProcessors.both(new int[] {0, 3}, "0-3\n")).isEmpty();
    assertThat(EngineProcessors.both(new int[] {4, 5}, "0-63\n")).isEmpty();
    assertThat(EngineProcessors.both(new int[] {0}, "0-1\n")).isEmpty();
    assertThat(EngineProcessors.both(new int[] {0}, "0\n")).isEmpty();
    assertThat(EngineProcessors.both(new int[] {0, 1, 2}, "0-2\n")).isEmpty();
  }

  @Test
  void shouldLeaveThreadsWhoseProcessorsSomebodyHasChosen() throws Exception {
    engines.add(all[0]);
    ThreadScheduling.pin(all[0]);
    assertThat(processors.leave()).isFalse();
    assertThat(allowed()).containsExactly(all[0]);
    ProcessorMask.all().apply();
  }
}
