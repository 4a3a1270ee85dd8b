package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.Script.MILLISECOND;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A minimum of the retransmission timeout of one millisecond, as for a data centre. */
class MinimumTimeoutTest {
  private static final long MICROSECOND = 1000;
  private static final long ROUND_TRIP = 20 * MICROSECOND;

  private static TcpSettings settings() {
    return LossScript.sack()
        .withMinimumRetransmission(MILLISECOND)
        .withMinimumProbe(MILLISECOND / 2);
  }

  /** A connection that has measured short round trips. */
  private static Script established(TcpSettings settings) {
    Script script = new Script(settings);
    script.connect();
    script.expect("S seq 0");
    script.pass(ROUND_TRIP);
    script.receive("S. seq 0 ack 1 win 65535 mss 1000 sackok");
    script.expect(". seq 1 ack 1");
    script.send(1000);
    script.expect("P. seq 1 len 1000");
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1001");
    return script;
  }

  @Test
  @DisplayName("RFC 6298 2.4, RFC 8985 7.2: a probe after half a millisecond, a timeout after more")
  void shouldRepairTheTailWithinMilliseconds() {
    Script script = established(settings());
    LossScript.queue(script, 3);
    script.turn();
    assertThat(script.drain()).isEqualTo(3);
    script.pass(499 * MICROSECOND);
    script.expectNothing();
    script.pass(MICROSECOND);
    script.expect("P. seq 3001 len 1000");
    script.pass(2 * MILLISECOND);
    script.expect(". seq 1001 len 1000");
    assertThat(script.stack.counters().timeouts).isOne();
  }

  @Test
  @DisplayName("RFC 6298 2.4: a peer may delay the acknowledgment of a single segment")
  void shouldWaitForADelayedAcknowledgment() {
    Script script = established(settings());
    script.send(1000);
    script.expect("P. seq 1001 len 1000");
    script.pass(39 * MILLISECOND);
    script.expectNothing();
    script.receive(". seq 1 ack 2001");
    assertThat(script.stack.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName(
      "RFC 6298 2.4: a peer that does not delay acknowledgments gets it after a millisecond")
  void shouldNotWaitForAPeerThatDoesNotDelay() {
    Script script = established(settings().withPeerAcknowledgmentDelay(100 * MICROSECOND));
    script.send(1000);
    script.expect("P. seq 1001 len 1000");
    script.pass(600 * MICROSECOND);
    script.expect("P. seq 1001 len 1000");
    assertThat(script.stack.counters().loss.tailLossProbes).isOne();
  }

  @Test
  @DisplayName("RFC 6298 2.4: a second segment ends the wait for a delayed acknowledgment")
  void shouldStartAgainWhenAnotherSegmentFollows() {
    Script script = established(settings().withSelectiveAcknowledgment(false));
    script.send(1000);
    script.expect("P. seq 1001 len 1000");
    script.send(1000);
    script.expect("P. seq 2001 len 1000");
    script.pass(2 * MILLISECOND);
    script.expect(". seq 1001 len 1000");
  }

  @Test
  @DisplayName("RFC 6298 2.4: by default a single segment waits no longer than others")
  void shouldLeaveTheDefaultAlone() {
    Script script = established(Script.plain());
    script.send(1000);
    script.expect("P. seq 1001 len 1000");
    script.pass(LossScript.TIMEOUT - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 1001 len 1000");
  }
}
