package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;

class QueuePairNumbersTest {
  private static final int SEED = 3;

  private final Session session = new SessionFixture().session;
  private final StackGroup stacks = new StackGroup(2);
  private long now;

  private QueuePairNumbers numbers(int engines) {
    return new QueuePairNumbers(
        4794, new StackGroup(engines), new SplittableRandom(SEED), () -> now);
  }

  @Test
  void shouldGiveEachNumberOnce() throws RequestRefusedException {
    QueuePairNumbers numbers = numbers(1);
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      int number = numbers.create(session, 0, Integer.MAX_VALUE);
      assertThat(number).isBetween(1 << 20, 0xff_ffff);
      assertThat(given.add(number)).isTrue();
      assertThat(numbers.session(number)).isSameAs(session);
    }
  }

  @Test
  void shouldGiveNumbersOfTheSessionsEngine() throws RequestRefusedException {
    QueuePairNumbers numbers = numbers(5);
    for (int engine = 0; engine < 5; engine++) {
      int number = numbers.create(session, engine, 100);
      assertThat(StackMember.group(number) % 5).isEqualTo(engine);
    }
  }

  /** An engine has been added. */
  private QueuePairNumbers afterOneEngine() {
    IntStream.range(0, StackGroup.MOST).forEach(each -> stacks.give(each, 0));
    return new QueuePairNumbers(4794, stacks, new SplittableRandom(SEED), () -> now);
  }

  @Test
  void shouldShareGroupsOfWhichNoNumberIsInUse() throws RequestRefusedException {
    QueuePairNumbers numbers = afterOneEngine();
    int first = numbers.create(session, 0, 100);
    int given = numbers.create(session, 0, 100);
    numbers.free(session, given);
    assertThat(numbers.has(1)).isFalse();
    assertThatThrownBy(() -> numbers.create(session, 1, 100))
        .isInstanceOf(RequestRefusedException.class);
    numbers.share(1, 2);
    assertThat(IntStream.range(0, StackGroup.MOST).filter(each -> stacks.owner(each) == 1))
        .hasSize(StackGroup.MOST / 2)
        .doesNotContain(StackMember.group(first), StackMember.group(given));
    assertThat(stacks.owner(StackMember.group(numbers.create(session, 1, 100)))).isEqualTo(1);
  }

  @Test
  void shouldLeaveGroupsWhereNumbersAreInUse() throws RequestRefusedException {
    QueuePairNumbers numbers = afterOneEngine();
    for (int i = 0; i < 1000; i++) {
      numbers.create(session, 0, 1000);
    }
    numbers.share(1, 2);
    assertThat(numbers.has(1)).isFalse();
  }

  /** A source that says the same again after each number: it would give the number again. */
  @Test
  void shouldNotGiveANumberAgainForTwoMinutes() throws RequestRefusedException {
    SplittableRandom[] source = {new SplittableRandom(SEED)};
    QueuePairNumbers numbers =
        new QueuePairNumbers(4794, new StackGroup(1), () -> source[0].nextLong(), () -> now);
    int first = numbers.create(session, 0, 100);
    numbers.free(session, first);
    assertThat(numbers.session(first)).isNull();
    assertThatThrownBy(() -> numbers.require(session, first))
        .isInstanceOf(RequestRefusedException.class);
    now = QueuePairNumbers.REST - 1;
    source[0] = new SplittableRandom(SEED);
    int second = numbers.create(session, 0, 100);
    assertThat(second).isNotEqualTo(first);
    now = QueuePairNumbers.REST;
    source[0] = new SplittableRandom(SEED);
    assertThat(numbers.create(session, 0, 100)).isEqualTo(first);
    numbers.freeAll(session);
    assertThat(numbers.session(first)).isNull();
    assertThat(numbers.session(second)).isNull();
  }

  /** A program that gives it back may not have it connected meanwhile. */
  @Test
  void shouldRefuseANumberThatIsBeingGivenBack() throws RequestRefusedException {
    QueuePairNumbers numbers = numbers(1);
    int number = numbers.create(session, 0, 100);
    numbers.leave(number);
    assertThat(numbers.session(number)).isSameAs(session);
    assertThatThrownBy(() -> numbers.require(session, number))
        .isInstanceOf(RequestRefusedException.class);
    numbers.stay(number);
    numbers.require(session, number);
  }

  @Test
  void shouldBoundWhatASessionAndAUserHave() throws RequestRefusedException {
    QueuePairNumbers numbers = numbers(1);
    int last = numbers.create(session, 0, 2);
    numbers.create(session, 0, 2);
    assertRefused(numbers, 2, "2 of 2 numbers of queue pairs of this program");
    for (int i = 2; i < QueuePairNumbers.MOST_OF_USER; i++) {
      numbers.free(session, last);
      last = numbers.create(session, 0, 2);
    }
    assertRefused(numbers, 3, "65536 of 65536 numbers of queue pairs of this user");
    now = QueuePairNumbers.REST;
    numbers.create(session, 0, 3);
  }

  private void assertRefused(QueuePairNumbers numbers, int most, String message) {
    assertThatThrownBy(() -> numbers.create(session, 0, most))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
        .hasMessageContaining(message);
  }
}
