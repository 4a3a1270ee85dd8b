package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** LISTEN and the handshakes that peers begin (RFC 9293 sections 3.10.7.2 and 3.10.7.4). */
class TcpListenerTest {
  private static Script synReceived() {
    Script script = new Script();
    script.ourPort = 7;
    script.theirPort = 40000;
    script.stack.listen(
        7,
        (stream, address, port) -> {
          script.stream = stream;
          return script.handler;
        });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    return script;
  }

  @ParameterizedTest
  @ValueSource(strings = {"- seq 5", "F seq 5", "P seq 5 len 3", "SF seq 5"})
  @DisplayName("RFC 9293 3.10.7.2: in LISTEN a segment without RST, ACK and SYN is dropped")
  void shouldDropOtherSegmentsInListen(String segment) {
    Script script = new Script();
    script.listen();
    script.receive(segment);
    script.expectNothing();
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.2: in LISTEN a SYN with ACK is reset")
  void shouldResetASynWithAckInListen() {
    Script script = new Script();
    script.listen();
    script.receive("S. seq 0 ack 55");
    script.expect("R seq 55");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.2: payload of a SYN is not acknowledged and is sent again")
  void shouldLetThePayloadOfASynComeAgain() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000 len 10");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 len 10");
    script.expect(". seq 1 ack 11");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+10");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: in SYN-RECEIVED a RST returns to LISTEN")
  void shouldReturnToListenOnAReset() {
    Script script = synReceived();
    script.receive("R seq 1");
    assertThat(script.stack.connections()).isZero();
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive("S seq 50 mss 1000");
    script.expect("S. seq 0 ack 51");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: in SYN-RECEIVED another SYN in the window returns to LISTEN")
  void shouldReturnToListenOnAnotherSyn() {
    Script script = synReceived();
    script.receive("S seq 10 mss 1000");
    script.expectNothing();
    assertThat(script.stack.connections()).isZero();
    script.receive("S seq 10 mss 1000");
    script.expect("S. seq 0 ack 11");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: in SYN-RECEIVED a segment outside of the window is acknowledged")
  void shouldAcknowledgeWhatIsOutsideOfTheWindowInSynReceived() {
    Script script = synReceived();
    script.receive(". seq 90000 ack 1 len 5");
    script.expect(". seq 1 ack 1");
    assertThat(script.stack.connections()).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9293 3.5.2: an old SYN is found out by the RST that its SYN-ACK draws")
  void shouldRecoverFromAnOldDuplicateSyn() {
    Script script = new Script();
    script.listen();
    script.receive("S seq -500 mss 1000");
    script.expect("S. seq 0 ack -499");
    script.receive("R seq -499");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: in SYN-RECEIVED a segment without ACK is dropped")
  void shouldDropWhatHasNoAckInSynReceived() {
    Script script = synReceived();
    script.receive("P seq 1 len 10");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  @DisplayName("RFC 9293 3.10.7.4: a FIN with the last acknowledgment of the handshake counts")
  void shouldTakeAFinWithTheLastAcknowledgment() {
    Script script = synReceived();
    script.receive("F. seq 1 ack 1 len 3");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+3", "peer closed");
    script.expect(". seq 1 ack 5");
    assertThat(script.state()).isEqualTo(TcpState.CLOSE_WAIT);
  }

  @Test
  @DisplayName("RFC 9293 3.10.4: a handshake whose listener is closed meanwhile is refused")
  void shouldRefuseALateHandshakeOfAClosedListener() {
    Script script = new Script();
    script.ourPort = 7;
    script.theirPort = 40000;
    List<String> accepted = new ArrayList<>();
    TcpListener listener =
        script.stack.listen(
            7,
            (stream, address, port) -> {
              accepted.add("accepted");
              return script.handler;
            });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    listener.close();
    script.receive(". seq 1 ack 1");
    script.expect("R seq 1");
    assertThat(accepted).isEmpty();
    assertThat(script.stack.connections()).isZero();
    assertThat(script.stack.counters().established).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.4: the SYN-ACK of a closed listener is not repeated but reset")
  void shouldTakeBackTheSynAckOfAClosedListener() {
    Script script = new Script();
    script.ourPort = 7;
    script.theirPort = 40000;
    TcpListener listener = script.stack.listen(7, (stream, address, port) -> script.handler);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    listener.close();
    script.pass(Script.SECOND);
    script.expect("R. seq 1 ack 1");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.10.4: a new listener does not inherit the old one's handshakes")
  void shouldNotGiveALateHandshakeToTheNextListener() {
    Script script = new Script();
    script.ourPort = 7;
    script.theirPort = 40000;
    script.stack.listen(7, (stream, address, port) -> script.handler);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.stack.context.listeners.get(7).close();
    script.stack.listen(7, (stream, address, port) -> script.handler);
    script.receive(". seq 1 ack 1");
    script.expect("R seq 1");
    assertThat(script.handler.takeEvents()).isEmpty();
  }
}
