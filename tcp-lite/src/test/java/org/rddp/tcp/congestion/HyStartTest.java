package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of slow start by growing round trips (RFC 9406 section 4.2). */
class HyStartTest {
  private static final long MICROSECOND = 1000;
  private static final int ROUND = 20_000;

  private final HyStart start = new HyStart(ROUND);
  private long now;

  /** A round of 20 acknowledgments that each say this round trip. */
  private boolean round(long microseconds) {
    return round(microseconds, 20);
  }

  private boolean round(long microseconds, int measured) {
    boolean over = false;
    for (int i = 0; i < 20; i++) {
      long roundTrip = i < measured ? microseconds * MICROSECOND : 0;
      over |= start.onAcknowledged(ROUND / 20, ROUND, roundTrip, ++now);
    }
    return over;
  }

  @ParameterizedTest(name = "{0} us, then {1} us")
  @CsvSource({
    "10, 25, false", "10, 26, true",
    "100, 149, false", "100, 150, true",
    "8000, 11999, false", "8000, 12000, true",
    "20000, 23999, false", "20000, 24000, true",
    "100000, 112499, false", "100000, 112500, true",
    "200000, 215999, false", "200000, 216000, true",
  })
  @DisplayName("RFC 9406 4.2: an eighth more, but 4 to 16 ms, slows down; below 8 ms a half")
  void shouldSlowDownWhenRoundTripsGrow(long first, long second, boolean slower) {
    round(first);
    round(second);
    assertThat(start.conservative()).isEqualTo(slower);
  }

  @Test
  @DisplayName("RFC 9406 4.2: the least round trip of a round counts, not each")
  void shouldIgnoreJitterWithinARound() {
    round(10_000);
    start.onAcknowledged(1000, ROUND, 10_000 * MICROSECOND, ++now);
    for (int i = 0; i < 15; i++) {
      start.onAcknowledged(1000, ROUND, 90_000 * MICROSECOND, ++now);
    }
    assertThat(start.conservative()).isFalse();
  }

  @Test
  @DisplayName("RFC 9406 4.2: eight round trips are measured before they are compared")
  void shouldNeedEightSamples() {
    round(10_000);
    round(90_000, 7);
    assertThat(start.conservative()).isFalse();
    round(10_000);
    round(90_000, 8);
    assertThat(start.conservative()).isTrue();
  }

  @Test
  @DisplayName("RFC 9406 4.2: a burst that a late thread sees is one measurement")
  void shouldCountABurstOnce() {
    round(100);
    for (int i = 0; i < 15; i++) {
      start.onAcknowledged(1000, ROUND, 1100 * MICROSECOND, 50);
    }
    assertThat(start.conservative()).isFalse();
    for (int i = 0; i < 4; i++) {
      start.onAcknowledged(1000, ROUND, 100 * MICROSECOND, 60 + i);
    }
    assertThat(start.conservative()).isFalse();
  }

  @Test
  @DisplayName("RFC 9406 4.2: a round without any measurement is compared with none")
  void shouldNotCompareWithARoundThatWasNotMeasured() {
    round(10_000);
    round(0);
    round(90_000);
    assertThat(start.conservative()).isFalse();
  }

  @Test
  @DisplayName("RFC 9406 4.2: five rounds of Conservative Slow Start end slow start")
  void shouldEndAfterFiveRounds() {
    round(10_000);
    for (int i = 0; i < 4; i++) {
      assertThat(round(20_000)).isFalse();
    }
    assertThat(round(20_000)).isTrue();
  }

  @Test
  @DisplayName("RFC 9406 4.2: slow start continues when the round trip falls again")
  void shouldResumeWhenRoundTripsShrink() {
    round(10_000);
    round(20_000);
    assertThat(start.conservative()).isTrue();
    round(19_999);
    assertThat(start.conservative()).isFalse();
    round(19_999);
    assertThat(start.conservative()).isFalse();
    round(30_000);
    assertThat(start.conservative()).isTrue();
  }

  @Test
  @DisplayName("RFC 9406 4.2: Conservative Slow Start grows at a quarter of the pace")
  void shouldGrowAtAQuarterOfThePace() {
    SimulatedFlow flow = new SimulatedFlow(new Cubic(), 10_000 * MICROSECOND);
    flow.roundTrips(2);
    assertThat(flow.control.window()).isEqualTo(40_000);
    flow.roundTrip = 20_000 * MICROSECOND;
    flow.roundTrips(3);
    long before = flow.control.window();
    flow.roundTrip();
    assertThat(flow.control.window()).isBetween(before * 5 / 4 - 1000, before * 5 / 4 + 1000);
  }

  @Test
  @DisplayName("RFC 9406 4.2: after five rounds the window is the threshold")
  void shouldSetTheThreshold() {
    SimulatedFlow flow = new SimulatedFlow(new Cubic(), 10_000 * MICROSECOND);
    flow.roundTrips(2);
    flow.roundTrip = 20_000 * MICROSECOND;
    flow.roundTrips(4);
    assertThat(flow.control.threshold()).isEqualTo(CongestionControl.LARGEST);
    flow.roundTrips(2);
    assertThat(flow.control.threshold()).isLessThanOrEqualTo(flow.control.window());
  }

  @Test
  @DisplayName("RFC 9406 4.3: only the first slow start is watched")
  void shouldNotWatchALaterSlowStart() {
    SimulatedFlow flow = new SimulatedFlow(new Cubic(), 10_000 * MICROSECOND);
    flow.roundTrips(5).expire();
    long threshold = flow.control.threshold();
    flow.roundTrips(3);
    flow.roundTrip = 100_000 * MICROSECOND;
    flow.roundTrip();
    assertThat(flow.control.threshold()).isEqualTo(threshold);
    assertThat(flow.control.window()).isEqualTo(16_000);
  }

  @Test
  @DisplayName("RFC 9406 4.2: a loss ends it at once")
  void shouldEndByALoss() {
    SimulatedFlow flow = new SimulatedFlow(new Cubic(), 10_000 * MICROSECOND);
    flow.roundTrips(2);
    flow.roundTrip = 20_000 * MICROSECOND;
    flow.roundTrip().lose();
    assertThat(flow.control.threshold()).isEqualTo(flow.control.window());
  }
}
