package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No congestion control. */
class UnlimitedTest {
  @Test
  void shouldNeverLimit() {
    CongestionControl control = Unlimited.INSTANCE;
    control.open(1000, 0);
    assertThat(control.window()).isEqualTo(65535L << 14);
    control.onCongestion(1000, true, 0);
    control.onCongestion(1000, false, 0);
    control.onTimeout(1000, true, 0);
    control.onIdle(0);
    control.onRecovered(0);
    control.undo(0);
    control.emss(500);
    control.onAcknowledged(1000, 0, 1, 1, true, 0);
    assertThat(control.window()).isEqualTo(65535L << 14);
    assertThat(control.threshold()).isEqualTo(65535L << 14);
  }
}
