package org.rddp.ddp.sending;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A token bucket of 8 Gbit/s, which pays for an octet in a nanosecond. */
class RateLimitTest {
  private static final long RATE = 8_000_000_000L;
  private static final int BURST = 1000;

  private final RateLimit limit = new RateLimit(RATE, BURST);

  private boolean isReady(long now) {
    return limit.readyAt() <= now;
  }

  @Test
  void shouldAllowABurstAtFirst() {
    assertThat(isReady(0)).isTrue();
    limit.take(BURST, 0);
    assertThat(isReady(0)).isTrue();
    limit.take(1, 0);
    assertThat(isReady(0)).isFalse();
    assertThat(limit.readyAt()).isEqualTo(1);
  }

  @Test
  void shouldPayAfterwardsForMoreThanThereWas() {
    limit.take(BURST + 500, 100);
    assertThat(isReady(599)).isFalse();
    assertThat(isReady(600)).isTrue();
  }

  @Test
  void shouldSaveNoMoreThanABurst() {
    limit.take(BURST + 500, 0);
    limit.take(BURST, 1_000_000);
    assertThat(limit.readyAt()).isEqualTo(1_000_000);
  }

  @Test
  void shouldRoundInFavourOfTheLimit() {
    RateLimit odd = new RateLimit(3_000_000_000L, 1);
    odd.take(1, 10);
    assertThat(odd.readyAt()).as("2.67 ns for an octet").isEqualTo(10);
    odd.take(1, 10);
    assertThat(odd.readyAt()).isEqualTo(13);
  }

  /** The engines of an interface share it. */
  @Test
  void shouldLoseNothingThatSeveralThreadsTakeAtOnce() throws InterruptedException {
    int takes = 10_000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int j = 0; j < takes; j++) {
                  limit.take(10, 0);
                }
              }));
    }
    for (Thread each : threads) {
      each.join();
    }
    assertThat(limit.readyAt()).isEqualTo(4L * takes * 10 - BURST);
  }
}
