package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SlowUsersTest {
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Integer USER = 1000;
  private static final Integer OTHER = 1001;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long cpuTime = 17;

  /** The clock passes zero within each test. */
  private long time = -2 * SECOND;

  private final SlowUsers users = new SlowUsers(() -> cpuTime, () -> time);

  private boolean wake(Integer user, long nanos) {
    time += SECOND;
    return users.wake(user, () -> cpuTime += nanos);
  }

  private void wakeSlowly(Integer user, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(wake(user, LONGEST + 1)).isFalse();
    }
  }

  @Test
  void shouldKeepAUserWhoseProgramIsWokenInTime() {
    for (int i = 0; i < 3 * SlowUsers.SAMPLES; i++) {
      assertThat(wake(USER, LONGEST)).isFalse();
    }
    assertThat(users.contains(USER)).isFalse();
  }

  @Test
  void shouldTellOnceThatWakingAProgramTakesLong() {
    wakeSlowly(USER, SlowUsers.SAMPLES - 1);
    assertThat(users.contains(USER)).isFalse();
    assertThat(wake(USER, LONGEST + 1)).isTrue();
    assertThat(wake(USER, LONGEST + 1)).as("another engine, at the same time").isFalse();
    assertThat(users.contains(USER)).isTrue();
    assertThat(users.contains(OTHER)).isFalse();
  }

  /** A daemon that has just started is slow itself, whichever program it wakes. */
  @Test
  void shouldNotBlameAProgramForTheFirstTimes() {
    wakeSlowly(USER, SlowUsers.SAMPLES - 1);
    wakeSlowly(OTHER, SlowUsers.SAMPLES - 1);
    time += SlowUsers.WHILE;
    wakeSlowly(USER, SlowUsers.SAMPLES - 1);
    assertThat(users.contains(USER)).isFalse();
    assertThat(wake(USER, LONGEST + 1)).as("the fourth within a while").isTrue();
  }

  /** Else a program could be quick in between, and slow for ever. */
  @Test
  void shouldNotForgetLongTimesForShortOnes() {
    for (int i = 0; i < SlowUsers.SAMPLES - 1; i++) {
      wakeSlowly(USER, 1);
      assertThat(wake(USER, 1)).isFalse();
    }
    assertThat(wake(USER, LONGEST + 1)).isTrue();
  }

  /** As of a thread that has to wait for a core. */
  @Test
  void shouldNotCountTimeInWhichTheThreadDoesNotRun() {
    SlowUsers measured = new SlowUsers();
    boolean slow = true;
    for (int user = 0; user < 20 && slow; user++) {
      slow = false;
      for (int i = 0; i < SlowUsers.SAMPLES; i++) {
        slow |= measured.wake(user, () -> LockSupport.parkNanos(5 * LONGEST));
      }
    }
    assertThat(slow).isFalse();
  }
}
