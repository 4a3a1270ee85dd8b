package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.daemon.engine.FailedTurns.Verdict;

class FailedTurnsTest {
  private final FailedTurns turns = new FailedTurns();

  /** Fails until something else than going on follows. */
  private Verdict failAt(long now) {
    for (int i = 1; i < FailedTurns.HOPELESS; i++) {
      assertThat(turns.failed(now)).isEqualTo(Verdict.GO_ON);
    }
    return turns.failed(now);
  }

  @Test
  void shouldGoOnAsLongAsSomeTurnsSucceed() {
    for (int i = 0; i < 10 * FailedTurns.HOPELESS; i++) {
      assertThat(turns.failed(i)).isEqualTo(Verdict.GO_ON);
      turns.succeeded();
    }
  }

  @Test
  void shouldGiveUpAfterThreeRestartsInAPeriod() {
    assertThat(failAt(0)).isEqualTo(Verdict.RESTART);
    assertThat(failAt(1)).isEqualTo(Verdict.RESTART);
    assertThat(failAt(2)).isEqualTo(Verdict.RESTART);
    assertThat(failAt(FailedTurns.PERIOD - 1)).isEqualTo(Verdict.GIVE_UP);
  }

  @Test
  void shouldRestartAgainAfterThePeriod() {
    for (long now = 0; now < 20 * FailedTurns.PERIOD; now += FailedTurns.PERIOD / 2) {
      assertThat(failAt(now)).isEqualTo(Verdict.RESTART);
    }
  }
}
