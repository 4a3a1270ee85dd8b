package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.tcp.LossScript.ROUND_TRIP;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** DCTCP on the wire: the marks that are echoed, and what follows from echoes. */
class DctcpTest {
  private static final int CE = 3;

  private static TcpSettings dctcp() {
    return LossScript.sack().withEcn(true).withCongestion(CongestionAlgorithm.DCTCP);
  }

  private static Script established() {
    Script script = new Script(dctcp());
    script.connect();
    script.expect("SEW seq 0 ecn 2");
    script.pass(ROUND_TRIP);
    script.receive("SE. seq 0 ack 1 win 65535 mss 1000 sackok");
    script.expect(". seq 1 ack 1 ecn 2");
    script.handler.takeEvents();
    return script;
  }

  private static String data(int sequence, int codepoint) {
    return ". seq " + sequence + " ack 1 len 100 ecn " + codepoint;
  }

  @Test
  @DisplayName("RFC 8257 3.2: what came before a change of the mark is acknowledged by itself")
  void shouldEchoEveryChange() {
    Script script = established();
    script.receiveTogether(
        data(1, 2), data(101, 2), data(201, CE), data(301, CE), data(401, 2), data(501, 2));
    script.expect(". seq 1 ack 201");
    script.expect("E. seq 1 ack 401");
    script.expect(". seq 1 ack 601");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 8257 3.2: without a change a burst is acknowledged once")
  void shouldAcknowledgeABurstOnce() {
    Script script = established();
    script.receiveTogether(data(1, CE), data(101, CE));
    script.expect("E. seq 1 ack 201");
    script.receiveTogether(data(201, CE), data(301, CE));
    script.expect("E. seq 1 ack 401");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 8257 3.2: ECE follows the mark, not the peer's CWR")
  void shouldIgnoreTheReducedWindow() {
    Script script = established();
    script.receive(data(1, CE));
    script.expect("E. seq 1 ack 101");
    script.receive("W. seq 101 ack 1 len 100 ecn 3");
    script.expect("E. seq 1 ack 201");
    script.receive(data(201, 2));
    script.expect(". seq 1 ack 301");
  }

  @Test
  @DisplayName("RFC 8257 3.6, RFC 8311 4.3: every packet allows to be marked, retransmissions too")
  void shouldMarkEveryPacketAsCapable() {
    Script script = established();
    script.send(1000);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.pass(LossScript.TIMEOUT);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.receive(". seq 1 ack 1001 len 10");
    script.expect(". seq 1001 ack 11 ecn 2");
    script.close();
    script.expect("F. seq 1001 ecn 2");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1.1: a peer that does not answer the offer gets a plain SYN")
  void shouldFallBack() {
    Script script = new Script(dctcp());
    script.connect();
    script.expect("SEW seq 0 ecn 2");
    script.pass(Script.SECOND);
    script.expect("S seq 0 ecn 0");
    script.receive("S. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1 ecn 0");
  }

  @Test
  @DisplayName("RFC 8257 3.5: a loss in the window of an echo reduces the window once more")
  void shouldReduceForALossBehindAnEcho() {
    Script script = established();
    LossScript.queue(script, 10);
    script.turn();
    assertThat(script.drain()).isEqualTo(10);
    script.pass(ROUND_TRIP);
    for (int i = 1; i <= 10; i++) {
      script.receive(". seq 1 ack " + (i * 1000 + 1));
    }
    long window = ((TcpConnection) script.stream).status().congestionWindow();
    LossScript.queue(script, 10);
    script.turn();
    assertThat(script.drain()).isEqualTo(10);
    script.pass(ROUND_TRIP);
    script.receive("E. seq 1 ack 11001");
    long echoed = ((TcpConnection) script.stream).status().slowStartThreshold();
    assertThat(echoed).isBetween(window / 2, window);
    script.receive(". seq 1 ack 11001 sack 12001-15001");
    script.expect(". seq 11001 len 1000 ecn 2");
    assertThat(((TcpConnection) script.stream).status().slowStartThreshold()).isLessThan(echoed);
  }

  @Test
  void shouldNeedEcn() {
    assertThatThrownBy(() -> dctcp().withEcn(false)).hasMessage("DCTCP without ECN");
  }
}
