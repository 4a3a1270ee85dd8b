package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HandOverQueueTest {
  private static final int ENTRIES = 200_000;

  private final HandOverQueue queue = new HandOverQueue(256);
  private final HandOverEntry taken = new HandOverEntry();

  /** An entry whose values all tell its number. */
  private static HandOverEntry entry(HandOverEntry entry, long i) {
    return entry
        .segment((i & 1) == 0, (int) i & 3, i, ~i, (int) i, -i)
        .remote(i * i, i + 1, (int) i + 2);
  }

  private boolean offer(long i) {
    return queue.offer(entry(new HandOverEntry(), i));
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    int offered = 0;
    while (offer(offered)) {
      offered++;
    }
    assertThat(offered).isEqualTo(256);
    assertThat(queue.size()).isEqualTo(256);
    queue.take(taken);
    assertThat(taken.packet()).isZero();
    assertThat(offer(7)).isTrue();
    queue.take(taken);
    assertThat(taken.packet()).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // There may be one core.
  void shouldPassEveryEntryWholeAndInOrderFromOneThreadToAnother() {
    CompletableFuture<Void> producer =
        CompletableFuture.runAsync(() -> {
          HandOverEntry given = new HandOverEntry();
          for (long i = 0; i < ENTRIES; i++) {
            while (!queue.offer(entry(given, i))) {
              Thread.yield();
            }
          }
        });
    for (long i = 0; i < ENTRIES; i++) {
      while (queue.size() == 0) {
        Thread.yield();
      }
      queue.take(taken);
      assertThat(taken.words).isEqualTo(entry(new HandOverEntry(), i).words);
    }
    producer.join();
    assertThat(queue.size()).isZero();
  }
}
