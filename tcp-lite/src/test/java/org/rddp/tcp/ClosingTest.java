package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The end of a connection: FIN, RST, TIME-WAIT (RFC 9293 section 3.6, RFC 5961, RFC 6191). */
class ClosingTest {
  private static TcpState state(Script script) {
    return ((TcpConnection) script.stream).state();
  }

  @Test
  void shouldCloseFirstAndWait() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    assertThat(state(script)).isEqualTo(TcpState.FIN_WAIT_1);
    script.receive(". seq 1 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.FIN_WAIT_2);
    script.receive("F. seq 1 ack 2");
    script.expect(". seq 2 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.TIME_WAIT);
    assertThat(script.handler.takeEvents()).containsExactly("peer closed", "closed NORMAL");
    script.pass(Script.SECOND - 1);
    assertThat(script.stack.connections()).isEqualTo(1);
    script.pass(1);
    assertThat(script.stack.connections()).isZero();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldCloseSecond() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    assertThat(script.handler.takeEvents()).containsExactly("peer closed");
    assertThat(state(script)).isEqualTo(TcpState.CLOSE_WAIT);
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.LAST_ACK);
    script.receive(". seq 2 ack 2");
    assertThat(script.handler.takeEvents()).containsExactly("closed NORMAL");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  void shouldSendDataAfterThePeerHasClosed() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    script.send(100);
    script.expect("P. seq 1 ack 2 len 100");
    script.receive(". seq 2 ack 101");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldReceiveDataAfterWeHaveClosed() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive(". seq 1 ack 1 len 10");
    script.receive(". seq 11 ack 2 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("1+10", "11+10");
    script.expect(". seq 2 ack 11");
    script.expect(". seq 2 ack 21");
    script.receive("F. seq 21 ack 2 len 5");
    assertThat(script.handler.takeEvents()).containsExactly("21+5", "peer closed", "closed NORMAL");
    script.expect(". seq 2 ack 27");
  }

  @Test
  void shouldCloseFromBothSidesAtOnce() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 2 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.CLOSING);
    assertThat(script.handler.takeEvents()).containsExactly("peer closed");
    script.receive(". seq 2 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.TIME_WAIT);
    assertThat(script.handler.takeEvents()).containsExactly("closed NORMAL");
  }

  @Test
  void shouldGoFromFinWait1ToTimeWaitWhenFinAndAcknowledgmentComeTogether() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive("F. seq 1 ack 2");
    script.expect(". seq 2 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.TIME_WAIT);
  }

  @Test
  void shouldSendTheFinBehindEverythingThatWaits() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 150");
    script.queue(100);
    script.queue(100);
    script.stream.closeSend();
    script.turn();
    script.expect(". seq 1 len 100");
    script.expectNothing();
    script.receive(". seq 1 ack 101 win 150");
    script.expect("P. seq 101 len 100");
    script.expect("F. seq 201");
  }

  @Test
  void shouldLetAFinWaitForTheGap() {
    Script script = Script.established();
    script.receive("F. seq 11 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("11+10");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 1 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("1+10", "edge 21", "peer closed");
    script.expect(". seq 1 ack 22");
  }

  @Test
  void shouldTakeTheFinThroughAClosedWindow() {
    Script script = Script.established(Script.plain().withReceiveBuffer(2048));
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.receive(". seq 1001 ack 1 len 1048");
    script.expect(". seq 1 ack 1001");
    script.expect(". seq 1 ack 2049 win 0");
    script.handler.takeEvents();
    script.receive("F. seq 2049 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("peer closed");
    script.expect(". seq 1 ack 2050");
  }

  @Test
  void shouldIgnoreDataBehindTheFin() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.handler.takeEvents();
    script.receive(". seq 2 ack 1 len 10");
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldAcknowledgeARepeatedFin() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    script.receive("F. seq 1 ack 1");
    script.expect(". seq 1 ack 2");
    assertThat(script.handler.takeEvents()).containsExactly("peer closed");
  }

  private static Script timeWait() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive("F. seq 1 ack 2");
    script.expect(". seq 2 ack 2");
    script.handler.takeEvents();
    return script;
  }

  @Test
  void shouldAcknowledgeTheFinInTimeWaitAndWaitAnew() {
    Script script = timeWait();
    script.pass(Script.SECOND / 2);
    script.receive("F. seq 1 ack 2");
    script.expect(". seq 2 ack 2");
    script.pass(Script.SECOND - 1);
    assertThat(script.stack.connections()).isEqualTo(1);
    script.pass(1);
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  void shouldOpenAnewFromTimeWaitWhenTheSequenceNumberIsLater() {
    Script script = timeWait();
    int port = script.ourPort;
    script.stack.listen(port, (stream, address, from) -> script.handler);
    script.receive("S seq 100000 mss 1000");
    script.expect("S. seq 0 ack 100001");
    script.receive(". seq 100001 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    assertThat(script.stack.connections()).isEqualTo(1);
  }

  @Test
  void shouldNotOpenAnewFromTimeWaitForAnOldSyn() {
    Script script = timeWait();
    script.stack.listen(script.ourPort, (stream, address, from) -> script.handler);
    script.receive("S seq -100000 mss 1000");
    script.expect(". seq 2 ack 2");
    assertThat(state(script)).isEqualTo(TcpState.TIME_WAIT);
  }

  @Test
  void shouldResetOnARstExactlyWhereWeAre() {
    Script script = Script.established();
    script.receive("R seq 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
    assertThat(script.stack.connections()).isZero();
    script.expectNothing();
  }

  @Test
  void shouldChallengeARstElsewhereInTheWindow() {
    Script script = Script.established();
    script.receive("R seq 100");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive("R seq 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
  }

  @Test
  void shouldIgnoreARstOutsideOfTheWindow() {
    Script script = Script.established();
    script.receive("R seq 0");
    script.receive("R seq 30000");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldChallengeASynInTheWindow() {
    Script script = Script.established();
    script.receive("S seq 1 mss 1000");
    script.expect(". seq 1 ack 1");
    script.receive("S. seq 5 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldCallItNormalWhenARstAnswersTheLastAcknowledgment() {
    Script script = Script.established();
    script.receive("F. seq 1 ack 1");
    script.stream.closeSend();
    script.turn();
    script.handler.takeEvents();
    script.receive("R seq 2");
    assertThat(script.handler.takeEvents()).containsExactly("closed NORMAL");
  }

  @Test
  void shouldSendARstOnAbortAndGiveBackEverything() {
    Script script = Script.established();
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.receive(". seq 101 ack 1 len 100");
    script.expect(". seq 101 ack 1");
    script.stream.abort();
    assertThat(script.handler.takeEvents()).containsExactly("101+100", "closed ABORTED");
    script.turn();
    script.expect("R. seq 101 ack 1");
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    script.stream.abort();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldForgetAnUnansweredSynOnClose() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.stream.closeSend();
    script.turn();
    script.expectNothing();
    assertThat(script.handler.takeEvents()).containsExactly("closed ABORTED");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  void shouldResetEverythingWhenTheStackCloses() {
    Script script = Script.established();
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.receive(". seq 51 ack 1 len 10");
    script.expect(". seq 101 ack 1");
    script.stack.close();
    script.expect("R. seq 101");
    assertThat(script.handler.takeEvents()).containsExactly("51+10", "closed ABORTED");
    assertThat(script.stack.packetsHeld()).isZero();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    assertThat(script.stack.connections()).isZero();
  }
}
