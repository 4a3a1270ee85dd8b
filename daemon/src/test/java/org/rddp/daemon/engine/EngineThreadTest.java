package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.configuration.IdleMode;

class EngineThreadTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(60);

  private final List<Throwable> lost = new ArrayList<>();
  private final EngineThread thread =
      new EngineThread("paused", List.of(), IdleMode.PARK, null, () -> {}, () -> {}, lost::add);

  @AfterEach
  void stop() {
    thread.stop();
    assertThat(thread.awaitEnd(LONG)).isTrue();
    assertThat(lost).isEmpty();
  }

  @Test
  void shouldPauseAgainAsSoonAsItHasBeenResumed() {
    thread.start();
    for (int i = 0; i < 10_000; i++) {
      assertThat(thread.pause(LONG)).isTrue();
      thread.resume();
    }
    assertThat(thread.isAlive()).isTrue();
  }

  @Test
  void shouldNotGoOnOnceItWasStopped() {
    thread.start();
    assertThat(thread.pause(LONG)).isTrue();
    thread.stop();
    thread.resume();
    assertThat(thread.awaitEnd(LONG)).isTrue();
  }
}
