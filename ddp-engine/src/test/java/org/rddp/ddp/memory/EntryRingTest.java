package org.rddp.ddp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EntryRingTest {
  private static final int CAPACITY = 100;

  private int made;

  private final EntryRing<int[]> ring =
      new EntryRing<>(
          CAPACITY,
          () -> {
            made++;
            return new int[1];
          });

  @Test
  void shouldKeepTheOrderWhileItGrows() {
    Random random = new Random(1);
    Queue<Integer> model = new ArrayDeque<>();
    for (int i = 0; i < 10_000; i++) {
      if (random.nextInt(CAPACITY) >= ring.size() && !ring.isFull()) {
        ring.add()[0] = i;
        model.add(i);
      } else {
        assertThat(ring.removeFirst()[0]).isEqualTo(model.remove());
      }
      assertThat(ring.size()).isEqualTo(model.size());
      assertThat(ring.isEmpty()).isEqualTo(model.isEmpty());
      if (!model.isEmpty()) {
        assertThat(ring.first()[0]).isEqualTo(model.peek());
        assertThat(ring.get(model.size() - 1)[0]).isGreaterThanOrEqualTo(model.peek());
      }
    }
  }

  @Test
  void shouldHoldAsManyAsItsCapacity() {
    for (int i = 0; i < CAPACITY; i++) {
      assertThat(ring.isFull()).isFalse();
      ring.add()[0] = i;
    }
    assertThat(ring.isFull()).isTrue();
    assertThat(ring.get(CAPACITY - 1)[0]).isEqualTo(CAPACITY - 1);
  }

  @Test
  void shouldBePrefetchedWithoutAChange() {
    ring.prefetch();
    assertThat(made).isZero();
    ring.add()[0] = 1;
    ring.add()[0] = 2;
    ring.prefetch();
    assertThat(ring.size()).isEqualTo(2);
    assertThat(ring.first()[0]).isEqualTo(1);
  }

  @Test
  void shouldMakeFewEntriesWhereFewAreUsed() {
    assertThat(made).isZero();
    for (int i = 0; i < 1000; i++) {
      ring.add();
      ring.add();
      ring.removeFirst();
      ring.removeFirst();
    }
    assertThat(made).isEqualTo(2);
  }

  @Test
  void shouldRefuseCapacitiesWithoutSense() {
    assertThatThrownBy(() -> new EntryRing<>(0, () -> ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EntryRing<>((1 << 24) + 1, () -> ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldGiveBackMostEntriesWhenItIsEmptied() {
    EntryRing<Object> deep = new EntryRing<>(4096, Object::new);
    Set<Object> first = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 4096; i++) {
      first.add(deep.add());
    }
    Object last = null;
    while (!deep.isEmpty()) {
      last = deep.removeFirst();
    }
    int kept = 0;
    for (int i = 0; i < 4096; i++) {
      Object entry = deep.add();
      if (i < EntryRing.KEPT - 1) {
        assertThat(entry).as("the last one is used last").isNotSameAs(last);
      }
      kept += first.contains(entry) ? 1 : 0;
    }
    assertThat(kept).isEqualTo(EntryRing.KEPT);
  }

  @Test
  void shouldKeepTheEntriesOfAQueueOfUsualDepth() {
    EntryRing<Object> usual = new EntryRing<>(EntryRing.KEPT, Object::new);
    Set<Object> first = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int round = 0; round < 3; round++) {
      while (!usual.isFull()) {
        first.add(usual.add());
      }
      while (!usual.isEmpty()) {
        usual.removeFirst();
      }
    }
    assertThat(first).hasSize(EntryRing.KEPT);
  }
}
