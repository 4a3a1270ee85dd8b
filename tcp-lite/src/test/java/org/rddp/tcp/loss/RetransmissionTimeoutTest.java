package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The retransmission timeout by measured round trips. */
class RetransmissionTimeoutTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final LossSettings SETTINGS =
      new LossSettings(SECOND, 1, 60 * SECOND, MILLISECOND, 40 * MILLISECOND);

  @Test
  @DisplayName("RFC 6298 2, 5.5: the timeout from round trips, and doubled when it expires")
  void shouldComputeTheTimeoutFromRoundTrips() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SETTINGS);
    assertThat(timeout.current()).isEqualTo(1000 * MILLISECOND);
    timeout.measured(100 * MILLISECOND, 0);
    assertThat(timeout.smoothed()).isEqualTo(100 * MILLISECOND);
    assertThat(timeout.current()).isEqualTo(300 * MILLISECOND);
    timeout.measured(180 * MILLISECOND, 0);
    // RTTVAR = 3/4 * 50 + 1/4 * 80 = 57.5; SRTT = 7/8 * 100 + 1/8 * 180 = 110.
    assertThat(timeout.smoothed()).isEqualTo(110 * MILLISECOND);
    assertThat(timeout.current()).isEqualTo(340 * MILLISECOND);
    timeout.backOff();
    timeout.backOff();
    assertThat(timeout.current()).isEqualTo(1360 * MILLISECOND);
    for (int i = 0; i < 100; i++) {
      timeout.backOff();
    }
    assertThat(timeout.current()).isEqualTo(60_000 * MILLISECOND);
    timeout.measured(110 * MILLISECOND, 0);
    assertThat(timeout.current()).isLessThan(340 * MILLISECOND);
  }

  @Test
  @DisplayName("RFC 6298 2.3: even round trips leave a millisecond for the clock's granularity")
  void shouldAllowForTheGranularity() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SETTINGS);
    for (int i = 0; i < 100; i++) {
      timeout.measured(5 * MILLISECOND, 0);
    }
    assertThat(timeout.current()).isEqualTo(6 * MILLISECOND);
  }

  @Test
  @DisplayName("RFC 6298 5.7: after a lost SYN the timeout starts again at three seconds")
  void shouldStartAtThreeSecondsAfterALostSyn() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SETTINGS);
    timeout.backOff();
    timeout.synWasLost();
    assertThat(timeout.current()).isEqualTo(3 * SECOND);
  }

  @Test
  @DisplayName("RFC 8985 6.2: the least round trip is that of the last minutes")
  void shouldForgetTheLeastRoundTripWhenThePathMayHaveChanged() {
    RetransmissionTimeout timeout = new RetransmissionTimeout(SETTINGS);
    assertThat(timeout.least()).isZero();
    timeout.measured(10 * MILLISECOND, SECOND);
    timeout.measured(30 * MILLISECOND, 2 * SECOND);
    assertThat(timeout.least()).isEqualTo(10 * MILLISECOND);
    timeout.measured(30 * MILLISECOND, 302 * SECOND);
    assertThat(timeout.least()).isEqualTo(30 * MILLISECOND);
  }
}
