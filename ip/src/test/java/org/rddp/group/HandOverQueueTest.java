package org.rddp.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.rddp.group.HandOverEntry.Kind;

class HandOverQueueTest {
  private static final int ENTRIES = 200_000;

  private final HandOverQueue queue = new HandOverQueue(256);
  private final HandOverEntry taken = new HandOverEntry();

  /** An entry whose values all tell its number. */
  private static HandOverEntry entry(HandOverEntry entry, long i) {
    entry.kind = (i & 1) == 0 ? Kind.SEGMENT : Kind.QUIET_SEGMENT;
    entry.code = (int) i & 3;
    entry.packet = i;
    entry.header = ~i;
    entry.length = (int) i;
    entry.macAddress = -i;
    entry.remote = (int) i + 2;
    entry.high = i * i;
    entry.low = i + 1;
    return entry;
  }

  private static boolean isWhole(HandOverEntry entry, long i) {
    return entry.kind == ((i & 1) == 0 ? Kind.SEGMENT : Kind.QUIET_SEGMENT)
        && entry.code == ((int) i & 3)
        && entry.packet == i
        && entry.header == ~i
        && entry.length == (int) i
        && entry.macAddress == -i
        && entry.remote == (int) i + 2
        && entry.high == i * i
        && entry.low == i + 1;
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
    assertThat(taken.packet).isZero();
    assertThat(offer(7)).isTrue();
    queue.take(taken);
    assertThat(taken.packet).isEqualTo(1);
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
      assertThat(isWhole(taken, i)).as("entry " + i).isTrue();
    }
    producer.join();
    assertThat(queue.size()).isZero();
  }
}
