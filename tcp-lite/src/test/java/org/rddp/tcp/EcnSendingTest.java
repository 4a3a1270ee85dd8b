package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.established;
import static org.rddp.tcp.LossScript.inFlight;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** ECN at the sender (RFC 3168). */
class EcnSendingTest {
  private static TcpSettings ecn() {
    return Script.plain().withEcn(true);
  }

  private static Script tenInFlight() {
    Script script = inFlight(ecn(), 10);
    LossScript.queue(script, 8);
    script.turn();
    script.expectNothing();
    return script;
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: data leaves as ECN-capable, an acknowledgment does not")
  void shouldMarkDataAsCapable() {
    Script script = established(ecn());
    script.send(1000);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.receive(". seq 1 ack 1001 len 10");
    script.expect(". seq 1001 ack 11 ecn 0");
  }

  @Test
  @DisplayName("RFC 3168 6.1.5: a retransmission is not ECN-capable")
  void shouldNotMarkRetransmissions() {
    Script script = established(ecn());
    script.send(1000);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 1000 ecn 0");
  }

  @Test
  @DisplayName("RFC 3168 6.1.4: a FIN is not ECN-capable")
  void shouldNotMarkTheFin() {
    Script script = established(ecn());
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ecn 0");
  }

  @Test
  @DisplayName("RFC 3168 6.1.6: a window probe is not ECN-capable")
  void shouldNotMarkProbes() {
    Script script = established(ecn());
    script.receive(". seq 1 ack 1 win 0");
    script.send(100);
    script.pass(Script.SECOND);
    script.expect(". seq 0 len 0 ecn 0");
  }

  @Test
  @DisplayName("RFC 3168 6.1.1: a peer without ECN gets plain packets, and its flags are ignored")
  void shouldNotUseWhatWasNotNegotiated() {
    Script script = inFlight(Script.plain(), 10);
    script.receive("E. seq 1 ack 1001");
    script.send(1000);
    script.expect("P. seq 10001 len 1000 ecn 0");
    assertThat(script.stack.counters().loss.congestionEchoes).isZero();
  }

  @Test
  @DisplayName("RFC 3168 6.1.2, RFC 9937: an echo halves the window, one segment for two")
  void shouldReduceTheWindow() {
    Script script = tenInFlight();
    script.receive("E. seq 1 ack 1001");
    script.expectNothing();
    script.receive("E. seq 1 ack 2001");
    script.expect("W. seq 10001 len 1000 ecn 2");
    script.receive(". seq 1 ack 3001");
    script.expectNothing();
    script.receive(". seq 1 ack 4001");
    script.expect(". seq 11001 len 1000 ecn 2");
    script.expectNothing();
    assertThat(script.stack.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: further echoes of the same window change nothing")
  void shouldReduceOncePerWindow() {
    Script script = tenInFlight();
    for (int i = 1; i <= 10; i++) {
      script.receive("E. seq 1 ack " + (1 + i * 1000));
    }
    assertThat(script.stack.counters().loss.congestionEchoes).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: an echo of the next window reduces it again")
  void shouldReduceTheNextWindow() {
    Script script = tenInFlight();
    script.receive("E. seq 1 ack 1001");
    script.receive(". seq 1 ack 10001");
    script.drain();
    script.pass(ROUND_TRIP);
    script.receive("E. seq 1 ack 12001");
    assertThat(script.stack.counters().loss.congestionEchoes).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: CWR is sent once, with new data")
  void shouldSendCwrOnce() {
    Script script = tenInFlight();
    script.receive("E. seq 1 ack 1001");
    script.receive(". seq 1 ack 2001");
    script.expect("W. seq 10001 len 1000");
    script.receive(". seq 1 ack 5001");
    script.expect(". seq 11001 len 1000");
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: a loss also causes CWR, but not in a retransmission")
  void shouldSendCwrAfterALoss() {
    Script script = tenInFlight();
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1", ". seq 1 ack 1");
    script.expect(". seq 10001 len 1000 ecn 2");
    script.expect(". seq 11001 len 1000 ecn 2");
    script.expect(". seq 1 len 1000 ecn 0");
    script.receive(". seq 1 ack 12001");
    script.expect("W. seq 12001 len 1000 ecn 2");
    script.expect(". seq 13001 len 1000 ecn 2");
  }

  @Test
  @DisplayName("RFC 3168 6.1.2: a timeout also causes CWR")
  void shouldSendCwrAfterATimeout() {
    Script script = established(ecn());
    script.send(1000);
    script.expect("P. seq 1 len 1000 ecn 2");
    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 1000 ecn 0");
    script.receive(". seq 1 ack 1001");
    script.send(1000);
    script.expect("W. seq 1001 len 1000 ecn 2");
  }

  @Test
  @DisplayName(
      "RFC 3168 6.1.2: a loss in a window that an echo has reduced does not reduce it again")
  void shouldNotReduceTwiceForEchoAndLoss() {
    Script script = tenInFlight();
    script.receive("E. seq 1 ack 1001");
    script.receiveTogether(". seq 1 ack 1001", ". seq 1 ack 1001", ". seq 1 ack 1001");
    assertThat(script.stack.counters().loss.recoveries).isEqualTo(1);
    while (script.stream.unacknowledged() > 0) {
      script.receive(". seq 1 ack " + (1 + ((TcpConnection) script.stream).sender.max()));
    }
    assertThat(LossScript.burst(script)).isBetween(5, 8);
  }
}
