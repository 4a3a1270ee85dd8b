package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchdogTest {
  private final AtomicInteger fed = new AtomicInteger();

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldNotBeFedWhileAnEngineIsStuckInATurn() {
    try (TestDaemon daemon = new TestDaemon();
        Watchdog watchdog =
            new Watchdog(daemon.daemon().threads(), Duration.ofHours(1), fed::incrementAndGet)) {
      awaitFed(watchdog, 3);

      CountDownLatch stuck = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      daemon
          .daemon()
          .engines()
          .getFirst()
          .execute(() -> {
            stuck.countDown();
            await(released);
          });
      await(stuck);
      // The first check may still find turns from before.
      watchdog.check();
      int before = fed.get();
      watchdog.check();
      watchdog.check();
      assertThat(fed).hasValue(before);

      released.countDown();
      awaitFed(watchdog, before + 1);
    }
  }

  private void awaitFed(Watchdog watchdog, int times) {
    TestDaemon.await(
        () -> {
          watchdog.check();
          return fed.get() >= times;
        },
        "the watchdog is fed");
  }
}
