package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The peer's FIN in order, before it, and where it cannot be (RFC 9293 section 3.10.7.4). */
class FinReceptionTest {
  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN without octets waits for the gap before it")
  void shouldLetAnEarlyFinWait() {
    Script script = Script.established();
    script.receive("F. seq 101 ack 1");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 102");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "peer closed");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: octets behind the FIN are cut")
  void shouldCutOctetsBehindTheFin() {
    Script script = Script.established();
    script.receive("F. seq 101 ack 1");
    script.receive(". seq 51 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 300");
    assertThat(script.handler.takeEvents())
        .containsExactly("51+50", "1+50", "edge 101", "peer closed");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 101, 151, 200})
  @DisplayName("RFC 9293 3.10.7.4: a FIN before received octets is ignored")
  void shouldIgnoreAFinBeforeOctetsThatHaveCome(int fin) {
    Script script = Script.established();
    script.receive(". seq 101 ack 1 len 50");
    script.receive(". seq 151 ack 1 len 50");
    script.receive("F. seq " + fin + " ack 1");
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents())
        .containsExactly("101+50", "151+50", "1+100", "edge 201");
    script.receive("F. seq 201 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("peer closed");
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.stream.receivePosition()).isEqualTo(201);
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN right behind received octets counts")
  void shouldAcceptAFinBehindEverythingThatHasCome() {
    Script script = Script.established();
    script.receive(". seq 101 ack 1 len 50");
    script.receive("F. seq 151 ack 1");
    script.receive(". seq 151 ack 1 len 50");
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents())
        .containsExactly("101+50", "1+100", "edge 151", "peer closed");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN beyond the window is ignored")
  void shouldIgnoreAFinBeyondTheWindow() {
    Script script = Script.established(Script.plain().withReceiveBuffer(2048));
    script.receive("F. seq 1501 ack 1 len 1000");
    assertThat(script.handler.takeEvents()).containsExactly("1501+548");
    script.receive(". seq 1 ack 1 len 1500");
    assertThat(script.handler.takeEvents()).containsExactly("1+1500", "edge 2049");
    script.receive("F. seq 2049 ack 1 len 52");
    assertThat(script.handler.takeEvents()).containsExactly("2049+52", "peer closed");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: the first of two FINs counts")
  void shouldNotLetASecondFinMoveTheEnd() {
    Script script = Script.established();
    script.receive("F. seq 101 ack 1 len 100");
    script.receive("F. seq 101 ack 1 len 50");
    script.receive("F. seq 301 ack 1");
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents())
        .containsExactly("101+100", "1+100", "edge 201", "peer closed");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN that came before is acknowledged again")
  void shouldAcknowledgeARepeatedFin() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 102");
    script.receive("F. seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 102");
    script.receive("F. seq 101 ack 1");
    script.expect(". seq 1 ack 102");
    assertThat(script.handler.takeEvents()).containsExactly("1+100", "peer closed");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: octets behind a FIN in order are not accepted")
  void shouldTakeNothingBehindTheFin() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1 len 100");
    script.handler.takeEvents();
    script.receive(". seq 102 ack 1 len 100");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stream.receivePosition()).isEqualTo(101);
  }

  @Test
  @DisplayName("RFC 9293 3.6: our half stays open when the peer has closed its own")
  void shouldGoOnSendingBehindThePeersFin() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    script.send(100);
    script.expect("P. seq 1 ack 2 len 100");
    script.receive(". seq 2 ack 101");
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 101 ack 2");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN fills the last place of a closed window")
  void shouldTakeAFinWhereTheWindowEnds() {
    Script script = Script.established(Script.plain().withReceiveBuffer(2048));
    script.handler.consumes = false;
    script.receive(". seq 1049 ack 1 len 1000");
    script.receive(". seq 1 ack 1 len 1048");
    script.receive("F. seq 2049 ack 1");
    assertThat(script.handler.takeEvents())
        .containsExactly("1049+1000", "1+1048", "edge 2049", "peer closed");
  }
}
