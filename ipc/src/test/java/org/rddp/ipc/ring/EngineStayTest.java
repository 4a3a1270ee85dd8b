package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ipc.ring.EngineStay.AT_ONCE;
import static org.rddp.ipc.ring.EngineStay.LEAST;
import static org.rddp.ipc.ring.EngineStay.LONGEST;

import org.junit.jupiter.api.Test;

class EngineStayTest {
  private long now = -1_000_000_000L;
  private final EngineStay stay = new EngineStay(now);

  /** The other processor is lost after a time in ns; returns how long threads stay then. */
  private long staysAfter(long nanos) {
    now += nanos;
    stay.begin(now);
    long length = 0;
    while (!stay.isOver(now + length)) {
      length += LEAST;
    }
    now += length;
    return length;
  }

  @Test
  void shouldNotStayBeforeAProcessorWasLost() {
    assertThat(stay.isOver(now)).isTrue();
  }

  @Test
  void shouldStayLongerWhereAProcessorIsLostAgainAtOnce() {
    assertThat(staysAfter(0)).isEqualTo(LEAST);
    assertThat(staysAfter(AT_ONCE - 1)).isEqualTo(2 * LEAST);
    for (int i = 0; i < 10; i++) {
      staysAfter(1);
    }
    assertThat(staysAfter(1)).isEqualTo(LONGEST);
  }

  @Test
  void shouldStayForTheLeastTimeWhereAProcessorWasGoodMeanwhile() {
    staysAfter(0);
    staysAfter(1);
    assertThat(staysAfter(AT_ONCE)).isEqualTo(LEAST);
  }

  @Test
  void shouldGoOnStayingWhenAProcessorIsLostMeanwhile() {
    stay.begin(now);
    stay.begin(now + LEAST / 2);
    assertThat(stay.isOver(now + LEAST - 1)).isFalse();
    assertThat(stay.isOver(now + LEAST)).isTrue();
  }
}
