package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Asking a silent peer for a sign of life (RFC 9293 section 3.8.4). */
class KeepAliveTest {
  private static final TcpSettings ASKING =
      Script.plain()
          .withKeepAlive(100 * Script.SECOND)
          .withKeepAliveInterval(10 * Script.SECOND)
          .withKeepAliveProbes(3);

  @Test
  @DisplayName("RFC 9293 3.8.4 MUST-25: keep-alives are off by default")
  void shouldNotProbeByDefault() {
    Script script = Script.established();
    script.pass(365L * 24 * 3600 * Script.SECOND);
    script.expectNothing();
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
    assertThat(script.stack.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.1: a peer that lets the user send nothing is probed")
  void shouldProbeWhileTheUserIsBlocked() {
    Script script = Script.established(Script.plain().withKeepAliveInterval(10 * Script.SECOND));
    TcpConnection connection = (TcpConnection) script.stream;
    connection.blocked(true);
    for (int seconds : new int[] {1, 2, 4, 8, 10, 10}) {
      script.pass(seconds * Script.SECOND - 1);
      script.expectNothing();
      script.pass(1);
      script.expect(". seq 0 ack 1 len 0");
      script.receive(". seq 1 ack 1");
    }
    connection.blocked(false);
    script.pass(365L * 24 * 3600 * Script.SECOND);
    script.expectNothing();
    assertThat(script.stack.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    connection.blocked(true);
    for (int i = 0; i < 9; i++) {
      script.pass(10 * Script.SECOND);
      script.expect(". seq 0");
    }
    script.pass(10 * Script.SECOND);
    script.expect("R. seq 1 ack 1");
    assertThat(script.handler.takeEvents()).endsWith("closed TIMEOUT");
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: the probe is empty, and its sequence number is SND.NXT - 1")
  void shouldProbeWithAnEmptySegmentThatIsOld() {
    Script script = Script.established(ASKING);
    script.pass(100 * Script.SECOND - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 0 ack 1 len 0");
    assertThat(script.stack.counters().keepAliveProbes).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9293 3.8.4 MUST-26: one unanswered probe does not end the connection")
  void shouldGiveUpOnlyAfterSeveralProbes() {
    Script script = Script.established(ASKING);
    script.pass(100 * Script.SECOND);
    script.expect(". seq 0");
    script.pass(10 * Script.SECOND);
    script.expect(". seq 0");
    script.pass(10 * Script.SECOND);
    script.expect(". seq 0");
    script.pass(10 * Script.SECOND - 1);
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
    script.handler.takeEvents();
    script.pass(1);
    script.expect("R. seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
    assertThat(script.stack.counters().timedOut).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: an answer restarts the keep-alive timer")
  void shouldStartAnewAfterAnAnswer() {
    Script script = Script.established(ASKING);
    script.pass(100 * Script.SECOND);
    script.expect(". seq 0");
    script.pass(5 * Script.SECOND);
    script.receive(". seq 1 ack 1");
    script.pass(100 * Script.SECOND - 1);
    script.expectNothing();
    script.pass(1);
    script.expect(". seq 0");
    for (int i = 0; i < 2; i++) {
      script.pass(10 * Script.SECOND);
      script.expect(". seq 0");
    }
    assertThat(script.state()).as("three more are allowed").isEqualTo(TcpState.ESTABLISHED);
  }

  @Test
  @DisplayName(
      "RFC 9293 3.8.4 MUST-27: a probe is sent only when nothing has come for the interval")
  void shouldNotProbeAPeerThatSends() {
    Script script = Script.established(ASKING);
    for (int i = 0; i < 10; i++) {
      script.pass(60 * Script.SECOND);
      script.receive(". seq " + (1 + i) + " ack 1 len 1");
      script.expect(". seq 1 ack " + (2 + i));
    }
    script.expectNothing();
  }

  @Test
  @DisplayName(
      "RFC 9293 3.8.4: while data is in flight the retransmission timer detects a dead peer")
  void shouldLeaveItToRetransmissionWhileDataIsInFlight() {
    Script script = Script.established(ASKING.withUserTimeout(10_000 * Script.SECOND));
    script.pass(99 * Script.SECOND);
    script.send(10);
    script.expect("P. seq 1 len 10");
    for (int i = 0; i < 50; i++) {
      script.pass(Script.SECOND);
    }
    assertThat(script.stack.counters().keepAliveProbes).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: a dead peer is detected in FIN-WAIT-2")
  void shouldEndFinWait2OfAVanishedPeer() {
    Script script = Script.established(ASKING);
    script.close();
    script.expect("F. seq 1");
    script.receive(". seq 1 ack 2");
    assertThat(script.state()).isEqualTo(TcpState.FIN_WAIT_2);
    for (int i = 0; i < 20; i++) {
      script.pass(10 * Script.SECOND);
    }
    assertThat(script.handler.takeEvents()).endsWith("closed TIMEOUT");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: a RST in answer to a probe ends the connection")
  void shouldEndWhenTheProbeIsAnsweredByAReset() {
    Script script = Script.established(ASKING);
    script.handler.takeEvents();
    script.pass(100 * Script.SECOND);
    script.expect(". seq 0 ack 1");
    script.receive("R seq 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: we answer the peer's probe, with or without an octet of old data")
  void shouldAnswerThePeersProbes() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 len 1");
    script.expect(". seq 1 ack 2");
    script.receive(". seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    script.receive(". seq 1 ack 1 len 1");
    script.expect(". seq 1 ack 2");
    assertThat(script.handler.takeEvents()).containsExactly("1+1");
  }

  @Test
  @DisplayName("RFC 9293 3.8.4: no probes before the connection is established, nor after")
  void shouldNotProbeInOtherStates() {
    Script script = new Script(ASKING.withConnectTimeout(1000 * Script.SECOND));
    script.connect();
    script.pass(500 * Script.SECOND);
    assertThat(script.stack.counters().keepAliveProbes).isZero();
  }
}
