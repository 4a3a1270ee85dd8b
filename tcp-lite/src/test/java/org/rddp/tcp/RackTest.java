package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Loss found by time: RFC 8985 section 6. */
class RackTest {
  private static final long WINDOW = ROUND_TRIP / 4;

  @Test
  @DisplayName("RFC 8985 6.2 step 5: a segment is lost a quarter of a round trip after a later one")
  void shouldWaitForTheReorderingWindow() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.pass(WINDOW - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    assertThat(script.stack.counters().fastRetransmits).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 4: three segments behind a gap need no wait")
  void shouldNotWaitAtTheThirdSegment() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.receive(". seq 1 ack 1 sack 1001-3001");
    script.expectNothing();
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 5: a segment that comes within the window is not sent again")
  void shouldTolerateReordering() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.pass(WINDOW - 1);
    script.receive(". seq 1 ack 2001");
    script.pass(WINDOW);
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 4: once reordering was seen, three segments are not enough")
  void shouldRememberReordering() {
    Script script = inFlight(sack(), 2);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.receive(". seq 1 ack 2001");
    LossScript.queue(script, 5);
    script.turn();
    script.drain();
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 2001 sack 3001-7001");
    script.expectNothing();
    script.pass(WINDOW);
    script.expect(". seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 4: a D-SACK widens the window, once a round trip")
  void shouldWidenTheWindow() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1 sack 1001-2001");
    script.receive(". seq 1 ack 2001");
    script.receive(". seq 1 ack 2001 sack 1001-2001");
    script.receive(". seq 1 ack 2001 sack 1-1001");
    script.receive(". seq 1 ack 4001");
    LossScript.queue(script, 3);
    script.turn();
    script.drain();
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 4001 sack 5001-6001");
    script.pass(2 * WINDOW - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 4001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 5: a retransmission that is lost is sent again without a timeout")
  void shouldFindALostRetransmission() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 1001-5001");
    script.expect(". seq 1 len 1000");
    script.send(1000);
    script.expect("P. seq 5001 len 1000");
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1 sack 1001-6001");
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().timeouts).isZero();
  }

  @Test
  @DisplayName(
      "RFC 8985 6.3: the loss of a retransmission with nothing behind it is detected by the timer")
  void shouldLeaveTheRestToTheTimeout() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    script.pass(TIMEOUT - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().timeouts).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 8985 6.3: at a timeout only segments sent a round trip ago count as lost")
  void shouldNotLoseWhatWasJustSent() {
    Script script = inFlight(sack(), 2);
    script.pass(ROUND_TRIP);
    script.expect("P. seq 1001 len 1000");
    script.pass(TIMEOUT - Script.MILLISECOND);
    script.send(1000);
    script.expect("P. seq 2001 len 1000");
    script.pass(Script.MILLISECOND);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 2001");
    // The third was on its way: it is not sent again.
    script.expectNothing();
  }

  @Test
  @DisplayName(
      "RFC 8985 6.2 step 2: an acknowledgment too early for a retransmission is of the original")
  void shouldNotTakeAnEarlyAnswerForTheRetransmission() {
    Script script = inFlight(sack(), 5);
    script.receive(". seq 1 ack 1 sack 2001-5001");
    script.expect(". seq 1 len 1000");
    script.expect(". seq 1001 len 1000");
    script.expectNothing();
    script.pass(Script.MILLISECOND);
    // 1001 had been late only: its answer does not make the retransmission of 1 look lost.
    script.receive(". seq 1 ack 1 sack 1001-5001");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 8985 6.2 step 5: segments sent after the last delivered one are not lost")
  void shouldNotLoseWhatWasSentLater() {
    Script script = inFlight(sack(), 8);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    script.pass(ROUND_TRIP - 1);
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isEqualTo(1);
  }
}
