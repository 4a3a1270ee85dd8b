package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MappingThreadsTest {
  /** By the thread of a program that has kept it waiting until then. */
  @Test
  void shouldUnmapAfterTheDaemonHasEnded() {
    MappingThreads threads = MappingThreads.start(Runnable::run, () -> {});
    threads.close();
    List<Thread> unmapping = new ArrayList<>();
    threads.unmap(() -> unmapping.add(Thread.currentThread()));
    assertThat(unmapping).containsExactly(Thread.currentThread());
  }
}
