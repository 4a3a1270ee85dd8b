package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HandOverQueueTest {
  private static final int ENTRIES = 200_000;

  private final HandOverQueue queue = new HandOverQueue(256);

  @Test
  void shouldRefuseWhatDoesNotFit() {
    int taken = 0;
    while (queue.offer(taken, 0, 0, 0, 0, 0, 0)) {
      taken++;
    }
    assertThat(taken).isEqualTo(256);
    assertThat(queue.size()).isEqualTo(256);
    queue.remove();
    assertThat(queue.offer(7, 0, 0, 0, 0, 0, 0)).isTrue();
    assertThat(queue.word(0)).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // There may be one core.
  void shouldPassEveryEntryWholeAndInOrderFromOneThreadToAnother() {
    CompletableFuture<Void> producer =
        CompletableFuture.runAsync(() -> {
          for (long i = 0; i < ENTRIES; i++) {
            while (!queue.offer(i, ~i, i << 8, -i, i * i, i + 1, i + 2)) {
              Thread.yield();
            }
          }
        });
    for (long i = 0; i < ENTRIES; i++) {
      while (queue.size() == 0) {
        Thread.yield();
      }
      long[] words = {queue.word(0), queue.word(1), queue.word(2), queue.word(3), queue.word(4)};
      queue.remove();
      assertThat(words).containsExactly(i, ~i, i << 8, -i, i * i);
    }
    producer.join();
    assertThat(queue.size()).isZero();
  }
}
