package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** NewReno's window by the rules of RFC 5681. */
class NewRenoTest {
  private static final long ROUND_TRIP = 10_000_000;

  @Test
  void shouldGrowByASegmentPerRoundTripInCongestionAvoidance() {
    NewReno window = new NewReno();
    window.open(1000, 0);
    assertThat(window.window()).isEqualTo(10_000);
    window.onCongestion(10_000, true, 0);
    window.onRecovered(0);
    assertThat(window.window()).isEqualTo(5000);
    for (int i = 0; i < 5; i++) {
      window.onAcknowledged(1000, 4000, ROUND_TRIP, ROUND_TRIP, true, 0);
    }
    assertThat(window.window()).isEqualTo(6000);
    window.onTimeout(6000, true, 0);
    assertThat(window.window()).isEqualTo(1000);
    assertThat(window.threshold()).isEqualTo(3000);
    window.onTimeout(1000, false, 0);
    assertThat(window.threshold()).isEqualTo(3000);
  }
}
