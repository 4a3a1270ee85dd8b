package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Deadlines of many connections. */
class DeadlinesTest {
  private static final int MANY = 10_000;

  private final Deadlines all = new Deadlines();
  private final List<Integer> ended = new ArrayList<>();
  private final List<Deadline> deadlines = new ArrayList<>();

  private Deadline deadline() {
    int number = deadlines.size();
    deadlines.add(new Deadline(all, () -> ended.add(number)));
    return deadlines.getLast();
  }

  /** A round over all of them. */
  private void lookAtAll(long now) {
    for (int i = 0; i <= MANY / Deadlines.SLICE; i++) {
      all.expire(now);
    }
  }

  @Test
  void shouldExpireEachDeadlineOnce() {
    deadline().set(10);
    deadline().set(20);
    deadline();
    Deadline changed = deadline();
    changed.set(5);
    changed.set(30);
    all.expire(0);
    assertThat(ended).isEmpty();
    all.expire(Deadlines.PERIOD);
    assertThat(ended).containsExactlyInAnyOrder(0, 1, 3);
    all.expire(2 * Deadlines.PERIOD);
    assertThat(ended).hasSize(3);
  }

  @Test
  void shouldCheckASliceInATurn() {
    for (int i = 0; i < MANY; i++) {
      deadline().set(1);
    }
    int turns = 0;
    while (ended.size() < MANY) {
      int before = ended.size();
      all.expire(1);
      turns++;
      assertThat(ended.size() - before).isBetween(1, Deadlines.SLICE);
    }
    assertThat(turns).isEqualTo((MANY + Deadlines.SLICE - 1) / Deadlines.SLICE);
    assertThat(ended).doesNotHaveDuplicates();
  }

  @Test
  void shouldNotCheckADeadlineTwiceWithinThePeriod() {
    deadline().set(Deadlines.PERIOD / 2);
    all.expire(0);
    all.expire(Deadlines.PERIOD - 1);
    assertThat(ended).isEmpty();
    all.expire(Deadlines.PERIOD);
    assertThat(ended).containsExactly(0);
  }

  @Test
  void shouldCheckEveryDeadlineWhileOthersAreSetAndCleared() {
    SplittableRandom random = new SplittableRandom(1);
    boolean[] set = new boolean[MANY];
    for (int i = 0; i < MANY; i++) {
      deadline();
    }
    long now = 0;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < MANY; i++) {
        int which = random.nextInt(MANY);
        set[which] = random.nextBoolean();
        if (set[which]) {
          deadlines.get(which).set(now + 1);
        } else {
          deadlines.get(which).clear();
        }
        if (i % 100 == 0) {
          all.expire(now); // in the midst of a round of looks
        }
      }
      now += Deadlines.PERIOD;
      List<Integer> due = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        if (set[i]) {
          due.add(i);
        }
      }
      lookAtAll(now);
      lookAtAll(now + Deadlines.PERIOD);
      now += Deadlines.PERIOD;
      assertThat(ended).containsExactlyInAnyOrderElementsOf(due);
      ended.clear();
      Arrays.fill(set, false);
    }
  }

  /** One that ends may end others, and set new ones. */
  @Test
  void shouldAllowChangesWithinAnExpiry() {
    List<Deadline> others = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      others.add(new Deadline(all, () -> others.forEach(Deadline::clear)));
      others.getLast().set(1);
    }
    Deadline[] again = new Deadline[1];
    again[0] = new Deadline(all, () -> again[0].set(2 * Deadlines.PERIOD));
    again[0].set(1);
    all.expire(1);
    deadline().set(Deadlines.PERIOD);
    all.expire(1 + Deadlines.PERIOD);
    assertThat(ended).containsExactly(0);
  }
}
