package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BlackHoleTest {
  private static final int OPTIONS = 12;

  @Test
  @DisplayName("RFC 8201 4: over IPv6 segments never become shorter than 1280 octets make them")
  void shouldNotGoBelowTheLeastMtuOfIpv6() {
    BlackHole hole = BlackHole.dropping(8928, OPTIONS, true, 0);
    assertThat(hole.emss()).isEqualTo(1440 - OPTIONS);
    assertThat(BlackHole.suspected(1428, 5, 0, OPTIONS, true, true)).isTrue();
    hole.lower(1428, OPTIONS, 0);
    assertThat(hole.emss()).isEqualTo(1220 - OPTIONS);
    assertThat(BlackHole.suspected(1208, 50, 0, OPTIONS, true, true)).isFalse();
    hole.lower(1208, OPTIONS, 0);
    assertThat(hole.emss()).isEqualTo(1220 - OPTIONS);
  }

  @Test
  void shouldGoThroughTheStepsOfIpv4() {
    BlackHole hole = BlackHole.dropping(8948, 0, false, 0);
    for (int step : new int[] {1460, 1220, 536, 256}) {
      assertThat(hole.emss()).isEqualTo(step);
      hole.lower(step, 0, 0);
    }
    assertThat(BlackHole.suspected(536, 5, 0, 0, false, false)).isFalse();
    assertThat(BlackHole.suspected(536, 5, 0, 0, true, false)).isTrue();
  }
}
