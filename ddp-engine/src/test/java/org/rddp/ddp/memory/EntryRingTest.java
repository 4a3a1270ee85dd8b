package org.rddp.ddp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
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
}
