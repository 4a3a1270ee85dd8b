package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.handshake.SynChoices;
import org.rddp.tcp.handshake.SynNegotiation;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.wire.TcpSegment;

/** Opening a connection, from either side (RFC 9293 sections 3.5, 3.10.7.1 to 3.10.7.3). */
class HandshakeTest {
  @Test
  void shouldOfferMssWindowScaleAndTimestampsInTheSyn() {
    Script script = new Script(TcpSettings.DEFAULTS);
    script.connect();
    script.expect("SEW seq 0 mss 1460 ws 5 ecr 0 win 65535");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 2018 2: a SYN offers SACK")
  void shouldOfferSackInTheSyn() {
    Script script = new Script(Script.plain().withSelectiveAcknowledgment(true));
    script.connect();
    script.expect("S seq 0 sackok");
    script.receive("S. seq 0 ack 1 mss 1000 sackok");
    assertThat(((TcpConnection) script.stream).agreed.sack()).isTrue();
  }

  @Test
  @DisplayName("RFC 2018 2: a SYN-ACK permits SACK only to a peer that offers it")
  void shouldPermitSackOnlyToAPeerThatOffersIt() {
    Script script = new Script(TcpSettings.DEFAULTS);
    script.listen();
    script.receive("S seq 0 mss 1000 sackok");
    script.expect("S. seq 0 ack 1 sackok");
    Script without = new Script(TcpSettings.DEFAULTS);
    without.listen();
    without.receive("S seq 0 mss 1000");
    without.expect("S. seq 0 ack 1 sackno");
    Script off = new Script(TcpSettings.DEFAULTS.withSelectiveAcknowledgment(false));
    off.listen();
    off.receive("S seq 0 mss 1000 sackok");
    off.expect("S. seq 0 ack 1 sackno");
    Script refused = new Script(TcpSettings.DEFAULTS);
    refused.connect();
    refused.expect("SEW seq 0 sackok");
    refused.receive("S. seq 0 ack 1 mss 1000");
    assertThat(((TcpConnection) refused.stream).agreed.sack()).isFalse();
  }

  @Test
  void shouldOfferOnlyTheMssWhenTheOthersAreOff() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0 mss 1460 ws -1 win 20000");
  }

  @Test
  void shouldAcknowledgeTheSynAckAndTellTheUser() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 mss 1460");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    assertThat(script.stack.counters().established).isEqualTo(1);
  }

  @Test
  void shouldAcceptAConnectionOnAPortListenedOn() {
    Script script = new Script(TcpSettings.DEFAULTS);
    script.listen();
    script.receive("S seq 0 mss 1460 ws 7 ts 100");
    script.expect("S. seq 0 ack 1 mss 1460 ws 5 ecr 100");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.receive(". seq 1 ack 1 ts 101");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    script.expectNothing();
  }

  @Test
  void shouldAnswerWithNoOptionThatThePeerDoesNotOffer() {
    Script script = new Script(TcpSettings.DEFAULTS);
    script.listen();
    script.receive("S seq 0");
    script.expect("S. seq 0 ack 1 mss 1460 ws -1");
    script.receive(". seq 1 ack 1");
    assertThat(script.stream.emss()).isEqualTo(536);
  }

  @Test
  void shouldNotUseOptionsThatThePeerDoesNotAnswer() {
    Script script = new Script(TcpSettings.DEFAULTS);
    script.connect();
    script.expect("SEW seq 0 ws 5");
    script.receive("S. seq 0 ack 1 mss 1460");
    script.expect(". seq 1 ack 1 win 65535");
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  void shouldTakeTheLesserMssLessTheOptions() {
    Script script = new Script(TcpSettings.DEFAULTS, 9000);
    script.connect();
    script.expect("SEW seq 0 mss 8960");
    script.receive("S. seq 0 ack 1 mss 1460 ws 7 ts 5");
    assertThat(script.stream.emss()).isEqualTo(1448);
  }

  @Test
  void shouldNotSendMoreThanTheMtuAllowsHoweverLargeThePeersMss() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 mss 8960");
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  void shouldReportRefusedWhenTheSynIsReset() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("R. seq 0 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed REFUSED");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  void shouldIgnoreAResetThatAcknowledgesSomethingElse() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("R. seq 0 ack 0");
    script.receive("R. seq 0 ack 2");
    script.receive("R seq 0");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.expectNothing();
  }

  @Test
  void shouldResetASynAckForAnotherSyn() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 5 mss 1000");
    script.expect("R seq 5");
    script.receive("S. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }

  @Test
  void shouldRetransmitTheSynLaterEachTimeAndGiveUp() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.pass(999 * Script.MILLISECOND);
    script.expectNothing();
    script.pass(Script.MILLISECOND);
    script.expect("S seq 0");
    script.pass(2 * Script.SECOND);
    script.expect("S seq 0");
    script.pass(4 * Script.SECOND - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("S seq 0");
    script.pass(30 * Script.SECOND);
    assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
    assertThat(script.stack.counters().timedOut).isEqualTo(1);
  }

  @Test
  void shouldAnswerARepeatedSynWithTheSameSynAck() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    int sequence = script.ourSequence;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    assertThat(script.ourSequence).isEqualTo(sequence);
    assertThat(script.stack.connections()).isEqualTo(1);
  }

  @Test
  void shouldRetransmitTheSynAckAndForgetAPeerThatNeverAnswers() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.pass(Script.SECOND);
    script.expect("S. seq 0 ack 1");
    script.pass(30 * Script.SECOND);
    assertThat(script.stack.connections()).isZero();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldDropSynsBeyondTheBacklog() {
    Script script =
        new Script(Script.plain().withBacklog(2).withConnections(100).withSynCookies(false));
    script.listen();
    for (int port = 1; port <= 3; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000");
    }
    assertThat(script.drain()).isEqualTo(2);
    assertThat(script.stack.counters().synsDropped).isEqualTo(1);
    script.theirPort = 1;
    script.receive("R seq 1");
    script.theirPort = 3;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
  }

  @Test
  void shouldDropSynsWhenTheTableOfConnectionsIsFull() {
    Script script = new Script(Script.plain().withBacklog(10).withConnections(1));
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0");
    script.theirPort++;
    script.receive("S seq 0 mss 1000");
    script.expectNothing();
    assertThat(script.stack.counters().synsDropped).isEqualTo(1);
    assertThatThrownBy(() -> script.stack.connect(Script.THEIRS, 1, script.handler))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldForgetAHandshakeThatIsReset() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("R seq 1");
    assertThat(script.stack.connections()).isZero();
    script.expectNothing();
  }

  @Test
  void shouldResetAWrongAcknowledgmentInSynReceivedAndStay() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 2");
    script.expect("R seq 2");
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }

  @Test
  void shouldResetASynToAPortWithoutListener() {
    Script script = new Script();
    script.ourPort = 9;
    script.theirPort = 9;
    script.receive("S seq 0 mss 1000");
    script.expect("R. seq 0 ack 1");
    assertThat(script.stack.counters().resetsOut).isEqualTo(1);
  }

  @Test
  void shouldCountPayloadAndFinInTheAnswerToASegmentWithoutConnection() {
    Script script = new Script();
    script.ourPort = 9;
    script.theirPort = 9;
    script.receive("F seq 10 len 5");
    script.expect("R. seq 0 ack 16");
  }

  @Test
  void shouldResetAnAcknowledgmentToAListener() {
    Script script = new Script();
    script.listen();
    script.receive(". seq 1 ack 77");
    script.expect("R seq 77");
  }

  @Test
  void shouldNeverAnswerAReset() {
    Script script = new Script();
    script.listen();
    script.receive("R seq 1");
    script.receive("R. seq 1 ack 1");
    script.theirPort = 1;
    script.receive("R seq 1");
    script.expectNothing();
  }

  @Test
  void shouldResetAConnectionThatTheAcceptorDeclines() {
    Script script = new Script();
    script.listen((stream, address, port) -> null);
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.expect("R. seq 1 ack 1");
    assertThat(script.stack.connections()).isZero();
  }

  @Test
  void shouldHandUpOctetsThatComeWithTheLastAcknowledgmentOfTheHandshake() {
    Script script = new Script();
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("open", "1+10");
    script.expect(". seq 1 ack 11");
  }

  @Test
  void shouldOpenFromBothSidesAtOnce() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("S. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    assertThat(((TcpConnection) script.stream).state()).isEqualTo(TcpState.ESTABLISHED);
    script.receive(". seq 1 ack 1");
    script.expectNothing();
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldOpenFromBothSidesAtOnceWhenThePeersAnswerIsLost() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }

  @Test
  @DisplayName("RFC 6528 3: initial sequence numbers differ by connection and rise with time")
  void shouldChooseInitialSequenceNumbersThatDifferPerConnectionAndRiseWithTime() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    int first = script.ourSequence;
    int port = script.ourPort;
    script.stream.abort();
    script.connect();
    script.expect("S seq 0");
    assertThat(script.ourSequence).isNotEqualTo(first);
    assertThat(script.ourPort).isNotEqualTo(port);
    int before = script.stack.context.secrets.initialSequence(1, script.now);
    script.pass(4000);
    assertThat(script.stack.context.secrets.initialSequence(1, script.now) - before).isEqualTo(1);
  }

  @Test
  void shouldNotConnectWhereNoRouteLeads() {
    Script script = new Script();
    Ipv4Address elsewhere = Ipv4Address.parse("192.0.2.1");
    assertThatThrownBy(() -> script.stack.connect(elsewhere, 1, script.handler))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("192.0.2.1");
  }

  @Test
  void shouldListenOnAPortOnlyOnceAndAgainAfterClose() {
    Script script = new Script();
    TcpListener listener = script.stack.listen(7, (stream, address, port) -> null);
    assertThatThrownBy(() -> script.stack.listen(7, (stream, address, port) -> null))
        .isInstanceOf(IllegalStateException.class);
    listener.close();
    assertThat(script.stack.listen(7, (stream, address, port) -> null).port()).isEqualTo(7);
  }

  @Test
  void shouldSendTheFirstDataWithAThreeSecondTimeoutAfterALostSyn() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.pass(Script.SECOND);
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1");
    script.send(10);
    script.expect("P. seq 1 len 10");
    script.pass(3 * Script.SECOND - 1);
    script.expectNothing();
    script.pass(1);
    script.expect("P. seq 1 len 10");
  }

  @Test
  @DisplayName("RFC 9293 3.5, figure 7: both ends open the same connection, each from a known port")
  void shouldConnectFromAGivenPort() {
    Script script = new Script();
    script.theirPort = 2000;
    script.ourPort = 1000;
    TcpConnection connection = script.stack.connect(Script.THEIRS, 2000, 1000, script.handler);
    script.stream = connection;
    assertThat(connection.localPort()).isEqualTo(1000);
    script.turn();
    script.expect("S seq 0");
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive("S. seq 0 ack 1 mss 1000");
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
  }

  @Test
  void shouldNotConnectFromAPortThatIsInUse() {
    Script script = new Script();
    TcpStack stack = script.stack;
    stack.listen(1000, (stream, address, port) -> null);
    stack.connect(Script.THEIRS, 2000, 1001, script.handler);
    assertThatThrownBy(() -> stack.connect(Script.THEIRS, 2000, 1000, script.handler))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1000 is in use");
    assertThatThrownBy(() -> stack.connect(Script.THEIRS, 2000, 1001, script.handler))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @CsvSource({"1, 216", "28, 216", "215, 216", "217, 217"})
  @DisplayName("a peer with an MSS below that of any link gets segments of 216 octets")
  void shouldNotObeyATinyMss(int stated, int obeyed) {
    Script script = new Script(Script.plain());
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss " + stated);
    script.expect(". seq 1 ack 1");
    assertThat(script.stream.emss()).isEqualTo(obeyed);
  }

  @ParameterizedTest
  @CsvSource({"false, 536", "true, 1220"})
  @DisplayName("RFC 9293 3.7.1 (MUST-15): the MSS of a peer that states none")
  void shouldAssumeTheDefaultMss(boolean ipv6, int mss) {
    SynOffer offer = new SynOffer(SynChoices.NONE, false, false, false, 65_535);
    SynNegotiation agreed = SynNegotiation.of(offer, new TcpSegment(), ipv6, false);
    assertThat(agreed.mss()).isEqualTo(mss);
  }
}
