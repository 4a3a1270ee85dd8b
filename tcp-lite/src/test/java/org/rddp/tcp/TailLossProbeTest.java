package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.established;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The last segments of a burst get lost: RFC 8985 section 7. */
class TailLossProbeTest {
  private static final long DELAY = 40 * Script.MILLISECOND;

  @Test
  @Tag("MPAA-1-08")
  @DisplayName("RFC 8985 7.3: after two round trips the last segment is sent again unchanged")
  void shouldProbeWithTheLastSegment() {
    Script script = inFlight(sack(), 3);
    script.pass(ROUND_TRIP - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 2001 len 1000");
    script.expectNothing();
    assertThat(script.stack.counters().loss.tailLossProbes).isEqualTo(1);
    assertThat(script.stack.counters().timeouts).isZero();
  }

  @Test
  @DisplayName("RFC 8985 7.2: the acknowledgment of a single segment may be delayed")
  void shouldAllowForADelayedAcknowledgment() {
    Script script = inFlight(sack(), 1);
    script.pass(ROUND_TRIP + DELAY - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 7.2: the timeout has a floor, for peers whose threads are delayed")
  void shouldNotProbeSoonerThanTheFloor() {
    Script script = inFlight(sack().withMinimumProbe(50 * Script.MILLISECOND), 3);
    script.pass(40 * Script.MILLISECOND - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 7.3: new data is the better probe, even beyond the congestion window")
  void shouldProbeWithNewData() {
    Script script = inFlight(sack(), 10);
    script.send(1000);
    script.expectNothing();
    script.pass(ROUND_TRIP);
    script.expect("P. seq 10001 len 1000");
    assertThat(script.stack.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName("RFC 8985 7.3: but not beyond the peer's window")
  void shouldNotProbeBeyondThePeersWindow() {
    Script script = established(sack());
    script.receive(". seq 1 ack 1 win 2500");
    LossScript.queue(script, 3);
    script.turn();
    assertThat(script.drain()).isEqualTo(2);
    script.pass(2 * ROUND_TRIP);
    script.expect(". seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 7.3: there is one probe, then the retransmission timer")
  void shouldProbeOnce() {
    Script script = inFlight(sack(), 3);
    script.pass(ROUND_TRIP);
    script.expect("P. seq 2001 len 1000");
    script.pass(TIMEOUT - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().timeouts).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 8985 7.2: every acknowledgment of data puts the probe off")
  void shouldStartAgainWithEachAcknowledgment() {
    Script script = inFlight(sack(), 3);
    script.receive(". seq 1 ack 1001");
    script.pass(2 * ROUND_TRIP - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 7.2: segments that acknowledge nothing do not postpone the probe")
  void shouldNotBePutOffByThePeersData() {
    Script script = inFlight(sack(), 3);
    script.pass(ROUND_TRIP / 2);
    script.receive(". seq 1 ack 1 len 10");
    script.expect(". seq 3001 ack 11");
    script.pass(ROUND_TRIP / 2);
    script.expect("P. seq 2001 len 1000");
  }

  @Test
  @DisplayName("RFC 8985 7.2: without SACK there is no probe")
  void shouldNotProbeWithoutSack() {
    Script script = inFlight(Script.plain(), 3);
    script.pass(TIMEOUT / 2);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 8985 7.2: while something is behind a gap RACK waits, not the probe")
  void shouldNotProbeWithAGap() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.expect(". seq 1 len 1000");
    script.pass(10 * ROUND_TRIP);
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 8985 7.1: the probe's answer makes RACK find all that is lost")
  void shouldRepairATail() {
    Script script = inFlight(sack(), 4);
    script.receive(". seq 1 ack 1001");
    script.pass(2 * ROUND_TRIP);
    script.expect("P. seq 3001 len 1000");
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1001 sack 3001-4001");
    script.pass(ROUND_TRIP);
    script.expect(". seq 1001 len 1000");
    script.receive(". seq 1 ack 2001 sack 3001-4001");
    script.expect(". seq 2001 len 1000");
    assertThat(script.stack.counters().timeouts).isZero();
  }

  @Test
  @DisplayName("RFC 8985 7.4: a loss that the probe has repaired counts for congestion control")
  void shouldReduceTheWindowForAHiddenLoss() {
    Script script = inFlight(sack(), 10);
    script.pass(ROUND_TRIP);
    script.expect("P. seq 9001 len 1000");
    script.receive(". seq 1 ack 10001");
    script.send(1000);
    script.expect("P. seq 10001 len 1000");
    script.receive(". seq 1 ack 11001");
    assertThat(LossScript.burst(script)).isLessThanOrEqualTo(6);
  }

  @Test
  @DisplayName("RFC 8985 7.4: a probe that came twice repaired nothing")
  void shouldNotReduceTheWindowForANeedlessProbe() {
    Script script = inFlight(sack(), 10);
    script.pass(ROUND_TRIP);
    script.expect("P. seq 9001 len 1000");
    script.receive(". seq 1 ack 10001");
    script.receive(". seq 1 ack 10001 sack 9001-10001");
    script.send(1000);
    script.expect("P. seq 10001 len 1000");
    script.receive(". seq 1 ack 11001");
    assertThat(LossScript.burst(script)).isGreaterThanOrEqualTo(20);
  }

  @Test
  @DisplayName("RFC 8985 7.3: a FIN serves as a probe like any segment")
  void shouldProbeWithTheFin() {
    Script script = inFlight(sack(), 2);
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 2001");
    script.pass(2 * ROUND_TRIP);
    script.expect("F. seq 2001");
    assertThat(script.stack.counters().loss.tailLossProbes).isEqualTo(1);
  }

  @Test
  @Tag("MPAA-1-08")
  @DisplayName("RFC 5044 A.1: the probe keeps the boundaries of the segment that it repeats")
  void shouldKeepBoundaries() {
    Script script = established(sack());
    script.queue(300);
    script.queue(17);
    script.turn();
    script.expect(". seq 1 len 300");
    script.expect("P. seq 301 len 17");
    script.pass(2 * ROUND_TRIP);
    script.expect("P. seq 301 len 17");
  }

  @Test
  @DisplayName("RFC 8985 7.3: a probe that finds the device busy is tried again")
  void shouldProbeAgainWhenTheDeviceWasBusy() {
    Script script = inFlight(sack(), 3);
    script.device.accepts = 0;
    for (int i = 0; i < 64; i++) {
      script.receive(". seq " + (1 + i) + " ack 1 len 1");
    }
    script.pass(ROUND_TRIP);
    script.device.accepts = Integer.MAX_VALUE;
    script.pass(0);
    script.drain();
    script.pass(2 * ROUND_TRIP);
    assertThat(script.drain()).isPositive();
    assertThat(script.stack.counters().loss.tailLossProbes).isEqualTo(1);
  }
}
