package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private final EventQueue agenda = new EventQueue(100);
  private final List<Long> happened = new ArrayList<>();

  @Test
  void shouldLetEventsHappenInTheOrderOfTheirTimes() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1000; i++) {
      long time = 100L + random.nextInt(500);
      agenda.schedule(time, happened::add, time);
    }
    while (agenda.step()) {
      assertThat(happened.getLast()).isEqualTo(agenda.now());
    }
    assertThat(happened).hasSize(1000).isSorted();
    assertThat(agenda.next()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldKeepTheOrderOfEventsOfTheSameTime() {
    for (long i = 0; i < 1000; i++) {
      agenda.schedule(200 + i % 3, happened::add, i % 3 * 1000 + i);
    }
    while (agenda.step()) {}
    assertThat(happened).hasSize(1000).isSorted();
  }

  @Test
  void shouldNeverGoBack() {
    agenda.schedule(50, happened::add, 1);
    assertThat(agenda.step()).isTrue();
    assertThat(agenda.now()).isEqualTo(100);
  }
}
