package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.VectorWarmUp.MANY_TURNS;
import static org.rddp.daemon.VectorWarmUp.MOST_WAITS;
import static org.rddp.daemon.VectorWarmUp.PAUSE;
import static org.rddp.daemon.VectorWarmUp.WAIT;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VectorWarmUpTest {
  private final List<Long> sleeps = new ArrayList<>();
  private long turns;
  private int busySleeps;

  /** While engines are busy they make turns in each sleep. */
  private final VectorWarmUp warmUp =
      new VectorWarmUp(
          () -> turns,
          nanos -> {
            sleeps.add(nanos);
            if (busySleeps > 0) {
              busySleeps--;
              turns += MANY_TURNS;
            }
          });

  @Test
  void shouldNotWaitForEnginesWithFewMessages() {
    for (int i = 0; i < 3; i++) {
      turns += MANY_TURNS - 1;
      warmUp.pause();
    }
    assertThat(sleeps).containsExactly(PAUSE, PAUSE, PAUSE);
  }

  @Test
  void shouldWaitAsLongAsEnginesAreBusy() {
    busySleeps = 3;
    warmUp.pause();
    warmUp.pause();
    assertThat(sleeps).containsExactly(PAUSE, WAIT, WAIT, WAIT, PAUSE);
  }

  @Test
  void shouldNotWaitForEver() {
    busySleeps = Integer.MAX_VALUE;
    warmUp.pause();
    warmUp.pause();
    assertThat(sleeps).hasSize(2 + MOST_WAITS).endsWith(WAIT, PAUSE);
  }
}
