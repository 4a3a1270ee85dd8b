package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The acknowledgment of the only segment in flight is taken in by a way of its own. */
class LoneSegmentTest {
  private static long roundTrip(Script script) {
    return ((TcpConnection) script.stream).roundTrip();
  }

  @Test
  @DisplayName("RFC 6298 2.3: its round trip is measured")
  void shouldMeasureTheRoundTrip() {
    Script script = inFlight(sack(), 1);
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1001");
    assertThat(roundTrip(script)).isEqualTo(ROUND_TRIP + ROUND_TRIP / 8);
  }

  @Test
  @DisplayName("RFC 6298 3: not if it was sent twice, also when that had been for nothing")
  void shouldNotMeasureWhatWasSentTwice() {
    Script script = inFlight(sack(), 2);
    script.pass(TIMEOUT);
    script.expect("P. seq 1001 len 1000");
    script.pass(TIMEOUT);
    script.expect(". seq 1 len 1000");
    long before = roundTrip(script);
    script.receive(". seq 1 ack 1001 sack 1-1001");
    assertThat(script.stack.counters().loss.undone).isEqualTo(1);
    script.receive(". seq 1 ack 2001");
    assertThat(roundTrip(script)).isEqualTo(before);
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: its congestion echo counts")
  void shouldHearOfCongestion() {
    Script script = inFlight(Script.plain().withEcn(true), 1);
    script.receive("E. seq 1 ack 1001");
    script.send(1000);
    script.expect("PW. seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 2923 2.1: its acknowledgment shows that longer segments are not dropped")
  void shouldKnowWhatThePathCarries() {
    Script script = LossScript.established(sack());
    script.send(100);
    script.receive(". seq 1 ack 101");
    script.send(1000);
    while (script.stack.counters().timeouts < 3) {
      script.pass(TIMEOUT);
    }
    assertThat(script.stack.counters().blackHoles).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 6298 5.2: nothing is waited for any more, and nothing is kept")
  void shouldStopTheTimer() {
    Script script = inFlight(sack(), 1);
    script.receive(". seq 1 ack 1001");
    assertThat(script.stack.packetsHeld()).isZero();
    script.pass(10 * TIMEOUT);
    script.expectNothing();
  }
}
