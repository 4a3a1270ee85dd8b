package org.rddp.tcp.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The timer wheel, against a plain list of deadlines. */
class TimerWheelTest {
  private static final class Entry extends ConnectionEntry {
    Entry() {
      super(0);
    }
  }

  private static Entry[] some(int count) {
    Entry[] some = new Entry[count];
    for (int i = 0; i < count; i++) {
      some[i] = new Entry();
    }
    return some;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, -5_000_000_000L, 1L << 62, 65_535})
  void shouldReturnExactlyTheEntriesThatAreDue(long origin) {
    SplittableRandom random = new SplittableRandom(origin);
    Entry[] some = some(50);
    for (int life = 0; life < 50; life++) {
      long now = origin;
      TimerWheel wheel = new TimerWheel(now);
      Map<ConnectionEntry, Long> model = new HashMap<>();
      for (int round = 0; round < 200; round++) {
        for (Entry one : some) {
          int choice = random.nextInt(20);
          if (choice == 0) {
            wheel.remove(one);
            model.remove(one);
          } else if (choice < 3) {
            long deadline = now + (random.nextLong(2000) << random.nextInt(38)) - 1000;
            wheel.schedule(one, deadline);
            model.merge(one, deadline, Math::min);
          }
        }
        now += random.nextLong(1000) << random.nextInt(36);
        expect(wheel, model, now);
      }
      for (Entry one : some) {
        wheel.remove(one);
      }
      assertThat(wheel.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    }
  }

  /** Exactly those of the model are due; the next deadline promises no more than there is. */
  private static void expect(TimerWheel wheel, Map<ConnectionEntry, Long> model, long now) {
    ConnectionEntry due = wheel.poll(now);
    while (due != null) {
      assertThat(model.remove(due)).isNotNull().isEqualTo(due.timerAt).isLessThanOrEqualTo(now);
      assertThat(due.timerSlot).isEqualTo(ConnectionEntry.NOWHERE);
      due = wheel.poll(now);
    }
    for (long deadline : model.values()) {
      assertThat(deadline).isGreaterThan(now).isGreaterThanOrEqualTo(wheel.nextDeadline());
    }
    assertThat(wheel.nextDeadline()).isGreaterThan(now);
  }

  @Test
  void shouldReachADeadlineInAFewSteps() {
    TimerWheel wheel = new TimerWheel(77);
    Entry one = new Entry();
    SplittableRandom random = new SplittableRandom(3);
    long now = 77;
    for (int i = 0; i < 1000; i++) {
      long deadline = now + 1 + random.nextLong(1L << random.nextInt(1, 50));
      wheel.schedule(one, deadline);
      int steps = 0;
      while (wheel.poll(now) == null) {
        now = wheel.nextDeadline();
        steps++;
      }
      assertThat(now).isEqualTo(deadline);
      assertThat(steps).isLessThanOrEqualTo(9);
    }
  }

  @Test
  void shouldReturnAnEntryAtItsEarliestDeadline() {
    TimerWheel wheel = new TimerWheel(0);
    Entry one = new Entry();
    wheel.schedule(one, 500);
    wheel.schedule(one, 900);
    assertThat(wheel.poll(499)).isNull();
    assertThat(wheel.poll(500)).isSameAs(one);
    wheel.schedule(one, Long.MAX_VALUE);
    assertThat(wheel.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    wheel.schedule(one, 900);
    wheel.schedule(one, 600);
    assertThat(wheel.poll(600)).isSameAs(one);
    assertThat(wheel.poll(Long.MAX_VALUE)).isNull();
  }

  @Test
  void shouldReturnEntriesScheduledForThePast() {
    TimerWheel wheel = new TimerWheel(0);
    assertThat(wheel.poll(10_000_000_000L)).isNull();
    Entry one = new Entry();
    wheel.schedule(one, 5);
    assertThat(wheel.nextDeadline()).isEqualTo(5);
    assertThat(wheel.poll(10_000_000_000L)).isSameAs(one);
  }
}
