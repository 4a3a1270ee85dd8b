package org.rddp.ddp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Many queues of a program share an amount of memory. */
class QueueMemoryTest {
  private static final int REQUESTS = 256;
  private static final int OCTETS = 500;
  private static final long LIMIT = (long) REQUESTS * QueueMemory.OCTETS_OF_REQUEST;

  private final QueueMemory memory = new QueueMemory(REQUESTS);
  private int made;

  private EntryRing<int[]> ring() {
    return new EntryRing<>(
        REQUESTS,
        () -> {
          made++;
          return new int[1];
        },
        OCTETS,
        memory);
  }

  /** Each queue is filled, and emptied but for one entry, so that it does not look unused. */
  @Test
  void shouldBoundTheEntriesOfManyDeepQueues() {
    List<EntryRing<int[]>> rings = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      EntryRing<int[]> ring = ring();
      rings.add(ring);
      while (!ring.isFull()) {
        ring.add()[0] = ring.size();
      }
      while (ring.size() > 1) {
        ring.removeFirst();
      }
      assertThat(memory.used()).isLessThanOrEqualTo(LIMIT);
    }
    long kept = rings.stream().mapToLong(EntryRing::octets).sum();
    assertThat(kept).isLessThanOrEqualTo(LIMIT + (OCTETS + 8L) * EntryRing.KEPT * rings.size());
    assertThat(rings).allSatisfy(ring -> assertThat(ring.first()[0]).isEqualTo(REQUESTS));
  }

  @Test
  void shouldMakeNothingAnewWhileTheMemoryIsEnough() {
    EntryRing<int[]> first = ring();
    EntryRing<int[]> second = ring();
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < REQUESTS; i++) {
        first.add();
        second.add();
      }
      for (int i = 0; i < REQUESTS; i++) {
        first.removeFirst();
        second.removeFirst();
      }
    }
    assertThat(made).isEqualTo(2 * REQUESTS);
  }

  @Test
  void shouldForgetQueuesThatHaveEnded() {
    for (int i = 0; i < 1000; i++) {
      EntryRing<int[]> ring = ring();
      while (!ring.isFull()) {
        ring.add();
      }
      while (!ring.isEmpty()) {
        ring.removeFirst();
      }
      assertThat(memory.used()).isLessThanOrEqualTo(LIMIT);
    }
  }

  @Test
  void shouldKeepTheOrderOfAllQueues() {
    Random random = new Random(1);
    List<EntryRing<int[]>> rings = new ArrayList<>();
    List<Queue<Integer>> models = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      rings.add(ring());
      models.add(new ArrayDeque<>());
    }
    int outstanding = 0;
    for (int i = 0; i < 100_000; i++) {
      int at = random.nextInt(rings.size());
      EntryRing<int[]> ring = rings.get(at);
      int number = random.nextInt(REQUESTS);
      if (outstanding + number <= REQUESTS) {
        for (int j = 0; j < number && !ring.isFull(); j++) {
          ring.add()[0] = i + j;
          models.get(at).add(i + j);
          outstanding++;
        }
      } else {
        while (!ring.isEmpty()) {
          assertThat(ring.removeFirst()[0]).isEqualTo(models.get(at).remove());
          outstanding--;
        }
      }
      assertThat(ring.size()).isEqualTo(models.get(at).size());
      assertThat(memory.used()).isLessThanOrEqualTo(LIMIT);
    }
  }
}
