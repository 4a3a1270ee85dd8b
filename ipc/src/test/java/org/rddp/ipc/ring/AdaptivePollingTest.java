package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdaptivePollingTest {
  private static final int TRIES = AdaptivePolling.ENOUGH / AdaptivePolling.FAILURE;
  private static final long LONGEST = 50_000;
  private static final long YIELD = 1_000;

  private long now;
  private long yieldTakes = YIELD;
  private int moves;
  private final AdaptivePolling polling =
      new AdaptivePolling(LONGEST, () -> now, () -> now += yieldTakes, () -> moves++);

  /** Looks in a wait; what it waits for is there at the last of {@code found}, 0: never. */
  private int looks(int found) {
    int looks = 0;
    polling.begin();
    while (polling.goesOn()) {
      looks++;
      if (looks == found) {
        polling.succeed();
        break;
      }
    }
    return looks;
  }

  /** Waits that sleep at once, until one polls, in vain. */
  private int sleepsBeforeTrial() {
    int sleeps = 0;
    while (looks(0) == 0) {
      sleeps++;
    }
    return sleeps;
  }

  @Test
  void pollsForTheLongestTimeAndNoLonger() {
    assertThat(looks(0)).isEqualTo((int) (LONGEST / YIELD));
  }

  @Test
  void movesOnceInEachWaitWhoseFirstYieldWasNotEnough() {
    looks(1);
    assertThat(moves).isZero();
    looks(2);
    looks(0);
    assertThat(moves).isEqualTo(2);
  }

  @Test
  void goesOnPollingWhilePollingFindsSomething() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(looks(3)).isEqualTo(3);
      assertThat(looks(3)).isEqualTo(3);
      looks(0);
    }
  }

  @Test
  void mostlySleepsAtOnceWhereEveryOtherWaitIsInVain() {
    int polled = 0;
    for (int i = 0; i < 1000; i++) {
      polled += looks(1);
      polled += looks(0) > 0 ? 1 : 0;
    }
    assertThat(polled).describedAs("waits of 2000 that polled").isLessThan(500);
  }

  @Test
  void sleepsAtOnceAfterSomeWaitsInVainAndTriesEverMoreRarely() {
    for (int i = 0; i < TRIES; i++) {
      assertThat(looks(0)).isPositive();
    }
    int expected = AdaptivePolling.FEWEST_SLEEPS;
    while (expected < AdaptivePolling.MOST_SLEEPS) {
      assertThat(sleepsBeforeTrial()).isEqualTo(expected);
      expected *= 2;
    }
    assertThat(sleepsBeforeTrial()).isEqualTo(AdaptivePolling.MOST_SLEEPS);
    assertThat(sleepsBeforeTrial()).isEqualTo(AdaptivePolling.MOST_SLEEPS);
  }

  @Test
  void sleepsAtOnceAfterOneYieldThatLostTheProcessor() {
    yieldTakes = AdaptivePolling.LOST;
    assertThat(looks(0)).describedAs("looks once more after the yield").isEqualTo(1);
    yieldTakes = YIELD;
    int sleeps = 0;
    while (looks(1) == 0) {
      sleeps++;
    }
    assertThat(sleeps).isEqualTo(AdaptivePolling.SLEEPS_AFTER_LOSS);
  }

  @Test
  void isNoSuccessToFindSomethingAfterTheProcessorWasLost() {
    yieldTakes = AdaptivePolling.LOST;
    assertThat(looks(1)).isEqualTo(1);
    assertThat(looks(1)).isZero();
  }

  @Test
  void isNoSuccessToFindSomethingAtOnce() {
    for (int i = 0; i < TRIES; i++) {
      looks(0);
    }
    for (int i = 0; i < 100; i++) {
      polling.begin();
      polling.succeed();
    }
    looks(0);
    assertThat(sleepsBeforeTrial()).isEqualTo(2 * AdaptivePolling.FEWEST_SLEEPS);
  }

  @Test
  void pollsAlwaysAgainWhenTrialsSucceed() {
    for (int i = 0; i < TRIES; i++) {
      looks(0);
    }
    sleepsBeforeTrial();
    sleepsBeforeTrial();
    int trials = 0;
    for (int i = 0; i < 1000; i++) {
      trials += looks(1);
    }
    assertThat(trials).describedAs("waits of 1000 that polled").isGreaterThan(900);
    assertThat(looks(1)).isEqualTo(1);
  }
}
