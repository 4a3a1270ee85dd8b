package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SlowUsersTest {
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Integer USER = 1000;
  private static final Integer OTHER = 1001;

  private long cpuTime = 17;
  private final SlowUsers users = new SlowUsers(() -> cpuTime);

  private boolean wake(Integer user, long nanos) {
    return users.wake(user, () -> cpuTime += nanos);
  }

  @Test
  void shouldKeepAUserWhoseProgramIsWokenInTime() {
    assertThat(wake(USER, LONGEST)).isFalse();
    assertThat(users.contains(USER)).isFalse();
  }

  @Test
  void shouldTellOnceThatWakingAProgramTakesLong() {
    assertThat(wake(USER, LONGEST + 1)).isTrue();
    assertThat(wake(USER, LONGEST + 1)).as("another engine, at the same time").isFalse();
    assertThat(users.contains(USER)).isTrue();
    assertThat(users.contains(OTHER)).isFalse();
  }

  /** As of a thread that has to wait for a core. */
  @Test
  void shouldNotCountTimeInWhichTheThreadDoesNotRun() {
    SlowUsers measured = new SlowUsers();
    boolean slow = true;
    for (int i = 0; i < 20 && slow; i++) {
      slow = measured.wake(i, () -> LockSupport.parkNanos(5 * LONGEST));
    }
    assertThat(slow).isFalse();
  }
}
