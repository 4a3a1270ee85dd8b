package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The window of DCTCP. */
class DctcpTest {
  private static final int SEGMENT = SimulatedFlow.EMSS;

  private final Dctcp control = new Dctcp();
  private final SimulatedFlow flow = new SimulatedFlow(control, 100_000);

  DctcpTest() {
    flow.loseAt(100);
  }

  /** Acknowledges a window, of which a share is marked, and lets it grow. */
  private void window(double share) {
    int segments = (int) (control.window() / SEGMENT);
    for (int i = 0; i < segments; i++) {
      boolean marked = i < segments * share;
      control.onEcho(SEGMENT, control.window(), marked ? SEGMENT : 0);
      if (marked && i == 0) {
        control.onCongestion(control.window(), false, flow.now);
        control.onRecovered(flow.now);
      }
    }
    if (share == 0) {
      flow.acknowledge(control.window());
    }
  }

  @Test
  @DisplayName("RFC 8257 3.3: where every octet is marked, the window is halved, as by RFC 3168")
  void shouldHalveTheWindowWhenAllIsMarked() {
    control.onCongestion(control.window(), false, flow.now);
    assertThat(control.window()).isEqualTo(25 * SEGMENT);
    assertThat(control.threshold()).isEqualTo(25 * SEGMENT);
  }

  @Test
  @DisplayName("RFC 8257 3.3, 4.2: alpha is the share of marked octets, a sixteenth of it new")
  void shouldReduceByTheShareOfMarks() {
    for (int i = 0; i < 200; i++) {
      window(0);
    }
    long before = control.window();
    control.onCongestion(before, false, flow.now);
    assertThat(control.window()).as("nothing was marked").isGreaterThan(before - 2);
    control.onRecovered(flow.now);

    // After a window with a quarter of marks alpha is 1/4 * 1/16.
    window(0.25);
    window(0);
    before = control.window();
    control.onCongestion(before, false, flow.now);
    double reduction = 1 - (double) control.window() / before;
    assertThat(reduction).isCloseTo(0.25 / 16 / 2, within(0.002));
  }

  @Test
  @DisplayName("RFC 8257 3.3: alpha approaches a steady share of marks")
  void shouldApproachASteadyShare() {
    for (int i = 0; i < 100; i++) {
      control.onEcho(3 * SEGMENT, 4 * SEGMENT, 0);
      control.onEcho(SEGMENT, 4 * SEGMENT, SEGMENT);
      control.onEcho(1, 4 * SEGMENT, 0);
    }
    long before = control.window();
    control.onCongestion(before, false, flow.now);
    assertThat(1 - (double) control.window() / before).isCloseTo(0.125, within(0.01));
  }

  @Test
  @DisplayName("RFC 8257 3.5: a loss halves the window, whatever alpha is")
  void shouldHalveTheWindowAfterALoss() {
    for (int i = 0; i < 200; i++) {
      window(0);
    }
    long before = control.window();
    flow.lose();
    assertThat(control.window()).isEqualTo(before / 2);
    assertThat(control.isGentle()).isTrue();
  }

  @Test
  @DisplayName("RFC 8257 3.4: without marks the window grows by a segment in a round trip")
  void shouldGrowLikeReno() {
    long before = control.window();
    flow.roundTrips(3);
    assertThat(control.window()).isBetween(before + 3 * SEGMENT - 10, before + 3 * SEGMENT);
  }

  @Test
  @DisplayName("RFC 8257 3.3: a reduction that was wrong is undone")
  void shouldUndo() {
    long before = control.window();
    flow.lose();
    control.undo(flow.now);
    assertThat(control.window()).isEqualTo(before);
  }
}
