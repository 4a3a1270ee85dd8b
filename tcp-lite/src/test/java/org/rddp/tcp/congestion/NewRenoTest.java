package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The window of NewReno, and the rules that it shares with CUBIC. */
class NewRenoTest {
  private static final long ROUND_TRIP = 10 * SimulatedFlow.MILLISECOND;

  private final SimulatedFlow flow = new SimulatedFlow(new NewReno(), ROUND_TRIP);
  private final CongestionControl control = flow.control;

  @ParameterizedTest(name = "{0} octets a segment: {1}")
  @CsvSource({
    "536, 5360",
    "1000, 10000",
    "1460, 14600",
    "1461, 14600",
    "7300, 14600",
    "8948, 17896"
  })
  @DisplayName(
      "RFC 6928 2: the initial window is ten segments, 14600 octets, or two large segments")
  void shouldStartWithTenSegments(int emss, int window) {
    control.open(emss, 0);
    assertThat(control.window()).isEqualTo(window);
  }

  @Test
  @DisplayName("RFC 5681 3.1: the first slow start has no end before a loss")
  void shouldStartWithAThresholdAsHighAsItGoes() {
    assertThat(control.threshold()).isEqualTo(CongestionControl.LARGEST);
  }

  @Test
  @DisplayName("RFC 5681 3.1: slow start doubles the window in a round trip")
  void shouldDoubleInSlowStart() {
    flow.roundTrips(3);
    assertThat(control.window()).isEqualTo(80_000);
  }

  @Test
  @DisplayName("RFC 3465 2.2: slow start grows by octets, not by acknowledgments")
  void shouldGrowByWhatIsAcknowledgedInSlowStart() {
    flow.acknowledge(1).acknowledge(999).acknowledge(1500);
    assertThat(control.window()).isEqualTo(12_500);
  }

  @Test
  @DisplayName("RFC 3465 2.2: one acknowledgment opens the window by the limit at most")
  void shouldLimitWhatOneAcknowledgmentOpens() {
    flow.acknowledge(10_000_000);
    assertThat(control.window()).isEqualTo(10_000 + SlowStart.LIMIT * 1000);
  }

  @Test
  @DisplayName("RFC 3465 2.3: after a timeout the limit is one segment")
  void shouldOpenByASegmentPerAcknowledgmentAfterATimeout() {
    flow.roundTrips(2).expire();
    flow.acknowledge(5000).acknowledge(5000);
    assertThat(control.window()).isEqualTo(3000);
  }

  @Test
  @DisplayName("RFC 3465 2.3: once slow start is over, a timeout is forgotten")
  void shouldForgetATimeoutAfterItsSlowStart() {
    flow.expire();
    flow.roundTrips(3);
    assertThat(control.window()).isGreaterThanOrEqualTo(control.threshold());
    control.onIdle(flow.now);
    control.onTimeout(40_000, true, flow.now);
    control.undo(flow.now);
    flow.lose();
    assertThat(control.threshold()).isLessThan(control.window() + 1);
  }

  @Test
  @DisplayName("RFC 5681 3.1: slow start ends at the threshold, and the rest counts for avoidance")
  void shouldNotOvershootTheThreshold() {
    flow.lose();
    control.onTimeout(5000, true, flow.now);
    flow.acknowledge(1000).acknowledge(1000);
    assertThat(control.window()).isEqualTo(control.threshold()).isEqualTo(2500 + 500 - 500);
  }

  @Test
  @DisplayName("RFC 5681 3.1: congestion avoidance adds a segment per round trip")
  void shouldGrowByASegmentPerRoundTrip() {
    flow.lose();
    assertThat(control.window()).isEqualTo(5000);
    for (int i = 0; i < 5; i++) {
      assertThat(control.window()).isEqualTo(5000);
      flow.acknowledge(1000);
    }
    assertThat(control.window()).isEqualTo(6000);
    flow.roundTrips(10);
    assertThat(control.window()).isEqualTo(16_000);
  }

  @Test
  @DisplayName("RFC 3465 2.1: small acknowledgments add up in congestion avoidance")
  void shouldCountOctetsInCongestionAvoidance() {
    flow.lose();
    for (int i = 0; i < 50; i++) {
      flow.acknowledge(100);
    }
    assertThat(control.window()).isEqualTo(6000);
  }

  @Test
  @DisplayName("RFC 5681 3.2: a loss halves the octets in flight, not the window")
  void shouldHalveTheFlight() {
    control.onCongestion(8000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(4000);
    assertThat(control.window()).isEqualTo(4000);
  }

  @Test
  @DisplayName("RFC 5681 3.2 (2): octets in flight beyond the window do not count")
  void shouldNotCountLimitedTransmit() {
    control.onCongestion(12_000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 5681 3.1 (4): the threshold is two segments at least")
  void shouldKeepTwoSegments() {
    control.onCongestion(1000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(2000);
    assertThat(control.window()).isEqualTo(2000);
  }

  @Test
  @DisplayName("RFC 6582 3.2: recovery ends with the threshold as the window")
  void shouldGoOnFromTheThresholdAfterRecovery() {
    flow.roundTrip();
    control.onCongestion(20_000, true, flow.now);
    control.onRecovered(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: echoes of congestion bring the window to one segment")
  void shouldFallToOneSegmentByEchoes() {
    for (int i = 0; i < 10; i++) {
      control.onCongestion(control.window(), false, flow.now);
    }
    assertThat(control.window()).isEqualTo(1000);
    assertThat(control.threshold()).isEqualTo(2000);
  }

  @Test
  @DisplayName(
      "RFC 5681 3.1: a timeout leaves a window of one segment and a threshold of half the flight")
  void shouldStartFromOneSegmentAfterATimeout() {
    flow.expire();
    assertThat(control.window()).isEqualTo(1000);
    assertThat(control.threshold()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 5681 3.1: the threshold stays when the same segment times out again")
  void shouldKeepTheThresholdWhenTheTimerExpiresAgain() {
    flow.expire();
    control.onTimeout(1000, false, flow.now);
    assertThat(control.window()).isEqualTo(1000);
    assertThat(control.threshold()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 5681 4.1: after silence the window is the initial one at most")
  void shouldStartAgainAfterSilence() {
    flow.roundTrips(3);
    control.onIdle(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
    flow.lose();
    control.onIdle(flow.now);
    assertThat(control.window()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 7661 1: a window that is not used does not grow")
  void shouldNotGrowUnused() {
    flow.acknowledgeUnused(1000);
    assertThat(control.window()).isEqualTo(10_000);
    flow.lose();
    for (int i = 0; i < 100; i++) {
      flow.acknowledgeUnused(1000);
    }
    assertThat(control.window()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 7323 2.3: the window never exceeds the largest that TCP can announce")
  void shouldNeverExceedTheLargestWindow() {
    control.open(65_000, 0);
    for (int i = 0; i < 2000; i++) {
      flow.acknowledge(10_000_000);
    }
    assertThat(control.window()).isEqualTo(CongestionControl.LARGEST);
    control.onCongestion(Integer.MAX_VALUE, true, flow.now);
    for (int i = 0; i < 20_000; i++) {
      flow.acknowledge(CongestionControl.LARGEST);
    }
    assertThat(control.window()).isEqualTo(CongestionControl.LARGEST);
  }

  @Test
  @DisplayName("RFC 5681 3.1: a smaller segment leaves the window, a larger one fits it")
  void shouldKeepTheWindowWhenTheSegmentChanges() {
    control.emss(500);
    assertThat(control.window()).isEqualTo(10_000);
    control.onTimeout(10_000, true, flow.now);
    assertThat(control.window()).isEqualTo(500);
    control.emss(9000);
    assertThat(control.window()).isEqualTo(9000);
  }

  @Test
  @DisplayName("RFC 4015 3.2: a spurious loss is undone")
  void shouldUndoALoss() {
    flow.lose().roundTrip();
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
    assertThat(control.threshold()).isEqualTo(CongestionControl.LARGEST);
  }

  @Test
  @DisplayName("RFC 4015 3.2: a spurious timeout is undone, repeated or not")
  void shouldUndoATimeout() {
    flow.loseAt(20).expire();
    control.onTimeout(1000, false, flow.now);
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
    assertThat(control.threshold()).isEqualTo(10_000);
  }

  @Test
  @DisplayName("RFC 4015 3.2: a window that has grown beyond its former size is not cut by an undo")
  void shouldNotUndoWhatHasBeenRegained() {
    flow.lose().roundTrips(7);
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(12_000);
    assertThat(control.threshold()).isEqualTo(5000);
  }

  @Test
  @DisplayName("RFC 4015 3.2: one loss is undone once")
  void shouldUndoOnce() {
    flow.roundTrip().lose();
    control.undo(flow.now);
    control.onIdle(flow.now);
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
  }
}
