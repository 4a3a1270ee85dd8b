package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CUBIC's window, rule by rule, against the formulas of RFC 9438. */
class CubicTest {
  private static final long MILLISECOND = SimulatedFlow.MILLISECOND;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final double C = 0.4;
  private static final double ALPHA = 3 * (1 - 0.7) / (1 + 0.7);

  private final SimulatedFlow flow = new SimulatedFlow(new Cubic(), 100 * MILLISECOND);
  private final CongestionControl control = flow.control;

  /** Figure 1, in segments and seconds. */
  private static double cubic(double t, double largest, double epoch) {
    double k = Math.cbrt((largest - epoch) / C);
    return C * Math.pow(t - k, 3) + largest;
  }

  @Test
  @DisplayName("RFC 9438 4.2: the window follows W_cubic through the concave and the convex region")
  void shouldFollowTheCubicFunction() {
    flow.loseAt(1000);
    assertThat(flow.segments()).isEqualTo(700);
    long start = flow.now;
    // K is 9.09 s.
    for (int second = 1; second <= 18; second++) {
      flow.pass(start + second * SECOND - flow.now);
      double t = (double) (flow.now - start) / SECOND;
      assertThat(flow.segments()).isCloseTo(cubic(t, 1000, 700), within(6.0));
    }
    assertThat(flow.segments()).isGreaterThan(1250);
  }

  @Test
  @DisplayName("RFC 9438 4.4: in the concave region the window grows ever more slowly")
  void shouldGrowMoreSlowlyTowardsTheLastMaximum() {
    flow.loseAt(1000);
    double step = Double.MAX_VALUE;
    for (int second = 0; second < 8; second++) {
      double before = flow.segments();
      flow.pass(SECOND);
      assertThat(flow.segments() - before).isPositive().isLessThan(step);
      step = flow.segments() - before;
    }
    assertThat(flow.segments()).isBetween(990.0, 1000.0);
  }

  @Test
  @DisplayName("RFC 9438 4.5: in the convex region the window grows ever faster")
  void shouldGrowFasterBeyondTheLastMaximum() {
    flow.loseAt(1000).pass(10 * SECOND);
    double step = 0;
    for (int second = 0; second < 8; second++) {
      double before = flow.segments();
      flow.pass(SECOND);
      assertThat(flow.segments() - before).isGreaterThan(step);
      step = flow.segments() - before;
    }
  }

  @Test
  @DisplayName("RFC 9438 4.2: the window grows by half in a round trip at most")
  void shouldGrowByHalfAtMost() {
    flow.roundTrip = 20 * SECOND;
    flow.loseAt(100);
    double before = flow.segments();
    flow.roundTrip();
    assertThat(flow.segments()).isGreaterThan(before * 1.3).isLessThan(before * 1.66);
  }

  @Test
  @DisplayName("RFC 9438 4.2: the window does not shrink when the function is below it")
  void shouldNotShrinkBelowTheFunction() {
    flow.loseAt(1000).pass(5 * SECOND);
    long before = control.window();
    flow.roundTrip = MILLISECOND;
    for (int i = 0; i < 20; i++) {
      flow.acknowledge(SimulatedFlow.EMSS);
      assertThat(control.window()).isGreaterThanOrEqualTo(before);
      before = control.window();
    }
  }

  @Test
  @DisplayName("RFC 9438 4.2: how acknowledgments are bundled does not matter")
  void shouldGrowAsMuchWhenAcknowledgmentsAreBundled() {
    flow.loseAt(1000);
    SimulatedFlow bundled = new SimulatedFlow(new Cubic(), flow.roundTrip).loseAt(1000);
    for (int i = 0; i < 50; i++) {
      flow.roundTrip();
      bundled.roundTrip(100);
    }
    assertThat(bundled.segments()).isCloseTo(flow.segments(), within(2.0));
  }

  @Test
  @DisplayName("RFC 9438 4.3: on a short round trip the window grows by alpha per round trip")
  void shouldGrowByAlphaInTheRenoFriendlyRegion() {
    flow.roundTrip = MILLISECOND;
    flow.loseAt(100).roundTrips(40);
    assertThat(flow.segments()).isCloseTo(70 + 40 * ALPHA, within(0.6));
  }

  @Test
  @DisplayName("RFC 9438 4.3: past the window before the loss it grows by a segment, as Reno's")
  void shouldGrowByASegmentOnceTheOldWindowIsReached() {
    flow.roundTrip = MILLISECOND;
    flow.loseAt(100).roundTrips(58);
    assertThat(flow.segments()).isCloseTo(100, within(1.0));
    double before = flow.segments();
    flow.roundTrips(40);
    assertThat(flow.segments()).isCloseTo(before + 40, within(1.0));
  }

  @Test
  @DisplayName("RFC 9438 4.3: the window is never less than Reno's estimate")
  void shouldLeaveTheRenoFriendlyRegionWhenTheFunctionIsHigher() {
    flow.roundTrip = 10 * MILLISECOND;
    flow.loseAt(200);
    long start = flow.now;
    for (int i = 1; i <= 1200; i++) {
      flow.roundTrip();
      double t = (double) (flow.now - start) / SECOND;
      assertThat(flow.segments()).isGreaterThan(cubic(t, 200, 140) - 2);
    }
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments())
        .isCloseTo(140 + 60 / ALPHA * ALPHA + (1200 - 60 / ALPHA), within(30.0));
    assertThat(cubic(t, 200, 140)).isLessThan(flow.segments());
  }

  @Test
  @DisplayName("RFC 9438 4.6: a loss leaves 0.7 of the octets in flight")
  void shouldDecreaseByBeta() {
    control.onCongestion(9000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(6300);
    assertThat(control.window()).isEqualTo(6300);
  }

  @Test
  @DisplayName("RFC 9438 4.6: octets in flight beyond the window do not count")
  void shouldNotCountLimitedTransmit() {
    control.onCongestion(100_000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(7000);
    control.undo(flow.now);
    control.onTimeout(100_000, true, flow.now);
    assertThat(control.threshold()).isEqualTo(7000);
  }

  @Test
  @DisplayName("RFC 9438 4.6: after a loss two segments are left, after echoes one")
  void shouldKeepTwoSegmentsAfterALossAndOneAfterEchoes() {
    for (int i = 0; i < 10; i++) {
      flow.lose();
    }
    assertThat(control.window()).isEqualTo(2000);
    for (int i = 0; i < 4; i++) {
      control.onCongestion(control.window(), false, flow.now);
    }
    assertThat(control.window()).isEqualTo(1000);
    assertThat(control.threshold()).isEqualTo(2000);
  }

  @Test
  @DisplayName("RFC 9438 4.7: a loss below the last maximum lowers the maximum further")
  void shouldConvergeFast() {
    flow.loseAt(1000).lose();
    // The window was 700, so the plateau is at 595 and not at 700.
    assertThat(flow.segments()).isEqualTo(490);
    long start = flow.now;
    flow.pass(5 * SECOND);
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments()).isCloseTo(cubic(t, 595, 490), within(4.0));
  }

  @Test
  @DisplayName("RFC 9438 4.7: a loss above the last maximum is the new maximum")
  void shouldTakeTheHigherMaximumAsItIs() {
    flow.loseAt(1000).pass(14 * SECOND);
    double largest = flow.segments();
    assertThat(largest).isGreaterThan(1010);
    flow.lose();
    long start = flow.now;
    flow.pass(5 * SECOND);
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments()).isCloseTo(cubic(t, largest, 0.7 * largest), within(4.0));
  }

  @Test
  @DisplayName("RFC 9438 4.8: a timeout leaves one segment and a threshold of 0.7")
  void shouldStartFromOneSegmentAfterATimeout() {
    flow.expire();
    assertThat(control.window()).isEqualTo(1000);
    assertThat(control.threshold()).isEqualTo(7000);
    control.onTimeout(1000, false, flow.now);
    assertThat(control.threshold()).isEqualTo(7000);
  }

  @Test
  @DisplayName("RFC 9438 4.8: after a timeout the function is flat where avoidance begins")
  void shouldForgetTheMaximumAfterATimeout() {
    flow.loseAt(1000).expire();
    while (control.window() < control.threshold()) {
      flow.acknowledge(SimulatedFlow.EMSS);
    }
    assertThat(flow.segments()).isEqualTo(490);
    long start = flow.now;
    flow.pass(8 * SECOND);
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments()).isCloseTo(cubic(t, 490, 490), within(15.0));
  }

  @Test
  @DisplayName("RFC 9438 4.9.2: a spurious loss is undone, the time of the function included")
  void shouldGoOnAsIfNothingHadBeenLost() {
    flow.loseAt(1000).pass(4 * SECOND);
    SimulatedFlow undisturbed =
        new SimulatedFlow(new Cubic(), flow.roundTrip).loseAt(1000).pass(4 * SECOND);
    assertThat(flow.segments()).isEqualTo(undisturbed.segments());
    flow.lose();
    flow.control.undo(flow.now);
    assertThat(flow.segments()).isEqualTo(undisturbed.segments());
    assertThat(control.threshold()).isEqualTo(700_000);
    flow.pass(10 * SECOND);
    undisturbed.pass(10 * SECOND);
    assertThat(flow.segments()).isCloseTo(undisturbed.segments(), within(1.0));
  }

  @Test
  @DisplayName("RFC 9438 4.9.1: a spurious timeout is undone")
  void shouldUndoATimeout() {
    flow.loseAt(1000).pass(4 * SECOND);
    long before = control.window();
    flow.expire();
    control.onTimeout(1000, false, flow.now);
    flow.roundTrip();
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(before);
    assertThat(control.threshold()).isEqualTo(700_000);
  }

  @Test
  @DisplayName("RFC 9438 4.9.2: an undo long after the loss changes nothing")
  void shouldNotUndoWhatHasBeenRegained() {
    flow.loseAt(1000).pass(12 * SECOND);
    long before = control.window();
    assertThat(before).isGreaterThan(1_000_000);
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(before);
    assertThat(control.threshold()).isEqualTo(700_000);
  }

  @Test
  @DisplayName("RFC 9438 4.9: one loss is undone once")
  void shouldUndoOnce() {
    flow.loseAt(1000).lose();
    control.undo(flow.now);
    assertThat(flow.segments()).isEqualTo(700);
    control.undo(flow.now);
    assertThat(flow.segments()).isEqualTo(700);
  }

  @Test
  @DisplayName("RFC 9438 4.10: slow start below the threshold, the function from there")
  void shouldSlowStartUpToTheThreshold() {
    flow.expire();
    flow.roundTrips(2);
    assertThat(control.window()).isEqualTo(4000);
    flow.roundTrip();
    assertThat(flow.segments()).isBetween(7.0, 7.6);
  }

  @Test
  @DisplayName("RFC 9438 4.10: when HyStart++ ends slow start, the function is flat there")
  void shouldBeginFlatAfterHyStart() {
    flow.roundTrips(4);
    while (control.threshold() == CongestionControl.LARGEST) {
      flow.roundTrip += 13 * MILLISECOND;
      flow.roundTrip();
    }
    flow.roundTrip = 100 * MILLISECOND;
    double epoch = flow.segments();
    long start = flow.now;
    flow.pass(8 * SECOND);
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments())
        .isCloseTo(Math.max(cubic(t, epoch, epoch), epoch + 80), within(20.0));
  }

  @Test
  @DisplayName("RFC 9438 4.2: time of the application's silence does not count")
  void shouldNotCountSilence() {
    flow.loseAt(1000).pass(4 * SECOND);
    long before = control.window();
    flow.idle(3600 * SECOND).roundTrip();
    assertThat(control.window() - before).isLessThan(10_000);
    flow.idle(36 * 3600 * SECOND).roundTrip();
    assertThat(control.window() - before).isLessThan(20_000);
  }

  @Test
  @DisplayName("RFC 9438 5.8: time in which the window is not used does not count")
  void shouldNotCountTimeOfAnUnusedWindow() {
    flow.loseAt(1000).pass(4 * SECOND);
    long before = control.window();
    for (int i = 0; i < 1000; i++) {
      flow.idle(10 * MILLISECOND).acknowledgeUnused(1000);
    }
    assertThat(control.window()).isEqualTo(before);
    flow.roundTrip();
    assertThat(control.window() - before).isLessThan(10_000);
  }

  @Test
  @DisplayName("RFC 9438 5.8: an unused window does not grow in slow start either")
  void shouldNotGrowUnusedInSlowStart() {
    for (int i = 0; i < 100; i++) {
      flow.acknowledgeUnused(1000);
    }
    assertThat(control.window()).isEqualTo(10_000);
  }

  @Test
  @DisplayName("RFC 5681 4.1: after silence slow start from the initial window, then the function")
  void shouldStartAgainAfterSilence() {
    flow.loseAt(1000).pass(4 * SECOND);
    flow.idle(10 * SECOND);
    control.onIdle(flow.now);
    assertThat(control.window()).isEqualTo(10_000);
    while (control.window() < control.threshold()) {
      flow.acknowledge(SimulatedFlow.EMSS);
    }
    long start = flow.now;
    flow.pass(4 * SECOND);
    double t = (double) (flow.now - start) / SECOND;
    assertThat(flow.segments()).isCloseTo(cubic(t, 1000, 700), within(8.0));
  }

  @Test
  @DisplayName("RFC 5681 4.1: a window within the initial one keeps its time")
  void shouldKeepTheTimeOfASmallWindow() {
    flow.lose().roundTrips(2);
    long before = control.window();
    control.onIdle(flow.now);
    assertThat(control.window()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(longs = {10_000, 1_000_000, 100_000_000})
  @DisplayName(
      "RFC 7323 2.3: the window never exceeds what TCP can announce, however long it grows")
  void shouldNeverExceedTheLargestWindow(long roundTrip) {
    control.open(65_000, 0);
    flow.roundTrip = roundTrip;
    flow.lose();
    for (int i = 0; i < 100_000; i++) {
      flow.idle(roundTrip / 2).acknowledge(control.window() / 2);
      assertThat(control.window()).isBetween(1L, (long) CongestionControl.LARGEST);
    }
    assertThat(control.window()).isEqualTo(CongestionControl.LARGEST);
  }

  @Test
  @DisplayName("RFC 9438 4.3: before a round trip is known, the window grows as Reno's")
  void shouldGrowWithoutAMeasuredRoundTrip() {
    flow.lose();
    for (int i = 0; i < 70; i++) {
      control.onAcknowledged(1000, 6000, 0, 0, true, flow.idle(MILLISECOND).now);
    }
    assertThat(flow.segments()).isBetween(10.0, 14.0);
  }
}
