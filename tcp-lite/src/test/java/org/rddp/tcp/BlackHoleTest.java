package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BlackHoleTest {
  private static final int OPTIONS = 12;
  private static final int[] STEPS = BlackHole.steps(false, mtu -> mtu - 40);
  private static final int[] IPV6_STEPS = BlackHole.steps(true, mtu -> mtu - 60 - OPTIONS);

  @Test
  @DisplayName("RFC 8201 4: over IPv6 segments never become shorter than 1280 octets make them")
  void shouldNotGoBelowTheLeastMtuOfIpv6() {
    BlackHole hole = BlackHole.dropping(8928, IPV6_STEPS, 0);
    assertThat(hole.emss()).isEqualTo(1440 - OPTIONS);
    assertThat(BlackHole.suspected(1428, 5, 0, true, IPV6_STEPS)).isTrue();
    hole.lower(1428, IPV6_STEPS, 0);
    assertThat(hole.emss()).isEqualTo(1220 - OPTIONS);
    assertThat(BlackHole.suspected(1208, 50, 0, true, IPV6_STEPS)).isFalse();
    hole.lower(1208, IPV6_STEPS, 0);
    assertThat(hole.emss()).isEqualTo(1220 - OPTIONS);
  }

  @Test
  void shouldGoThroughTheStepsOfIpv4() {
    BlackHole hole = BlackHole.dropping(8948, STEPS, 0);
    for (int step : new int[] {1460, 1220, 536, 256}) {
      assertThat(hole.emss()).isEqualTo(step);
      hole.lower(step, STEPS, 0);
    }
    assertThat(BlackHole.suspected(536, 5, 0, false, STEPS)).isFalse();
    assertThat(BlackHole.suspected(536, 5, 0, true, STEPS)).isTrue();
  }

  @Test
  @DisplayName("what ESP takes of each packet is left out, too")
  void shouldLeaveRoomForEsp() {
    int[] inEsp = BlackHole.steps(true, mtu -> mtu - 60 - 34);
    BlackHole hole = BlackHole.dropping(1406, inEsp, 0);
    assertThat(hole.emss()).isEqualTo(1280 - 60 - 34);
    assertThat(BlackHole.suspected(1220, 5, 0, true, inEsp)).isTrue();
    assertThat(BlackHole.suspected(1186, 5, 0, true, inEsp)).isFalse();
  }
}
