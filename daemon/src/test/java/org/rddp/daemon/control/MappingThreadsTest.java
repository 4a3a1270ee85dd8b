package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.JoinedMemory;
import org.rddp.ipc.linux.SharedMemory;

@Timeout(60)
class MappingThreadsTest {
  /** By the thread of a program that has kept it waiting until then. */
  @Test
  void shouldUnmapAfterTheDaemonHasEnded() {
    MappingThreads threads = MappingThreads.start(Runnable::run, () -> {});
    threads.close();
    List<Thread> unmapping = new ArrayList<>();
    threads.unmap(0, () -> unmapping.add(Thread.currentThread()));
    assertThat(unmapping).containsExactly(Thread.currentThread());
  }

  /** Otherwise the end of a session would wait for the memory of another program. */
  @Test
  void shouldUnmapSmallMemoryWhileLargeMemoryIsBeingUnmapped() throws Exception {
    CountDownLatch smallIsUnmapped = new CountDownLatch(1);
    CountDownLatch largeIsUnmapped = new CountDownLatch(1);
    try (MappingThreads threads = MappingThreads.start(Runnable::run, () -> {});
        SharedMemory large = SharedMemory.create("large", MappingThreads.LARGE);
        SharedMemory small =
            SharedMemory.create("small", MappingThreads.LARGE - JoinedMemory.PAGE)) {
      try {
        new ProgramMapping(large, () -> await(smallIsUnmapped), threads)
            .release(largeIsUnmapped::countDown);
        new ProgramMapping(small, small::close, threads).release(smallIsUnmapped::countDown);
        largeIsUnmapped.await();
      } finally {
        smallIsUnmapped.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("the small memory was not unmapped", e);
    }
  }
}
